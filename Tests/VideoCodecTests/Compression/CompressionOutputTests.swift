import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import TestSupport
import Testing
import VideoCodec

/// What samples are like: E-7 to E-14.
@Suite("Compression session: samples", .timeLimit(.minutes(Checkout.patience(10))))
struct CompressionOutputTests {
    @Test func `E-7 samples are NAL units behind lengths, their parameter sets in the description`()
        throws
    {
        let samples = try compress(count: 40)
        for sample in samples {
            #expect(sample.numSamples == 1)
            #expect(sample.dataReadiness == .ready)
            let bytes = sample.bytes
            #expect(sample.totalSampleSize == bytes.count)
            #expect(sample.sampleSize(at: 0) == bytes.count)
            let ranges = try AVCC.nalUnitRanges(in: bytes, lengthByteCount: 4)
            #expect(ranges.reduce(0) { $0 + 4 + $1.count } == bytes.count)
            let types = sample.nalUnitTypes
            #expect(types.contains { $0 == 1 || $0 == 5 })
            #expect(types.allSatisfy { [1, 5, 6].contains($0) })
            #expect(sample.formatDescription === samples[0].formatDescription)
        }
        let description = try #require(samples[0].formatDescription)
        #expect(description.parameterSets.map { $0[0] & 0x1F } == [7, 8])
        #expect(description.nalUnitHeaderLength == 4)
        #expect(description.avcDecoderConfiguration?.first == 1)
        #expect(description.dimensions == CMVideoDimensions(width: 176, height: 144))
        // libx264 says what it is in an SEI before the first slice.
        #expect(samples[0].nalUnitTypes.first == 6)
    }

    @Test func `E-7 the description changes with the parameter sets, and only then`() throws {
        let samples = try compress(count: 60) { session in
            session.allowFrameReordering = false
        } before: { number, session in
            if number == 20 { session.completeFrames() }
            if number == 40 { session.profileLevel = .h264BaselineAutoLevel }
        }
        let descriptions = samples.map(\.formatDescription)
        #expect(descriptions[..<40].allSatisfy { $0 === descriptions[0] })
        #expect(descriptions[40...].allSatisfy { $0 === descriptions[40] })
        #expect(descriptions[0] != descriptions[40])
        #expect(samples[40].sequenceParameterSet?.profileIDC == 66)
        #expect(samples.indices.filter { samples[$0].isKeyFrame } == [0, 20, 40])
    }

    @Test func `E-8 attachments tell key frames and pictures that nobody needs`() throws {
        let samples = try compress(count: 60, forced: [30])
        #expect(samples[0].isKeyFrame)
        var unneeded = 0
        for sample in samples {
            let attachments = sample.sampleAttachments[0]
            if sample.hasIDR {
                #expect(attachments[.notSync] == nil)
                #expect(attachments[.dependsOnOthers] == false)
            } else {
                #expect(attachments[.notSync] == true)
                #expect(attachments[.dependsOnOthers] == true)
            }
            let bytes = sample.bytes
            let slice = try AVCC.nalUnitRanges(in: bytes).map { bytes[$0.lowerBound] }
                .first { [1, 5].contains($0 & 0x1F) }
            let isReference = (slice ?? 0) >> 5 != 0
            #expect(attachments[.isDependedOnByOthers] == (isReference ? nil : false))
            if !isReference { unneeded += 1 }
        }
        #expect(unneeded > 5, "B pictures that are no references")
        #expect(samples.filter(\.hasIDR).count == 2)
    }

