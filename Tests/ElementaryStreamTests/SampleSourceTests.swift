import ElementaryStream
import Foundation
import MediaTime
import SampleBuffers
import StreamSynthesis
import TestSupport
import Testing

@Suite("Sample source", .timeLimit(.minutes(Checkout.patience(5))))
struct SampleSourceTests {
    private struct Fed {
        var token: Int
        var time: CMTime
        var decodeTime: CMTime
        var isDisplayed: Bool
        var isSync: Bool
        var isPartialSync: Bool
        var data: [UInt8]
        var width: Int32
    }

    private func fed(_ sample: CMSampleBuffer) throws -> Fed {
        let attachments = sample.sampleAttachments[0]
        return Fed(
            token: Int(try #require(attachments[.token])), time: sample.presentationTimeStamp,
            decodeTime: sample.decodeTimeStamp,
            isDisplayed: !(attachments[.doNotDisplay] ?? false),
            isSync: !(attachments[.notSync] ?? false),
            isPartialSync: attachments[.partialSync] ?? false,
            data: try #require(sample.dataBuffer).dataBytes(),
            width: sample.formatDescription?.dimensions.width ?? 0)
    }

    /// What comes until the picture `target` has come, or the end.
    private func feed(_ samples: SampleSource, until target: Int? = nil, _ index: StreamIndex)
        throws
        -> [Fed]
    {
        var result: [Fed] = []
        while case .sample(let sample) = try samples.next() {
            let one = try fed(sample)
            result.append(one)
            if let target,
                index.entry(decodeRank: one.token).map({ Int($0.presentationRank) }) == target
            {
                break
            }
        }
        return result
    }

    private func ticks(_ time: CMTime, _ index: StreamIndex) -> Int64 {
        time.convertScale(index.summary.rate.timescale, method: .default).value
    }

    @Test(arguments: Streams.clips)
    func `from the start every picture comes, once, at its time`(_ clip: Clip) throws {
        let source = ScriptedByteSource(try #require(Checkout.bytes(clip.path)))
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        let all = try feed(samples, index)
        #expect(all.map(\.token) == Array(0..<index.summary.count))
        for one in all {
            let entry = try #require(index.entry(decodeRank: one.token))
            #expect(ticks(one.time, index) == entry.presentationTicks)
            #expect(one.decodeTime <= one.time)
            #expect(one.isDisplayed == entry.isShown)
            #expect(one.isSync == entry.isIDR)
        }
    }

    @Test(arguments: Clip.samples)
    func `any picture can be gone to`(_ clip: Clip) throws {
        let source = ScriptedByteSource(try #require(Checkout.bytes(clip.path)))
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        let all = try feed(SampleSource(source, index: index), index)
        let count = index.summary.count
        var random = SplitMix(seed: 1)
        for target in (0..<count).shuffled(using: &random) {
            let (_, entry) = try #require(index.entry(presentationRank: target))
            let time = samples.seek(toPresentationRank: target)
            #expect(time.map { ticks($0, index) } == entry.presentationTicks)
            let fed = try feed(samples, until: target, index)
            let first = try #require(fed.first)
            let firstEntry = try #require(index.entry(decodeRank: first.token))
            #expect(first.isSync || first.isPartialSync || first.token == 0)
            #expect(firstEntry.isRandomAccessPoint || first.token == 0)
            #expect(fed.map(\.token) == Array(first.token..<first.token + fed.count))
            for one in fed.dropLast() {
                let rank = try #require(index.entry(decodeRank: one.token)).presentationRank
                if rank < UInt32(target) {
                    #expect(!one.isDisplayed, "\(rank) before \(target)")
                }
            }
            let last = try #require(fed.last)
            #expect(last.isDisplayed == entry.isShown, "\(target)")
            // The same sample as from the start: bytes, format and time.
            for one in fed {
                #expect(one.data == all[one.token].data)
                #expect(one.width == all[one.token].width)
                #expect(one.time == all[one.token].time)
            }
        }
    }

    @Test(
        .enabled(if: Clip.hasStreams),
        arguments: Clip.streams.filter { !$0.name.hasSuffix(".h265") && $0.digests != nil })
    func `pictures of real streams can be gone to`(_ clip: Clip) throws {
        let source = ScriptedByteSource(try #require(Checkout.bytes(clip.path)))
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        let all = try feed(SampleSource(source, index: index), index)
        var random = SplitMix(seed: 2)
        for _ in 0..<8 {
            let target = Int.random(in: 0..<index.summary.count, using: &random)
            samples.seek(toPresentationRank: target)
            let fed = try feed(samples, until: target, index)
            #expect(fed.last.map(\.token) == index.entry(presentationRank: target)?.decodeRank)
            for one in fed { #expect(one.data == all[one.token].data) }
        }
    }

    @Test func `it ends after a picture`() throws {
        for clip in Clip.samples where clip.name != "showpiece.264" {
            let source = ScriptedByteSource(try #require(Checkout.bytes(clip.path)))
            let index = Streams.index(source)
            let count = index.summary.count
            for last in [0, 1, 7, count / 2, count - 1, count + 5] {
                let samples = SampleSource(source, index: index)
                samples.end(after: last)
                let all = try feed(samples, index)
                let displayed = all.filter(\.isDisplayed).compactMap {
                    index.entry(decodeRank: $0.token).map { Int($0.presentationRank) }
                }
                #expect(displayed.sorted() == Array(0...min(last, count - 1)), "\(clip) \(last)")
                #expect(all.count <= last + 20, "little more than needed is decoded")
                guard case .end = try samples.next() else {
                    Issue.record("not at the end")
                    continue
                }
            }
        }
    }

    @Test func `an end can be moved`() throws {
        let source = ScriptedByteSource(Streams.simple(gops: 4, length: 8).bytes())
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        samples.end(after: 3)
        #expect(try feed(samples, index).filter(\.isDisplayed).count == 4)
        samples.end(after: 10)
        samples.seek(toPresentationRank: 2)
        #expect(try feed(samples, index).filter(\.isDisplayed).map(\.token) == Array(2...10))
    }

    @Test func `where there is no such picture nothing changes`() throws {
        let source = ScriptedByteSource(Streams.simple(gops: 1, length: 8).bytes())
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        #expect(samples.seek(toPresentationRank: 8) == nil)
        #expect(samples.seek(toPresentationRank: -1) == nil)
        #expect(try feed(samples, index).map(\.token) == Array(0..<8))
    }

    @Test func `a picture parameter set in force in mid-stream is in force after a seek`() throws {
        let sequence = Streams.sequence(reorder: 0)
        var writer = StreamWriter(sequence)
        for number in 0..<24 {
            if number == 8 {
                var set = PictureParameters(sequence: sequence)
                set.initialQP = 30
                writer.write(set)
            }
            let isIDR = number % 8 == 0
            writer.frame(Streams.picture(number), PictureOptions(isIDR ? .i : .p, isIDR: isIDR))
        }
        let source = ScriptedByteSource(writer.bytes())
        let index = Streams.index(source)
        let all = try feed(SampleSource(source, index: index), index)
        let samples = SampleSource(source, index: index)
        for target in [20, 3, 17, 12, 0, 23] {
            samples.seek(toPresentationRank: target)
            let fed = try feed(samples, until: target, index)
            #expect(fed.first?.token == target / 8 * 8)
            for one in fed { #expect(one.data == all[one.token].data) }
        }
    }

    @Test func `an interruption that comes before the wait is not lost`() throws {
        // A pipe whose writer is silent: a seek must get through to the reader at any moment.
        let index = StreamIndex(byteCount: nil)
        let samples = SampleSource(ScriptedByteSource([], isPipe: true), index: index)
        index.interrupt()
        guard case .interrupted = try samples.next() else {
            Issue.record("not interrupted")
            return
        }
    }

    @Test func `what comes before a seek is released`() throws {
        let source = ScriptedByteSource(Streams.simple(gops: 3, length: 8).bytes(), isPipe: true)
        let index = Streams.index(source)
        let samples = SampleSource(source, index: index)
        _ = try feed(samples, until: 20, index)
        #expect(source.record.released == index.entry(decodeRank: 20)?.offset)
    }

    @Test func `what reading fails with is thrown`() throws {
        let bytes = Streams.simple(gops: 4, length: 8).bytes()
        let index = Streams.index(ScriptedByteSource(bytes))
        let error = StreamError.system(call: "pread", errno: 5)
        let samples = SampleSource(
            ScriptedByteSource(
                bytes, failure: (Int64(bytes.count / 2), error), piece: { _ in 500 }),
            index: index)
        #expect(throws: error) { while case .sample = try samples.next() {} }
    }
}
