import ElementaryStream
import Foundation
import H264
import StreamSynthesis
import Synchronization
import TestSupport
import Testing

@Suite("Stream index", .timeLimit(.minutes(Checkout.patience(5))))
struct StreamIndexTests {
    @Test func `an entry is 32 bytes`() {
        #expect(MemoryLayout<IndexEntry>.size == 32)
        #expect(MemoryLayout<IndexEntry>.stride == 32)
    }

    @Test func `pictures are found by rank`() {
        let index = Streams.index(ScriptedByteSource(Streams.reordered().bytes()))
        // Decoded 0 2 1 4 3 6 5 …
        let ranks = (0..<21).map { index.entry(decodeRank: $0)?.presentationRank }
        #expect(ranks.prefix(7) == [0, 2, 1, 4, 3, 6, 5])
        for rank in 0..<21 {
            let found = index.entry(presentationRank: rank)
            #expect(found?.entry.presentationRank == UInt32(rank))
            #expect(found.map { ranks[$0.decodeRank] } == UInt32(rank))
        }
        for outside in [-1, 21, 22, 1000, .max, .min] {
            #expect(index.entry(presentationRank: outside) == nil)
            #expect(index.entry(decodeRank: outside) == nil)
        }
        #expect(index.lastRank == 20)
        #expect(index.firstShownRank == 0)
    }

    /// Pictures out of order before the first IDR picture put it further back than the reordering seen by then.
    @Test func `what is indexed is found while the rest is not`() throws {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/b-pyramid.264"))
        let units = Streams.nalUnits(bytes)
        var random = SplitMix(seed: 5)
        var furthest = 0
        for _ in 0..<40 {
            var pieces = units
            for _ in 0..<10 {
                pieces.swapAt(
                    .random(in: pieces.indices, using: &random),
                    .random(in: pieces.indices, using: &random))
            }
            let index = StreamIndex(byteCount: nil)
            let source = ScriptedByteSource(pieces.flatMap(\.self))
            StreamIndexer.fill(index, from: source, options: .init()) {
                let count = index.summary.count
                for decodeRank in 0..<count {
                    let rank = index.entry(decodeRank: decodeRank).map { Int($0.presentationRank) }
                    let found = rank.flatMap { index.entry(presentationRank: $0) }
                    #expect(found?.decodeRank == decodeRank)
                    furthest = max(furthest, (rank ?? 0) - count)
                }
            }
        }
        #expect(furthest > 4, "none was far out of order")
    }

    @Test func `pictures are found by time`() {
        let index = Streams.index(ScriptedByteSource(Streams.reordered().bytes()))
        for ticks in Int64(-5)...60 {
            let expected = min(max(ticks / 2, 0), 20)
            #expect(index.presentationRank(atTicks: ticks) == Int(expected), "at \(ticks)")
        }
        #expect(index.presentationRank(atTicks: .max) == 20)
        #expect(index.presentationRank(atTicks: .min) == 0)
    }

