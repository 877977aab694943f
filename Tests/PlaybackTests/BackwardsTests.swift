import ElementaryStream
import MediaTime
import PixelBuffers
import Playback
import TestSupport
import Testing
import VideoCodec

/// A clip opened and indexed to its end.
struct IndexedClip {
    let source: any ByteSource
    let index: StreamIndex

    init(_ clip: Clip) throws {
        source = try openByteSource(path: clip.path)
        index = StreamIndex(byteCount: source.byteCount)
        StreamIndexer.fill(index, from: source, options: .init()) {}
    }

    /// Presentation ranks of the pictures that are shown, ascending.
    var shownRanks: [Int] {
        (0..<index.summary.count).compactMap { index.entry(decodeRank: $0) }
            .filter(\.isShown).map { Int($0.presentationRank) }.sorted()
    }
}

/// Clips whose digests FFmpeg and our decoder agree on.
private let exactClips = Clip.samples.filter { $0.name != "lone-fields.264" && $0.digests != nil }

@Suite("Backwards", .timeLimit(.minutes(Checkout.patience(10))))
struct BackwardsTests {
    @Test(
        "a feed gives the golden pictures in reverse, whatever the size of its pieces",
        arguments: exactClips)
    func reversed(clip: Clip) throws {
        let golden = try #require(clip.digests)
        let indexed = try IndexedClip(clip)
        let ranks = indexed.shownRanks
        try #require(ranks.count == golden.count)
        let pieces = PieceDecoder(indexed.source, index: indexed.index)
        let feed = BackwardFeed(
            pieces, index: indexed.index, ranks: ranks[0]...ranks[ranks.count - 1],
            pieceCount: 17, as: .native)
        var digests: [String] = []
        var given: [Int] = []
        while let picture = feed.next() {
            digests.append(picture.pixelBuffer.md5)
            given.append(picture.rank)
        }
        #expect(given == ranks.reversed())
        #expect(digests == golden.reversed())
    }

    @Test("any run of pictures decodes to the golden ones", arguments: exactClips)
    func pieces(clip: Clip) throws {
        let golden = try #require(clip.digests)
        let indexed = try IndexedClip(clip)
        let ranks = indexed.shownRanks
        let decoder = PieceDecoder(indexed.source, index: indexed.index)
        var generator = SplitMix(seed: 7)
        for _ in 0..<6 {
            let first = Int.random(in: ranks.indices, using: &generator)
            let last = min(ranks.count - 1, first + Int.random(in: 0..<9, using: &generator))
            let decoded = decoder.decode(ranks[first]...ranks[last]) { false }
            #expect(decoded.map(\.rank) == Array(ranks[first...last]))
            #expect(decoded.map(\.pixelBuffer.md5) == Array(golden[first...last]))
        }
    }

    @Test func `a cancelled feed ends at once`() throws {
        let indexed = try IndexedClip(#require(Clip.samples.first { $0.name == "main.264" }))
        let feed = BackwardFeed(
            PieceDecoder(indexed.source, index: indexed.index), index: indexed.index,
            ranks: 0...99, pieceCount: 10, as: .native)
        #expect(feed.next()?.rank == 99)
        feed.cancel()
        #expect(feed.next() == nil)
    }
}

@Suite("Picture cache")
struct PictureCacheTests {
    private func picture(_ rank: Int) throws -> DecodedPicture {
        let indexed = try Self.clip.get()
        return try #require(
            PieceDecoder(indexed.source, index: indexed.index).decode(rank...rank) { false }.first)
    }

    private static let clip = Result {
        try IndexedClip(#require(Clip.samples.first { $0.name == "main.264" }))
    }

    @Test func `keeps to its budget, and lets the farthest go`() throws {
        let pictures = try (0..<6).map { try picture($0) }
        let size = pictures[0].pixelBuffer.dataSize
        var cache = PictureCache(byteLimit: size * 3)
        cache.insert(pictures, near: 5)
        #expect(cache.byteCount <= size * 3)
        #expect((0..<6).map { cache[$0] != nil } == [false, false, false, true, true, true])
        #expect(cache.nearest(atOrBefore: 7)?.rank == 5)
        #expect(cache.nearest(atOrBefore: 2) == nil)
    }

    @Test func `keeps one picture however small the budget`() throws {
        var cache = PictureCache(byteLimit: 1)
        cache.insert([try picture(3)], near: 3)
        #expect(cache[3] != nil)
        #expect(cache.capacity(pictureByteCount: 1000) == 1)
    }
}
