import ElementaryStream
import Foundation
import Glibc
import StreamSynthesis
import Synchronization
import TestSupport
import Testing

/// A pipe that is written by hand, and what an index makes of it meanwhile.
private final class HandFedIndex {
    let source: PipeByteSource
    let index = StreamIndex(byteCount: nil)
    private let writeEnd: Int32

    init(options: StreamIndexer.Options = .init(), retainedByteLimit: Int = 256 << 20) {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        writeEnd = ends[1]
        source = PipeByteSource(descriptor: ends[0], retainedByteLimit: retainedByteLimit)
        Thread.detachNewThread { [source, index] in
            StreamIndexer.fill(index, from: source, options: options) {}
        }
    }

    func write(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(writeEnd, $0.baseAddress! + written, bytes.count - written)
            }
            guard count > 0 else { return }
            written += count
        }
    }

    func end() { close(writeEnd) }

    /// Waits for so many access units, without end of the stream.
    func reaches(_ count: Int, within timeout: Duration = .seconds(5)) -> Bool {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            if index.summary.count >= count { return true }
            usleep(2000)
        }
        return false
    }

    var entries: [String] {
        (0..<index.summary.count).map { String(describing: index.entry(decodeRank: $0)) }
    }
}

@Suite("Streams whose writer pauses", .timeLimit(.minutes(Checkout.patience(5))))
struct PausingStreamTests {
    @Test func `each picture is there as soon as the writer is silent`() throws {
        let bytes = Streams.simple(gops: 1, length: 6).bytes()
        let file = Streams.index(ScriptedByteSource(bytes))
        let fed = HandFedIndex()
        for rank in 0..<6 {
            let start = rank == 0 ? 0 : try #require(file.entry(decodeRank: rank)).offset
            let end = file.entry(decodeRank: rank + 1)?.offset ?? Int64(bytes.count)
            fed.write(bytes[Int(start)..<Int(end)])
            #expect(fed.reaches(rank + 1), "\(rank)")
            #expect(fed.index.isEarly(decodeRank: rank))
        }
        fed.end()
        #expect(!fed.index.wait { _ in false })
        #expect(!fed.index.isEarly(decodeRank: 5))
        #expect(fed.entries.count == 6)
    }

