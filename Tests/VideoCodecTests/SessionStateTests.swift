import Dispatch
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import Synchronization
import Testing
import VideoCodec

/// Errors, readiness, formats, the end: D-9 to D-14, D-18.
@Suite("Decompression session: state")
struct SessionStateTests {
    @Test func `D-9 after invalidate every call says so`() throws {
        let stream = Synthesis.simple(1)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        session.invalidate()
        session.invalidate()
        #expect(session.decodeFrame(try stream.sample(0)) == -12903)
        #expect(
            session.decodeFrame(try stream.sample(0), outputHandler: collector.handler) == -12903)
        #expect(session.finishDelayedFrames() == -12903)
        #expect(session.waitForAsynchronousFrames() == -12903)
        #expect(session.discardDelayedFrames() == -12903)
        #expect(session.setProperty(.realTime, to: true) == -12903)
        #expect(throws: VTError.invalidSession) { try session.property(.realTime) }
        #expect(throws: VTError.invalidSession) { try session.copyBlackPixelBuffer() }
        #expect(collector.entries.isEmpty)
    }

    @Test func `D-9 damaged data do not end a session`() throws {
        let stream = Synthesis.simple(4)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        for seed in 0..<20 {
            var noise = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 13) }
            noise[0...4] = [0, 0, 0, 196, seed % 2 == 0 ? 0x65 : 0x41]
            session.decodeFrame(
                try TestStream.sample(payload: noise, format: stream.units[0].format))
        }
        #expect(collector.entries.count == 20)
        #expect(!collector.entries.contains { $0.status == -12911 })
        for index in stream.units.indices { session.decodeFrame(try stream.sample(index)) }
        #expect(collector.entries.suffix(4).allSatisfy { $0.status == noErr && !$0.isDamaged })
    }

    @Test func `D-10 a sample that is not ready is made ready, or refused`() throws {
        let stream = Synthesis.simple(1)
        let unit = stream.units[0]
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: unit.format, outputHandler: collector.handler)
        let never = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: unit.format, numSamples: 1,
            sampleTimings: [stream.timing(0)], sampleSizes: [unit.payload.count]
        ) { _ in -1 }
        #expect(session.decodeFrame(never) == -12733)
        let late = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: unit.format, numSamples: 1,
            sampleTimings: [stream.timing(0)], sampleSizes: [unit.payload.count]
        ) { buffer in
            do {
                try buffer.setDataBuffer(TestStream.blockBuffer(unit.payload))
                return noErr
            } catch {
                return -1
            }
        }
        #expect(session.decodeFrame(late) == noErr)
        #expect(collector.entries.count == 1)
    }

    // MARK: Formats

    private static func format(
        width: Int = 64, height: Int = 48, _ change: (inout SequenceParameters) -> Void = { _ in }
    ) throws -> CMFormatDescription {
        var sequence = SequenceParameters(PictureFormat(width: width, height: height))
        change(&sequence)
        var writer = StreamWriter(sequence)
        writer.idr(TestCard(sequence.format).picture(0))
        return TestStream(bytes: writer.bytes()).units[0].format
    }

    @Test func `D-11 a format that cannot be gone on with is refused without callback`() throws {
        let stream = Synthesis.simple(2)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        session.decodeFrame(try stream.sample(0))
        let other = try Self.format(width: 80)
        let sample = try TestStream.sample(payload: stream.units[1].payload, format: other)
        #expect(session.decodeFrame(sample) == -12916)
        #expect(collector.entries.count == 1)
        session.decodeFrame(try stream.sample(1))
        #expect(collector.entries.last?.isDamaged == false)
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `D-11 D-19 d: the sample's format governs and references survive a change`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        // Entropy coding changes with the picture parameter set, in the middle of a group.
        let sequence = SequenceParameters(Synthesis.format)
        var set = PictureParameters(sequence: sequence)
        var writer = StreamWriter(sequence, pictureParameters: [set])
        writer.idr(Synthesis.card(0))
        writer.p(Synthesis.card(1))
        for number in 2..<6 {
            set.initialQP = 20 + number
            writer.write(set)
            writer.p(Synthesis.card(number))
        }
        let stream = TestStream(bytes: writer.bytes())
        #expect(Set(stream.units.map { ObjectIdentifier($0.format) }).count == 5)
        for threadCount in [1, 3] {
            let entries = try stream.decode(flags, keepsImages: true, threadCount: threadCount)
            #expect(entries.allSatisfy { !$0.isDamaged })
            #expect(
                entries.map { $0.image?.rawBytes }
                    == writer.presentedPictures.map(\.picture.rawBytes))
        }
    }

    @Test func `D-12 what a session can go on with`() throws {
        let session = try VTDecompressionSession(formatDescription: Self.format())
        #expect(session.canAccept(try Self.format()))
        #expect(session.canAccept(try Self.format { $0.levelIDC = 31 }))
        #expect(session.canAccept(try Self.format { $0.maxReferenceFrames = 3 }))
        #expect(
            session.canAccept(
                try Self.format {
                    $0.usability = VideoUsability(timing: .init(unitsInTick: 1, timeScale: 60))
                }))
        #expect(!session.canAccept(try Self.format(width: 80)))
        #expect(!session.canAccept(try Self.format(height: 64)))
        #expect(!session.canAccept(try Self.format { $0.profileIDC = 100 }))
        #expect(!session.canAccept(try Self.format { $0.format.chroma = .yuv422 }))
        #expect(!session.canAccept(try Self.format { $0.format.bitDepthLuma = 10 }))
        let hevc = try CMFormatDescription(videoCodecType: .hevc, width: 64, height: 48)
        #expect(!session.canAccept(hevc))
    }

    // MARK: The end

    @Test func `D-13 finishing gives what is delayed and waiting has everything called back`()
        throws
    {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        for flags in [
            VTDecodeFrameFlags.enableTemporalProcessing,
            [.enableTemporalProcessing, .enableAsynchronousDecompression],
            .enableAsynchronousDecompression,
        ] {
            let collector = Collector()
            let session = try VTDecompressionSession(
                formatDescription: stream.units[0].format, outputHandler: collector.handler)
            for index in stream.units.indices {
                session.decodeFrame(try stream.sample(index), flags: flags)
            }
            #expect(session.finishDelayedFrames() == noErr)
            #expect(session.waitForAsynchronousFrames() == noErr)
            #expect(collector.entries.count == stream.units.count)
            #expect(session.numberOfFramesBeingDecoded == 0)
            // And on it goes at the next IDR picture.
            for index in 0..<3 { session.decodeFrame(try stream.sample(index), flags: flags) }
            session.waitForAsynchronousFrames()
            #expect(collector.entries.count == stream.units.count + 3)
            #expect(collector.entries.allSatisfy { !$0.isDamaged })
        }
    }

    @Test(arguments: [
        VTDecodeFrameFlags([]), .enableTemporalProcessing, .enableAsynchronousDecompression,
    ])
    func `D-13 every call may be made from a callback`(_ flags: VTDecodeFrameFlags) throws {
        let stream = Synthesis.simple(12)
        let calls = Mutex<[Int64]>([])
        let box = Mutex<VTDecompressionSession?>(nil)
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) {
            frame in
            calls.withLock { $0.append(frame.token ?? -1) }
            guard let session = box.withLock({ $0 }) else { return }
            #expect(session.waitForAsynchronousFrames() == noErr)
            #expect(session.finishDelayedFrames() == noErr)
            #expect(session.canAccept(stream.units[0].format))
            #expect(session.setProperty(.outputPoolRequestedMinimumBufferCount, to: 2) == noErr)
        }
        box.withLock { $0 = session }
        for index in stream.units.indices {
            session.decodeFrame(try stream.sample(index), flags: flags)
        }
        session.waitForAsynchronousFrames()
        box.withLock { $0 = nil }
        session.waitForAsynchronousFrames()
        #expect(calls.withLock { $0.count } == stream.units.count)
    }

    @Test(arguments: [
        VTDecodeFrameFlags([]), .enableTemporalProcessing, .enableAsynchronousDecompression,
    ])
    func `D-13 decoding from a callback gives every sample once`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        let stream = Synthesis.simple(9)
        let samples = try stream.units.indices.map { try stream.sample($0) }
        let tokens = Mutex<[Int64]>([])
        let next = Mutex(1)
        let box = Mutex<VTDecompressionSession?>(nil)
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) {
            frame in
            tokens.withLock { $0.append(frame.token ?? -1) }
            let index = next.withLock { next in
                next += 1
                return next - 1
            }
            guard index < samples.count else { return }
            box.withLock { $0 }?.decodeFrame(samples[index], flags: flags)
        }
        box.withLock { $0 = session }
        session.decodeFrame(samples[0], flags: flags)
        for _ in 0..<20 where tokens.withLock({ $0.count }) < samples.count {
            session.waitForAsynchronousFrames()
        }
        box.withLock { $0 = nil }
        #expect(tokens.withLock { $0.sorted() } == (0..<9).map { Int64($0) })
    }

    @Test func `D-13 finishing from a callback gives what is delayed later`() throws {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        let box = Mutex<VTDecompressionSession?>(nil)
        let count = Atomic(0)
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) { _ in
            count.add(1, ordering: .relaxed)
            box.withLock { $0 }?.finishDelayedFrames()
        }
        box.withLock { $0 = session }
        for index in stream.units.indices {
            session.decodeFrame(try stream.sample(index), flags: .enableTemporalProcessing)
        }
        session.waitForAsynchronousFrames()
        box.withLock { $0 = nil }
        #expect(count.load(ordering: .relaxed) == stream.units.count)
    }

    @Test(arguments: [
        VTDecodeFrameFlags.enableTemporalProcessing, .enableAsynchronousDecompression,
    ])
    func `D-14 invalidating discards what is not called back`(_ flags: VTDecodeFrameFlags) throws {
        let (stream, _) = Synthesis.pyramid(groups: 10, saying: nil)
        let collector = Collector()
        // Each callback takes its time, so that some are left when the session ends, however fast the machine decodes.
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) {
            (frame: VTDecodedFrame) in
            collector.handler(frame)
            for _ in 0..<20 { usleepish() }
        }
        for index in stream.units.indices {
            session.decodeFrame(try stream.sample(index), flags: flags)
        }
        session.invalidate()
        let count = collector.entries.count
        usleepish()
        #expect(collector.entries.count == count)
        #expect(count < stream.units.count)
    }

    @Test(arguments: [
        VTDecodeFrameFlags([]), .enableTemporalProcessing, .enableAsynchronousDecompression,
    ])
    func `D-14 invalidating from a callback ends them`(_ flags: VTDecodeFrameFlags) throws {
        let (stream, _) = Synthesis.pyramid(groups: 3, saying: nil)
        let box = Mutex<VTDecompressionSession?>(nil)
        let count = Atomic(0)
        let session = try VTDecompressionSession(formatDescription: stream.units[0].format) { _ in
            if count.add(1, ordering: .relaxed).newValue == 2 {
                box.withLock { $0.take() }?.invalidate()
            }
        }
        box.withLock { $0 = session }
        for index in stream.units.indices {
            session.decodeFrame(try stream.sample(index), flags: flags)
        }
        session.waitForAsynchronousFrames()
        session.invalidate()
        #expect(count.load(ordering: .relaxed) == 2)
    }

    @Test(arguments: [
        VTDecodeFrameFlags.enableTemporalProcessing, .enableAsynchronousDecompression,
    ])
    func `D-14 a session goes with its last reference`(_ flags: VTDecodeFrameFlags) throws {
        let (stream, _) = Synthesis.pyramid(groups: 2, saying: nil)
        let collector = Collector()
        weak var gone: VTDecompressionSession?
        do {
            let session = try VTDecompressionSession(
                formatDescription: stream.units[0].format, outputHandler: collector.handler)
            gone = session
            for index in stream.units.indices {
                session.decodeFrame(try stream.sample(index), flags: flags)
            }
        }
        for _ in 0..<2000 where gone != nil { usleepish() }
        #expect(gone == nil)
    }

    @Test func `discarding answers as dropped and starts anew`() throws {
        let (stream, _) = Synthesis.pyramid(saying: nil)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        for index in 0..<4 {
            session.decodeFrame(try stream.sample(index), flags: .enableTemporalProcessing)
        }
        let before = collector.entries.count
        session.discardDelayedFrames()
        #expect(collector.entries.count == 4)
        #expect(
            collector.entries.dropFirst(before).allSatisfy { $0.flags.contains(.frameDropped) })
        for index in stream.units.indices {
            session.decodeFrame(try stream.sample(index), flags: .enableTemporalProcessing)
        }
        session.waitForAsynchronousFrames()
        #expect(collector.entries.count == 4 + stream.units.count)
        #expect(
            collector.entries.dropFirst(4).allSatisfy {
                !$0.flags.contains(.frameDropped) && !$0.isDamaged
            })
    }

    // MARK: Properties

    @Test func `D-18 properties by name`() throws {
        let stream = Synthesis.simple(2)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: Collector().handler)
        #expect(session.setProperty(.init(rawValue: "FieldMode"), to: "BothFields") == -12900)
        #expect(session.setProperty(.numberOfFramesBeingDecoded, to: 1) == -12901)
        #expect(session.setProperty(.pixelBufferPool, to: nil) == -12901)
        #expect(session.setProperty(.threadCount, to: "four") == -12902)
        #expect(session.setProperty(.threadCount, to: true) == -12902)
        #expect(session.setProperty(.realTime, to: 1) == -12902)
        #expect(throws: VTError.propertyNotSupported) {
            try session.property(.init(rawValue: "DeinterlaceMode"))
        }
        let standard = try session.property(.threadCount) as? Int
        for value in [Int8(3), UInt64(3), 3.0] as [any Sendable] {
            #expect(session.setProperty(.threadCount, to: value) == noErr)
            #expect(session.threadCount == 3)
            #expect(try session.property(.threadCount) as? Int == 3)
            #expect(session.setProperty(.threadCount, to: nil) == noErr)
            #expect(session.threadCount == nil)
            #expect(try session.property(.threadCount) as? Int == standard)
        }
        #expect((1...16).contains(standard ?? 0))
        let status = session.setProperties([
            .realTime: true, .usingHardwareAcceleratedVideoDecoder: true, .threadCount: 7,
        ])
        #expect(status == -12901)
        #expect(try session.property(.realTime) as? Bool == true)
        #expect(session.threadCount == nil)
        #expect(try session.property(.usingHardwareAcceleratedVideoDecoder) as? Bool == false)
        #expect(session.supportedProperties[.threadCount]?.isReadOnly == false)
        #expect(session.supportedProperties[.pixelBufferPool]?.isReadOnly == true)
        for key in session.supportedProperties.keys { _ = try session.property(key) }
    }

    @Test func `D-18 the pool is made anew when its minimum is set`() throws {
        let stream = Synthesis.simple(3)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: Collector().handler)
        session.decodeFrame(try stream.sample(0))
        let first = try #require(session.pixelBufferPool)
        #expect(session.setProperty(.outputPoolRequestedMinimumBufferCount, to: 4) == noErr)
        session.decodeFrame(try stream.sample(1))
        let second = try #require(session.pixelBufferPool)
        #expect(first !== second && second.attributes.minimumBufferCount == 4)
        session.decodeFrame(try stream.sample(2))
        #expect(session.pixelBufferPool === second)
    }

    @Test func `D-18 intra profiles have no dependencies`() throws {
        let inter = try VTDecompressionSession(formatDescription: Self.format())
        #expect(inter.contentHasInterframeDependencies)
        let intra = try VTDecompressionSession(
            formatDescription: Self.format {
                $0.profileIDC = 110
                $0.constraintFlags = 0x10
                $0.format.bitDepthLuma = 10
                $0.format.bitDepthChroma = 10
            })
        #expect(!intra.contentHasInterframeDependencies)
    }
}