    @Test func `entries tell what a picture is`() {
        let index = Streams.index(ScriptedByteSource(Streams.reordered().bytes()))
        let entries = (0..<21).compactMap { index.entry(decodeRank: $0) }
        #expect(entries.map(\.pictureType.name).prefix(4) == ["I", "P", "B", "P"])
        #expect(entries.map(\.isIDR) == (0..<21).map { $0 == 0 })
        #expect(entries.map(\.isRandomAccessPoint) == (0..<21).map { $0 == 0 })
        #expect(entries.map(\.isIntra) == (0..<21).map { $0 == 0 })
        #expect(entries.map(\.isReference) == (0..<21).map { $0 % 2 == 1 || $0 == 0 })
        #expect(entries.allSatisfy { $0.isShown && !$0.isDamaged && $0.structure == .frame })
        #expect(
            entries.map { Int($0.pictureOrderCount) / 2 }
                == entries.map { Int($0.presentationRank) })
        #expect(entries.allSatisfy { $0.durationTicks == 2 })
    }

    @Test func `an empty index knows nothing`() {
        let index = StreamIndex(byteCount: 100)
        #expect(index.summary.count == 0)
        #expect(index.summary.estimatedCount == nil)
        #expect(index.firstShownRank == nil)
        #expect(index.lastRank == -1)
        #expect(index.presentationRank(atTicks: 0) == nil)
        #expect(index.entry(presentationRank: 0) == nil)
    }

    @Test func `the total is estimated until it is known`() {
        let bytes = Streams.simple(gops: 60, length: 50).bytes()
        let source = ScriptedByteSource(bytes) { _ in 2000 }
        let index = StreamIndex(byteCount: source.byteCount)
        var indexer = StreamIndexer(index, source, rate: nil)
        var estimates: [Int] = []
        var counts: [Int] = []
        indexer.run {
            counts.append(index.summary.count)
            guard !index.summary.isComplete else { return }
            if let estimate = index.summary.estimatedCount { estimates.append(estimate) }
        }
        #expect(counts == counts.sorted())
        #expect(counts.last == 3000)
        #expect(estimates.count > 10)
        #expect(estimates.dropFirst(estimates.count / 2).allSatisfy { (2400...3600).contains($0) })
        let summary = index.summary
        #expect(summary.isComplete)
        #expect(summary.estimatedCount == nil)
        #expect(summary.shownCount == 3000)
        #expect(summary.endTicks == 6000)
        #expect(summary.failure == nil)
    }

    @Test func `a wait ends when there is enough`() {
        let source = ScriptedByteSource(Streams.simple(gops: 20, length: 50).bytes()) { _ in 500 }
        let index = StreamIndex(byteCount: source.byteCount)
        Thread.detachNewThread {
            usleep(30_000)
            var indexer = StreamIndexer(index, source, rate: nil)
            indexer.run {}
        }
        #expect(index.wait { $0.count >= 500 })
        #expect(index.summary.count >= 500)
        #expect(!index.wait { $0.count > 1000 }, "the end ends it too")
        #expect(index.summary.isComplete)
    }

    @Test func `an interruption ends a wait`() {
        let index = StreamIndex(byteCount: nil)
        Thread.detachNewThread {
            usleep(30_000)
            index.interrupt()
        }
        #expect(!index.wait { $0.count > 0 })
        #expect(!index.summary.isComplete)
    }

    @Test func `cancel ends the indexer and every wait`() {
        let source = ScriptedByteSource(Streams.simple(gops: 40, length: 50).bytes()) { _ in 500 }
        let index = StreamIndex(byteCount: source.byteCount)
        var indexer = StreamIndexer(index, source, rate: nil)
        indexer.run { if index.summary.count > 300 { index.cancel() } }
        #expect((300..<1000).contains(index.summary.count))
        #expect(!index.wait { $0.count >= 2000 })
    }

    @Test func `what reading fails with is kept beside what was read`() {
        let bytes = Streams.simple(gops: 4, length: 50).bytes()
        let error = StreamError.system(call: "pread", errno: 5)
        let source = ScriptedByteSource(
            bytes, failure: (Int64(bytes.count / 2), error), piece: { _ in 1000 })
        let index = Streams.index(source)
        #expect(index.summary.failure == error)
        #expect((50..<150).contains(index.summary.count))
        #expect(!index.wait { $0.count >= 200 })
    }

    @Test func `a pipe is not indexed far ahead of the player`() throws {
        // 24 MB of pictures; nobody plays.
        var writer = StreamWriter(Streams.sequence(reorder: 0))
        writer.idr(Streams.picture(0))
        let head = writer.bytes()
        let filler = [0, 0, 1, 12] + [UInt8](repeating: 0xFF, count: 1 << 20) + [0x80]
        var bytes: [UInt8] = []
        for _ in 0..<24 { bytes += head + filler }
        let source = ScriptedByteSource(bytes, isPipe: true)
        let index = StreamIndex(byteCount: nil)
        let isDone = Atomic(false)
        Thread.detachNewThread {
            var indexer = StreamIndexer(index, source, rate: nil)
            indexer.run {}
            isDone.store(true, ordering: .releasing)
        }
        #expect(index.wait { $0.count >= 7 })
        usleep(100_000)
        #expect(!index.summary.isComplete)
        #expect(index.summary.count <= 12)
        // The player moves on, and the indexer with it.
        let samples = SampleSource(source, index: index)
        var count = 0
        while case .sample = try samples.next() { count += 1 }
        #expect(count == 24)
        #expect(index.summary.isComplete)
        while !isDone.load(ordering: .acquiring) { usleep(1000) }
    }

    @Test(arguments: Streams.clips)
    func `of every clip ranks are a permutation and ranges tile the file`(_ clip: Clip) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let index = Streams.index(ScriptedByteSource(bytes))
        let summary = index.summary
        #expect(summary.isComplete)
        #expect(summary.failure == nil)
        let entries = (0..<summary.count).compactMap { index.entry(decodeRank: $0) }
        #expect(entries.count == summary.count)
        #expect(entries.map { Int($0.presentationRank) }.sorted() == Array(entries.indices))
        var ticks: Int64 = 0
        for rank in entries.indices {
            let found = try #require(index.entry(presentationRank: rank))
            #expect(found.entry.presentationTicks == ticks)
            #expect(index.presentationRank(atTicks: ticks) == rank)
            #expect(
                index.presentationRank(atTicks: ticks + Int64(found.entry.durationTicks) - 1)
                    == rank)
            ticks += Int64(found.entry.durationTicks)
        }
        #expect(summary.endTicks == ticks)
        #expect(summary.shownCount == entries.count(where: \.isShown))
        // Units are where the sequence says, and each begins with a start code.
        let units = try Streams.units(bytes)
        #expect(units.count == entries.count)
        var end: Int64 = 0
        for (unit, entry) in zip(units, entries) {
            let range = unit.accessUnit.byteRange
            #expect(range.lowerBound == end)
            #expect(entry.offset == end)
            #expect(unit.presentationRank == Int(entry.presentationRank))
            #expect(unit.isShown == entry.isShown)
            #expect(unit.decodeTicks <= unit.presentationTicks)
            end = range.upperBound
        }
        if !units.isEmpty { #expect(end == Int64(bytes.count)) }
        for (early, late) in zip(units, units.dropFirst()) {
            #expect(early.decodeTicks < late.decodeTicks, "decode rank \(late.decodeRank)")
        }
        if let digests = clip.digests, clip.name != "lone-fields.264" {
            #expect(summary.shownCount == digests.count)
        }
    }

    @Test(arguments: [1, 7, 4097])
    func `pieces change nothing`(piece: Int) throws {
        let clips = Clip.samples.filter { $0.name != "showpiece.264" }
        for clip in clips {
            let bytes = try #require(Checkout.bytes(clip.path))
            if piece == 1, bytes.count > 60_000 { continue }
            let whole = Streams.index(ScriptedByteSource(bytes))
            let pieces = Streams.index(ScriptedByteSource(bytes) { _ in piece })
            #expect(whole.summary.count == pieces.summary.count)
            for rank in 0..<whole.summary.count {
                let (a, b) = (whole.entry(decodeRank: rank), pieces.entry(decodeRank: rank))
                #expect(a?.offset == b?.offset)
                #expect(a?.presentationRank == b?.presentationRank)
                #expect(a?.presentationTicks == b?.presentationTicks)
                #expect(a?.isShown == b?.isShown)
            }
        }
    }
}
