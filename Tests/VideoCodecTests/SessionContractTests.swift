import Dispatch
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import Synchronization
import Testing
import VideoCodec

/// Creation, order and number of callbacks: D-1 to D-6.
@Suite("Decompression session: the contract of calls")
struct SessionContractTests {
    @Test func `D-1 only H.264 with parameter sets can be decoded`() throws {
        let hevc = try CMFormatDescription(videoCodecType: .hevc, width: 64, height: 48)
        #expect(throws: VTError.couldNotFindVideoDecoder) {
            try VTDecompressionSession(formatDescription: hevc)
        }
        let bare = try CMFormatDescription(videoCodecType: .h264, width: 64, height: 48)
        #expect(throws: VTError.unsupportedDataFormat) {
            try VTDecompressionSession(formatDescription: bare)
        }
        let good = Synthesis.simple(1).units[0].format
        var specification = VTDecompressionSession.Specification()
        specification.requiresHardwareAcceleration = true
        #expect(throws: VTError.couldNotFindVideoDecoder) {
            try VTDecompressionSession(formatDescription: good, specification: specification)
        }
        #expect(VTError.couldNotFindVideoDecoder.status == -12906)
        #expect(VTError.unsupportedDataFormat.status == -12910)
    }

    @Test func `D-1 the form of the call must be that of the session`() throws {
        let stream = Synthesis.simple(1)
        let (own, given) = (Collector(), Collector())
        let with = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: own.handler)
        let without = try VTDecompressionSession(formatDescription: stream.units[0].format)
        let sample = try stream.sample(0)
        #expect(with.decodeFrame(sample, outputHandler: given.handler) == -12902)
        #expect(without.decodeFrame(sample) == -12902)
        #expect(own.entries.isEmpty && given.entries.isEmpty)
        #expect(with.decodeFrame(sample) == noErr)
        #expect(without.decodeFrame(sample, outputHandler: given.handler) == noErr)
        #expect(own.entries.count == 1 && given.entries.count == 1)
        let seen = Mutex(0)
        let status = without.decodeFrame(sample) { status, _, image, _, _ in
            #expect(status == noErr && image != nil)
            seen.withLock { $0 += 1 }
        }
        #expect(status == noErr)
        #expect(seen.withLock { $0 } == 1)
    }

    @Test func `D-2 without flags the callback has run before the call returns`() throws {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        for index in stream.units.indices {
            var flags: VTDecodeInfoFlags = .frameDropped
            #expect(session.decodeFrame(try stream.sample(index), infoFlagsOut: &flags) == noErr)
            #expect(collector.entries.count == index + 1)
            #expect(flags == [])
        }
    }

    @Test func `D-2 asynchronous calls say so and callbacks never overlap`() throws {
        let (stream, _) = Synthesis.pyramid(groups: 8, saying: nil)
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let count = Atomic(0)
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) { _ in
            if inside.add(1, ordering: .relaxed).newValue > 1 {
                overlaps.add(1, ordering: .relaxed)
            }
            usleepish()
            inside.subtract(1, ordering: .relaxed)
            count.add(1, ordering: .relaxed)
        }
        for index in stream.units.indices {
            var flags: VTDecodeInfoFlags = []
            session.decodeFrame(
                try stream.sample(index), flags: .enableAsynchronousDecompression,
                infoFlagsOut: &flags)
            #expect(flags == .asynchronous)
        }
        session.waitForAsynchronousFrames()
        #expect(count.load(ordering: .relaxed) == stream.units.count)
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test func `D-2 a delayed picture makes a temporal call asynchronous`() throws {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        var flags: VTDecodeInfoFlags = []
        session.decodeFrame(
            try stream.sample(0), flags: .enableTemporalProcessing, infoFlagsOut: &flags)
        #expect(flags == .asynchronous && collector.entries.isEmpty)
        session.waitForAsynchronousFrames()
        #expect(collector.entries.count == 1)
    }

    @Test func `D-2 a sample without flags among temporal ones is answered at once`() throws {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        for index in 0..<3 {
            session.decodeFrame(try stream.sample(index), flags: .enableTemporalProcessing)
        }
        session.decodeFrame(try stream.sample(3))
        #expect(Set(collector.entries.map(\.token)) == [0, 1, 2, 3])
    }

    @Test func `D-3 output is in decode order, and in presentation order only when asked`() throws {
        let (stream, pictures) = Synthesis.pyramid(saying: nil)
        let decode = try stream.decode([])
        #expect(decode.map(\.token) == stream.units.indices.map { Int64($0) })
        #expect(zip(decode, decode.dropFirst()).contains { $0.time > $1.time })
        let both: VTDecodeFrameFlags = [
            .enableTemporalProcessing, .enableAsynchronousDecompression,
        ]
        for flags in [.enableTemporalProcessing, both] {
            let shown = try stream.decode(flags, keepsImages: true)
            #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.time < $1.time })
            #expect(
                shown.compactMap { $0.image?.rawBytes } == pictures.map(\.picture.rawBytes))
        }
    }

    @Test func `D-3 the order may change at an IDR picture`() throws {
        let (stream, _) = Synthesis.pyramid(groups: 2, saying: nil)
        let collector = Collector(hashes: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        for flags in [VTDecodeFrameFlags.enableTemporalProcessing, [], .enableTemporalProcessing] {
            for index in stream.units.indices {
                session.decodeFrame(try stream.sample(index), flags: flags)
            }
        }
        session.waitForAsynchronousFrames()
        let count = stream.units.count
        let entries = collector.entries
        try #require(entries.count == 3 * count)
        #expect(entries.allSatisfy { !$0.isDamaged && $0.md5 != nil })
        #expect(entries[count..<2 * count].map(\.token) == (0..<count).map { Int64($0) })
        let sorted = Set(entries.map { "\($0.token ?? -1) \($0.md5 ?? "")" })
        #expect(sorted.count == count)
    }

    @Test func `D-4 each sample of a buffer is answered, with its refcon`() throws {
        let stream = Synthesis.simple(5)
        let payloads = stream.units.map(\.payload)
        let buffer = try CMSampleBuffer(
            dataBuffer: TestStream.blockBuffer(payloads.flatMap(\.self)),
            formatDescription: stream.units[0].format, numSamples: 5,
            sampleTimings: stream.units.indices.map { stream.timing($0) },
            sampleSizes: payloads.map(\.count))
        let frames = Mutex<[VTDecodedFrame]>([])
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) {
            frame in
            frames.withLock { $0.append(frame) }
        }
        let refcon = UnsafeMutableRawPointer(bitPattern: 0x1234)
        #expect(session.decodeFrame(buffer, frameRefcon: refcon) == noErr)
        let seen = frames.withLock { $0 }
        #expect(seen.count == 5)
        #expect(seen.allSatisfy { $0.frameRefcon == refcon && $0.imageBuffer != nil })
        #expect(
            seen.map(\.presentationTimeStamp)
                == stream.units.indices.map { CMTime(value: Int64($0), timescale: 25) })
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `D-4 a sample without picture is answered as dropped`(_ flags: VTDecodeFrameFlags) throws {
        let stream = Synthesis.simple(3)
        let sei: [UInt8] = [0, 0, 0, 5, 0x06, 0x05, 0x01, 0x00, 0x80]
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        session.decodeFrame(try stream.sample(0), flags: flags)
        let sample = try TestStream.sample(payload: sei, format: stream.units[0].format)
        #expect(session.decodeFrame(sample, flags: flags) == noErr)
        session.decodeFrame(try stream.sample(1), flags: flags)
        session.waitForAsynchronousFrames()
        let entries = collector.entries
        #expect(entries.count == 3)
        let dropped = entries.filter { $0.flags.contains(.frameDropped) }
        #expect(dropped.count == 1 && dropped[0].image == nil && dropped[0].status == noErr)
        #expect(entries.filter { $0.image != nil && !$0.isDamaged }.count == 2)
    }

    /// Samples of which libavcodec gives no picture, each for a reason of its own.
    private static let pictureless: [(what: String, payload: [UInt8])] = [
        ("SEI", [0, 0, 0, 5, 0x06, 0x05, 0x01, 0x00, 0x80]),
        ("an access unit delimiter", [0, 0, 0, 2, 0x09, 0x10]),
        ("a broken SPS", [0, 0, 0, 3, 0x67, 0x42, 0x00]),
        ("the end of the stream", [0, 0, 0, 1, 0x0B]),
        ("a slice that ends in its header", [0, 0, 0, 2, 0x65, 0x80]),
        ("a slice of noise", [0, 0, 0, 6, 0x41, 0xFF, 0x13, 0x77, 0x01, 0xFE]),
        ("an unknown type", [0, 0, 0, 3, 0x1F, 0x01, 0x02]),
    ]

    @Test(arguments: pictureless.map(\.what), [0, 1, 3])
    func `D-2 D-4 what gives no picture is answered before the call returns, last or not`(
        _ what: String, _ before: Int
    ) throws {
        let payload = try #require(Self.pictureless.first { $0.what == what }).payload
        let stream = Synthesis.simple(3)
        for flags in [VTDecodeFrameFlags([]), .doNotOutputFrame] {
            let collector = Collector()
            let session = try VTDecompressionSession(
                formatDescription: stream.units[0].format, outputHandler: collector.handler)
            for index in 0..<before { session.decodeFrame(try stream.sample(index), flags: flags) }
            var infos = VTDecodeInfoFlags()
            let sample = try TestStream.sample(payload: payload, format: stream.units[0].format)
            #expect(session.decodeFrame(sample, flags: flags, infoFlagsOut: &infos) == noErr)
            #expect(collector.entries.count == before + 1)
            #expect(!infos.contains(.asynchronous) && session.numberOfFramesBeingDecoded == 0)
        }
    }

    @Test(arguments: pictureless.map(\.what), [0, 1, 3])
    func `D-4 D-13 what gives no picture is answered once all is waited for`(
        _ what: String, _ before: Int
    ) throws {
        let payload = try #require(Self.pictureless.first { $0.what == what }).payload
        let stream = Synthesis.simple(3)
        for flags in [
            VTDecodeFrameFlags.enableTemporalProcessing, .enableAsynchronousDecompression,
            [.enableTemporalProcessing, .enableAsynchronousDecompression],
        ] {
            let collector = Collector()
            let session = try VTDecompressionSession(
                formatDescription: stream.units[0].format, outputHandler: collector.handler)
            for index in 0..<before { session.decodeFrame(try stream.sample(index), flags: flags) }
            let sample = try TestStream.sample(payload: payload, format: stream.units[0].format)
            #expect(session.decodeFrame(sample, flags: flags) == noErr)
            #expect(session.waitForAsynchronousFrames() == noErr)
            #expect(collector.entries.count == before + 1)
            #expect(session.numberOfFramesBeingDecoded == 0)
        }
    }

    @Test func `D-4 nothing is called back for what the call refused, nor for a marker`() throws {
        let stream = Synthesis.simple(1)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        let broken = try TestStream.sample(
            payload: [0, 0, 0, 9, 1], format: stream.units[0].format)
        #expect(session.decodeFrame(broken) != noErr)
        let marker = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: stream.units[0].format, numSamples: 0,
            sampleTimings: [], sampleSizes: [])
        #expect(session.decodeFrame(marker) == noErr)
        #expect(collector.entries.isEmpty && session.numberOfFramesBeingDecoded == 0)
    }

    @Test func `D-4 pictures that never come are answered in the end`() throws {
        // Order counts that go back without an IDR picture: libavcodec drops what comes too late.
        let (stream, _) = Synthesis.pyramid(groups: 3, saying: nil)
        var payloads: [Int: [UInt8]] = [:]
        for index in [6, 7, 8] { payloads[index] = stream.units[index].payload.prefix(6) + [] }
        for index in payloads.keys {
            payloads[index]?[0...3] = [0, 0, 0, 2]
        }
        let entries = try stream.decode(.enableTemporalProcessing, replacing: payloads)
        #expect(entries.count == stream.units.count)
        #expect(Set(entries.map(\.token)).count == stream.units.count)
    }

    @Test func `D-5 callbacks carry the sample's output times`() throws {
        let stream = Synthesis.simple(3)
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        let explicit = try stream.sample(0)
        let time = CMTime(value: 77, timescale: 600)
        try explicit.setOutputPresentationTimeStamp(time)
        session.decodeFrame(explicit)
        var timing = stream.timing(1)
        timing.duration = .invalid
        session.decodeFrame(
            try TestStream.sample(
                payload: stream.units[1].payload, format: stream.units[1].format, timing: timing))
        session.decodeFrame(try stream.sample(2), flags: .doNotOutputFrame)
        let entries = collector.entries
        #expect(entries[0].time == time && entries[0].duration == TestStream.frameDuration)
        #expect(entries[1].time == timing.presentationTimeStamp && !entries[1].duration.isValid)
        #expect(entries[2].image == nil && entries[2].time == CMTime(value: 2, timescale: 25))
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `D-6 a picture that is not put out is decoded all the same`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        let (stream, pictures) = Synthesis.pyramid(saying: nil)
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        for index in stream.units.indices {
            session.decodeFrame(
                try stream.sample(index),
                flags: index < 5 ? flags.union(.doNotOutputFrame) : flags)
        }
        session.waitForAsynchronousFrames()
        for entry in collector.entries {
            let index = try #require(entry.token)
            #expect(entry.status == noErr && !entry.flags.contains(.frameDropped))
            let picture = pictures[stream.units[Int(index)].rank].picture
            #expect(entry.image?.rawBytes == (index < 5 ? nil : picture.rawBytes))
        }
        #expect(collector.entries.count == stream.units.count)
    }
}