    @Test func `E-9 times are those that were given, in their timescale`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        var given: [CMTime: CMTime] = [:]
        let scales: [Int32] = [600, 25, 90000, 1000]
        for number in 0..<24 {
            let scale = scales[number % 4]
            let time = CMTime(
                value: Int64(number + 100) * Int64(scale) / 25 + 1, timescale: scale)
            let duration = number % 3 == 0 ? CMTime.invalid : CMTime(value: 1, timescale: 25)
            given[time] = duration
            let status = session.encodeFrame(
                try Reel().picture(number), presentationTimeStamp: time, duration: duration)
            #expect(status == noErr || time <= (given.keys.max() ?? .zero))
            if status != noErr { given[time] = nil }
        }
        session.completeFrames()
        #expect(collector.samples.count == given.count)
        for sample in collector.samples {
            let time = sample.presentationTimeStamp
            let duration = try #require(given[time])
            #expect(sample.duration == duration)
            #expect(
                given.keys.contains { $0.value == time.value && $0.timescale == time.timescale })
        }
    }

    @Test func `E-9 without reordering there is no decode time stamp`() throws {
        let samples = try compress(count: 30) { $0.allowFrameReordering = false }
        #expect(samples.allSatisfy { !$0.decodeTimeStamp.isValid })
        #expect(samples.map(\.presentationTimeStamp.value) == Array(0..<30))
    }

    @Test(arguments: [-1, 3, 4, 5, 8])
    func `E-9 with reordering decode time stamps grow and are never late`(delay: Int) throws {
        let samples = try compress(count: 90, forced: [31]) { session in
            session.maxFrameDelayCount = delay
        } before: { number, session in
            // Flushes: one in the middle of a group, one right after another.
            if [40, 41, 43, 60].contains(number) { session.completeFrames() }
        }
        #expect(samples.count == 90)
        var last = CMTime.negativeInfinity
        for sample in samples {
            #expect(sample.decodeTimeStamp.isNumeric)
            #expect(sample.decodeTimeStamp > last)
            #expect(sample.decodeTimeStamp <= sample.presentationTimeStamp)
            last = sample.decodeTimeStamp
        }
        // At an even rate the line is even, also over flushes.
        let decodeTimes = samples.map(\.decodeTimeStamp)
        for (first, second) in zip(decodeTimes, decodeTimes.dropFirst()) {
            #expect(second - first == CMTime(value: 1, timescale: 25))
        }
    }

    @Test func `E-9 decode time stamps at an uneven rate`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        var time: Int64 = 0
        for number in 0..<80 {
            // Ticks of 1: between two of them there is nothing in that timescale.
            time += [1, 1, 1, 9, 2][number % 5]
            if [20, 21, 50].contains(number) { session.completeFrames() }
            session.encodeFrame(
                try Reel().picture(number),
                presentationTimeStamp: CMTime(value: time, timescale: 100))
        }
        session.completeFrames()
        var last = CMTime.negativeInfinity
        for sample in collector.samples {
            #expect(sample.decodeTimeStamp > last)
            #expect(sample.decodeTimeStamp <= sample.presentationTimeStamp)
            last = sample.decodeTimeStamp
        }
        #expect(collector.samples.count == 80)
    }

    @Test func `E-10 completing gives all, or all up to a time`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        func time(_ number: Int) -> CMTime { CMTime(value: Int64(number), timescale: 25) }
        func encode(_ range: Range<Int>) throws {
            for number in range {
                session.encodeFrame(
                    try Reel().picture(number), presentationTimeStamp: time(number))
            }
        }
        try encode(0..<20)
        #expect(session.completeFrames(untilPresentationTimeStamp: time(7)) == noErr)
        let out = collector.samples.map(\.presentationTimeStamp)
        #expect((0...7).allSatisfy { out.contains(time($0)) })
        try encode(20..<30)
        let before = collector.samples.count
        session.completeFrames(untilPresentationTimeStamp: time(19))
        #expect(collector.samples.count == before, "nothing up to then is in the encoder")
        session.completeFrames(untilPresentationTimeStamp: .indefinite)
        #expect(collector.samples.count == 30)
        #expect(session.completeFrames() == noErr)
        try encode(30..<40)
        session.completeFrames(untilPresentationTimeStamp: .positiveInfinity)
        #expect(collector.samples.count == 40)
        let keys = collector.samples.filter(\.isKeyFrame).map(\.presentationTimeStamp)
        #expect(keys == [time(0), time(20), time(30)])
        #expect(try decode(collector.samples).count == 40)
    }

    @Test(arguments: [true, false])
    func `E-11 key frames are exactly where they are forced`(reorders: Bool) throws {
        let forced: Set = [7, 8, 23, 24, 41, 59]
        let samples = try compress(count: 60, forced: forced) { $0.allowFrameReordering = reorders }
        let keys = samples.filter(\.isKeyFrame).map { Int($0.presentationTimeStamp.value) }
        #expect(keys == [0, 7, 8, 23, 24, 41, 59])
        #expect(samples.filter(\.hasIDR).map { Int($0.presentationTimeStamp.value) } == keys)
        // Each is shown after all that come before it, and before all after.
        for index in samples.indices where samples[index].isKeyFrame {
            let time = samples[index].presentationTimeStamp
            #expect(samples[..<index].allSatisfy { $0.presentationTimeStamp < time })
            #expect(samples[index...].dropFirst().allSatisfy { $0.presentationTimeStamp > time })
        }
    }

    @Test(arguments: [1, 2, 7, 25], [true, false])
    func `E-11 at most so many pictures from one key frame to the next`(
        interval: Int, reorders: Bool
    ) throws {
        let samples = try compress(count: 60, forced: interval > 2 ? [3] : []) { session in
            session.maxKeyFrameInterval = interval
            session.allowFrameReordering = reorders
        }
        let keys = samples.indices.filter { samples[$0].isKeyFrame }
        let start = interval > 2 ? [0] + Array(stride(from: 3, to: 60, by: interval)) : nil
        #expect(keys == start ?? Array(stride(from: 0, to: 60, by: interval)))
    }

    @Test func `E-11 the limit in seconds holds beside that in pictures`() throws {
        func keys(_ configure: (VTCompressionSession) -> Void) throws -> [Int] {
            try compress(count: 60, configure).filter(\.isKeyFrame)
                .map { Int($0.presentationTimeStamp.value) }
        }
        #expect(try keys { $0.maxKeyFrameIntervalDuration = 1 } == [0, 25, 50])
        // Half a second is twelve and a half pictures: twelve.
        #expect(try keys { $0.maxKeyFrameIntervalDuration = 0.5 } == [0, 12, 24, 36, 48])
        let both = try keys { session in
            session.maxKeyFrameIntervalDuration = 1
            session.maxKeyFrameInterval = 20
        }
        #expect(both == [0, 20, 40])
        #expect(try keys { $0.allowTemporalCompression = false } == Array(0..<60))
        #expect(try keys { _ in } == [0])
    }

    @Test(arguments: [false, true])
    func `E-12 rates count presentation time: a millisecond a picture starves the encoder`(
        isRealTime: Bool
    ) throws {
        func size(timescale: Int32) throws -> Int {
            try compress(count: 72, timescale: timescale, hasDurations: false) { session in
                session.expectedFrameRate = 24
                session.averageBitRate = 400_000
                session.allowFrameReordering = false
                session.realTime = isRealTime
            }.dropFirst().reduce(0) { $0 + $1.totalSampleSize }
        }
        #expect(try size(timescale: 1000) * 3 < size(timescale: 24))
    }

    @Test func `E-13 limits are bytes in seconds, over any stretch of decode time`() throws {
        let reel = Reel()
        func windows(_ limits: [Double]) throws -> (largest: [Int], total: Int) {
            let samples = try compress(reel, count: 150) { session in
                session.quality = 0.9
                #expect(session.setProperty(.dataRateLimits, to: limits) == noErr)
            }
            let largest = stride(from: 0, to: limits.count, by: 2).map { index in
                let length = Int(limits[index + 1] * 25)
                return (0...samples.count - length).map { start in
                    samples[start..<start + length].reduce(0) { $0 + $1.totalSampleSize }
                }.max() ?? 0
            }
            return (largest, samples.reduce(0) { $0 + $1.totalSampleSize })
        }
        let one = try windows([20_000, 1])
        #expect(one.largest[0] <= 20_000)
        // Bytes, not bits: six seconds come near to three quarters of the limit.
        #expect(one.total > 6 * 20_000 / 2)
        let two = try windows([20_000, 1, 30_000, 2])
        #expect(two.largest[0] <= 20_000 && two.largest[1] <= 30_000)
    }

    @Test func `E-13 an odd count or a value that is not positive is refused`() throws {
        let session = try VTCompressionSession(width: 64, height: 48) { _, _, _ in }
        let bad: [[any Sendable]] = [
            [1000], [1000, 1, 500], [0, 1], [1000, 0], [-1, 1], [1000, -1.0],
            [1, 1, 1, 1, 1, 1], ["a", 1],
        ]
        for limits in bad {
            #expect(session.setProperty(.dataRateLimits, to: limits) == -12902)
        }
        #expect(session.setProperty(.dataRateLimits, to: 1000) == -12902)
        #expect(session.dataRateLimits.isEmpty)
        #expect(session.setProperty(.dataRateLimits, to: [1_500_000, 1]) == noErr)
        #expect(session.dataRateLimits == [try VTDataRateLimit(byteCount: 1_500_000, seconds: 1)])
        #expect(session.setProperty(.dataRateLimits, to: [1000, 0.5, 3000, 2]) == noErr)
        #expect(try session.property(.dataRateLimits) as? [Double] == [1000, 0.5, 3000, 2])
        #expect(session.setProperty(.dataRateLimits, to: nil) == noErr)
        #expect(session.dataRateLimits.isEmpty)
        #expect(throws: VTError.parameter) { try VTDataRateLimit(byteCount: 0, seconds: 1) }
    }

    @Test func `E-14 Baseline has no B pictures and no CABAC, whatever else is set`() throws {
        for profile in ["H264_Baseline_AutoLevel", "H264_ConstrainedBaseline_3_0"] {
            let samples = try compress(count: 40) { session in
                session.setProperty(.profileLevel, to: profile)
                session.allowFrameReordering = true
                session.h264EntropyMode = .cabac
            }
            #expect(samples.map(\.presentationTimeStamp.value) == Array(0..<40))
            #expect(samples.allSatisfy { !$0.decodeTimeStamp.isValid })
            let sets = try #require(samples[0].formatDescription?.parameterSets)
            let sps = try SequenceParameterSet(nalUnit: sets[0])
            #expect(sps.profileIDC == 66)
            #expect(sps.constraintFlags & 0x40 != 0, "constraint_set1_flag: Constrained Baseline")
            #expect(try !usesCABAC(sets))
            #expect(sps.levelIDC == (profile.hasSuffix("3_0") ? 30 : sps.levelIDC))
            #expect(try decode(samples).count == 40)
        }
    }

    private func usesCABAC(_ sets: [[UInt8]]) throws -> Bool {
        let sps = try SequenceParameterSet(nalUnit: sets[0])
        return try PictureParameterSet(nalUnit: sets[1], sequenceParameterSet: sps)
            .isCABAC
    }
}