    @Test func `of reordered pictures none is waited for longer than it takes to know it`() throws {
        let bytes = Streams.reordered(pictures: 15).bytes()
        let file = Streams.index(ScriptedByteSource(bytes))
        let fed = HandFedIndex()
        for rank in 0..<15 {
            let start = rank == 0 ? 0 : try #require(file.entry(decodeRank: rank)).offset
            let end = file.entry(decodeRank: rank + 1)?.offset ?? Int64(bytes.count)
            fed.write(bytes[Int(start)..<Int(end)])
            // Once the distance of two pictures is known.
            guard rank >= 4 else {
                usleep(40_000)
                continue
            }
            #expect(fed.reaches(rank + 1), "\(rank)")
            #expect(
                fed.index.entry(decodeRank: rank)?.presentationRank
                    == file.entry(decodeRank: rank)?.presentationRank)
        }
        fed.end()
    }

    @Test func `the first pictures have the time scale of their stream`() throws {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/pulldown.264"))
        let file = Streams.index(ScriptedByteSource(bytes))
        let rate = try #require(file.entry(decodeRank: 0).map { _ in file.summary.rate })
        for count in 1...3 {
            let fed = HandFedIndex()
            fed.write(bytes[..<Int(try #require(file.entry(decodeRank: count)).offset)])
            #expect(fed.reaches(count))
            #expect(fed.index.summary.rate.timescale == rate.timescale, "\(count)")
            fed.end()
        }
    }

    @Test func `half a picture that was given is told of when the rest comes`() throws {
        let bytes = Streams.simple(gops: 1, length: 3).bytes()
        let file = Streams.index(ScriptedByteSource(bytes))
        let last = Int(try #require(file.entry(decodeRank: 2)).offset)
        let middle = (last + bytes.count + 6) / 2
        let fed = HandFedIndex()
        fed.write(bytes[..<middle])
        #expect(fed.reaches(3))
        let samples = SampleSource(fed.source, index: fed.index)
        for _ in 0..<3 {
            guard case .sample = try samples.next() else {
                Issue.record("no sample")
                return
            }
        }
        fed.write(bytes[middle...])
        fed.end()
        guard case .amended(2) = try samples.next() else {
            Issue.record("not amended")
            return
        }
        samples.seek(toPresentationRank: 2)
        var count = 0
        while case .sample = try samples.next() { count += 1 }
        #expect(count == 3)
    }

    @Test(
        "What belongs to no picture is not kept, however much it is",
        arguments: [
            // Zeros; a slice without end, of which 32 MB are taken for one; bytes behind zeros.
            (zeros: 0, hasSlice: false, filler: 0 as UInt8, most: 2 << 20),
            (zeros: 0, hasSlice: true, filler: 0x5A, most: 40 << 20),
            (zeros: 100_000, hasSlice: false, filler: 0xA5, most: 2 << 20),
        ])
    func floods(_ flood: (zeros: Int, hasSlice: Bool, filler: UInt8, most: Int)) throws {
        let head =
            [UInt8](repeating: 0, count: flood.zeros)
            + (flood.hasSlice ? [0, 0, 1, 0x41, 0x9A] : [])
        let clip = try #require(Checkout.bytes(Checkout.samples + "/baseline.264"))
        let limit = 1 << 20
        let fed = HandFedIndex(retainedByteLimit: limit)
        let (taker, index) = (fed.source, fed.index)
        let taken = Taken()
        Thread.detachNewThread {
            let samples = SampleSource(taker, index: index)
            while let next = try? samples.next() {
                if case .end = next { break }
                if case .sample = next { taken.count.add(1, ordering: .relaxed) }
            }
            taken.isDone.store(true, ordering: .releasing)
        }
        fed.write(clip)
        fed.write(head)
        let block = [UInt8](repeating: flood.filler, count: 1 << 20)
        var kept = 0
        for _ in 0..<96 {
            fed.write(block)
            kept = max(kept, fed.source.keptByteCount)
        }
        #expect(kept < limit + flood.most + (8 << 20), "\(kept)")
        fed.write(clip)
        fed.end()
        while !taken.isDone.load(ordering: .acquiring) { usleep(5000) }
        #expect(fed.index.summary.count >= 200)
        #expect(taken.count.load(ordering: .relaxed) >= 200)
    }

    @Test func `what comes before the first random access point is passed, not kept`() throws {
        let clip = try #require(Checkout.bytes(Checkout.samples + "/baseline.264"))
        let file = Streams.index(ScriptedByteSource(clip))
        let first = try #require(file.entry(decodeRank: 1)).offset
        let second = try #require(file.entry(decodeRank: 50)).offset
        // Parameter sets and a picture that is lost: an IDR picture's slices become P slices' orphans.
        let idr = try #require(
            clip.indices.dropLast(4).first {
                clip[$0] == 0 && clip[$0 + 1] == 0 && clip[$0 + 2] == 1 && clip[$0 + 3] & 31 == 5
            })
        let pictures = Array(clip[Int(first)..<Int(second)])
        let limit = 1 << 20
        let fed = HandFedIndex(retainedByteLimit: limit)
        fed.write(clip[..<idr])
        var kept = 0
        for _ in 0..<(12 << 20) / pictures.count {
            fed.write(pictures)
            kept = max(kept, fed.source.keptByteCount)
        }
        #expect(kept < limit + (2 << 20), "\(kept)")
        fed.write(clip)
        fed.end()
        // Nobody takes anything before there is something to show.
        let deadline = ContinuousClock.now + .seconds(30)
        while fed.index.firstShownRank == nil, ContinuousClock.now < deadline { usleep(5000) }
        #expect(fed.index.firstShownRank != nil)
    }

    private final class Taken: Sendable {
        let count = Atomic(0)
        let isDone = Atomic(false)
    }

    @Test(
        "The index of a pipe is that of the file, wherever its writer pauses",
        arguments: Clip.samples.filter { $0.name != "showpiece.264" })
    func exact(_ clip: Clip) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let source = try openByteSource(path: clip.path)
        let index = StreamIndex(byteCount: source.byteCount)
        StreamIndexer.fill(index, from: source, options: .init()) {}
        let fed = HandFedIndex()
        // Somebody has to take what comes.
        let (taker, takerIndex) = (fed.source, fed.index)
        let taken = Thread {
            let samples = SampleSource(taker, index: takerIndex)
            while let next = try? samples.next() {
                if case .end = next { return }
            }
        }
        taken.start()
        var random = SystemRandomNumberGenerator()
        var place = 0
        while place < bytes.count {
            let end = min(bytes.count, place + Int.random(in: 1...bytes.count / 12, using: &random))
            fed.write(bytes[place..<end])
            place = end
            usleep(UInt32.random(in: 10_000...60_000, using: &random))
        }
        fed.end()
        #expect(!fed.index.wait { _ in false })
        let expected = (0..<index.summary.count).map {
            String(describing: index.entry(decodeRank: $0))
        }
        #expect(fed.entries == expected)
    }
}
