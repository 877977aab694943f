import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import Synchronization
import TestSupport
import Testing
import VideoCodec

/// Calls, their order and their errors: E-1 to E-6, E-15, E-16.
@Suite("Compression session: the contract of calls", .timeLimit(.minutes(Checkout.patience(5))))
struct CompressionContractTests {
    @Test func `E-1 only H.264, of a size, by an encoder that is there`() throws {
        #expect(throws: VTError.couldNotFindVideoEncoder) {
            try VTCompressionSession(width: 64, height: 48, codecType: .hevc)
        }
        for (width, height) in [(0, 48), (64, 0), (-2, 48), (64, -1)] {
            #expect(throws: VTError.parameter) {
                try VTCompressionSession(width: width, height: height)
            }
        }
        var specification = VTCompressionSession.Specification()
        specification.requiresHardwareAcceleration = true
        #expect(throws: VTError.couldNotFindVideoEncoder) {
            try VTCompressionSession(width: 64, height: 48, specification: specification)
        }
        #expect(VTError.couldNotFindVideoEncoder.status == -12908)
        #expect(VTError.parameter.status == -12902)
    }

    @Test func `E-1 where there is no encoder the error says what is missing`() throws {
        var specification = VTCompressionSession.Specification()
        specification.encoderID = "libx264-that-is-not-there"
        do {
            _ = try VTCompressionSession(width: 64, height: 48, specification: specification)
            Issue.record("a session without an encoder")
        } catch {
            #expect(error.status == -12908)
            #expect(error.text.contains("libx264-that-is-not-there"))
            #expect(error.text.contains("libavcodec"))
            #expect(error.text.contains("--enable-libx264"))
        }
        specification.encoderID = "com.apple.videotoolbox.videoencoder.h264"
        let session = try VTCompressionSession(width: 64, height: 48, specification: specification)
        #expect(session.prepareToEncodeFrames() == noErr)
    }

    @Test func `E-2 rates and key-frame limits change between pictures and act on later ones`()
        throws
    {
        let samples = try compress(count: 100) { session in
            session.averageBitRate = 600_000
            session.maxKeyFrameInterval = 50
            session.allowFrameReordering = false
        } before: { number, session in
            if number == 50 {
                session.averageBitRate = 100_000
                session.maxKeyFrameInterval = 10
            }
        }
        let keys = samples.indices.filter { samples[$0].isKeyFrame }
        #expect(keys == [0, 50, 60, 70, 80, 90])
        // The encoder is the same: so is the description.
        #expect(samples.allSatisfy { $0.formatDescription === samples[0].formatDescription })
        func bytes(_ range: Range<Int>) -> Int {
            samples[range].reduce(0) { $0 + $1.totalSampleSize }
        }
        #expect(bytes(60..<100) * 2 < bytes(10..<50))
    }

    @Test func `E-2 limits of data rate change between pictures too`() throws {
        let tight = try VTDataRateLimit(byteCount: 6000, seconds: 1)
        let samples = try compress(count: 100) { session in
            session.allowFrameReordering = false
            session.quality = 0.8
            session.dataRateLimits = (try? [VTDataRateLimit(byteCount: 200_000, seconds: 1)]) ?? []
        } before: { number, session in
            if number == 50 { session.dataRateLimits = [tight] }
        }
        func bytes(_ range: Range<Int>) -> Int {
            samples[range].reduce(0) { $0 + $1.totalSampleSize }
        }
        #expect(samples.filter(\.isKeyFrame).count == 1)
        #expect(bytes(75..<100) <= 6000)
        #expect(bytes(25..<50) > 12000)
    }

    @Test func `E-3 preparing is optional and may be repeated`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        #expect(session.prepareToEncodeFrames() == noErr)
        #expect(session.prepareToEncodeFrames() == noErr)
        #expect(session.encodeFrame(try Reel().picture(0), presentationTimeStamp: .zero) == noErr)
        #expect(session.prepareToEncodeFrames() == noErr)
        session.completeFrames()
        #expect(collector.samples.count == 1)

        // libx264 has no 4:2:0 pictures of an odd size.
        let odd = try VTCompressionSession(width: 175, height: 144) { _, _, _ in }
        #expect(odd.prepareToEncodeFrames() == -12907)
        #expect(odd.encodeFrame(try Reel().picture(0), presentationTimeStamp: .zero) == -12907)
        #expect(VTError.couldNotCreateInstance.status == -12907)
    }

    @Test func `E-4 time stamps are numbers and grow`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        let picture = try Reel().picture(0)
        for time in [CMTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            #expect(session.encodeFrame(picture, presentationTimeStamp: time) == -12902)
        }
        let first = CMTime(value: 10, timescale: 25)
        #expect(session.encodeFrame(picture, presentationTimeStamp: first) == noErr)
        for time in [first, CMTime(value: 20, timescale: 50), CMTime(value: 9, timescale: 25)] {
            #expect(session.encodeFrame(picture, presentationTimeStamp: time) == -12902)
        }
        let next = CMTime(value: 10_000_001, timescale: 25_000_000)
        #expect(session.encodeFrame(picture, presentationTimeStamp: next) == noErr)
        session.completeFrames()
        #expect(collector.samples.map(\.presentationTimeStamp).sorted() == [first, next])
        #expect(collector.entries.count == 2)
    }

    @Test(arguments: [
        CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange, .yCbCr420Planar,
        .bgra32, .argb32,
    ])
    func `E-5 the five formats are taken, of any size`(format: CVPixelFormatType) throws {
        for (width, height) in [(176, 144), (200, 90)] {
            let collector = Compressed()
            let session = try VTCompressionSession(
                width: 176, height: 144, outputHandler: collector.handler)
            session.quality = 0.9
            let picture = try Reel(width: width, height: height, format: format).picture(3)
            #expect(session.encodeFrame(picture, presentationTimeStamp: .zero) == noErr)
            session.completeFrames()
            let sample = try #require(collector.samples.first)
            #expect(
                sample.formatDescription?.dimensions == CMVideoDimensions(width: 176, height: 144))
            #expect(
                (sample.sequenceParameterSet?.vui?.isFullRange ?? false)
                    == (format == .yCbCr420BiPlanarFullRange))
            let decoded = try #require(try decode([sample]).first)
            guard picture.isPlanar, width == 176 else { continue }
            #expect(luma(picture, against: decoded) > 40)
        }
    }

    @Test func `E-5 red, green and blue keep their places`() throws {
        for format in [CVPixelFormatType.bgra32, .argb32] {
            let picture = try CVPixelBuffer(width: 64, height: 64, pixelFormat: format)
            picture.lockBaseAddress()
            let bytes: [UInt8] = format == .bgra32 ? [20, 60, 220, 255] : [255, 220, 60, 20]
            for row in 0..<64 {
                for column in 0..<256 {
                    picture.baseAddress!.storeBytes(
                        of: bytes[column % 4], toByteOffset: row * picture.bytesPerRow + column,
                        as: UInt8.self)
                }
            }
            picture.unlockBaseAddress()
            let collector = Compressed()
            let session = try VTCompressionSession(
                width: 64, height: 64, outputHandler: collector.handler)
            session.quality = 1
            session.encodeFrame(picture, presentationTimeStamp: .zero)
            session.completeFrames()
            let decoded = try #require(try decode(collector.samples).first)
            decoded.lockBaseAddress(.readOnly)
            defer { decoded.unlockBaseAddress(.readOnly) }
            // BT.601 of 220, 60, 20: Y 16 + 0.257 * 220 + 0.504 * 60 + 0.098 * 20 = 105, Cb 87, Cr 201.
            let y = decoded.baseAddress(ofPlane: 0)!.load(as: UInt8.self)
            let cb = decoded.baseAddress(ofPlane: 1)!.load(as: UInt8.self)
            let cr = decoded.baseAddress(ofPlane: 1)!.load(fromByteOffset: 1, as: UInt8.self)
            #expect(abs(Int(y) - 105) <= 2 && abs(Int(cb) - 87) <= 2 && abs(Int(cr) - 201) <= 2)
        }
    }

    @Test func `E-5 other formats are refused, and the picture is let go`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 64, height: 48, outputHandler: collector.handler)
        for format in [CVPixelFormatType.yuv422p, .yuv420p10, .rgba32, .oneComponent8] {
            let picture = try CVPixelBuffer(width: 64, height: 48, pixelFormat: format)
            #expect(session.encodeFrame(picture, presentationTimeStamp: .zero) == -12905)
        }
        #expect(collector.entries.isEmpty)
        // Borrowed memory: it is released when the last picture is out, and was not copied before.
        let released = Mutex(0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64 * 72, alignment: 64)
        defer { memory.deallocate() }
        memset(memory, 100, 64 * 72)
        do {
            let picture = try CVPixelBuffer(
                width: 64, height: 48, pixelFormat: .yCbCr420BiPlanarVideoRange,
                borrowing: [
                    .init(baseAddress: memory, width: 64, height: 48, bytesPerRow: 64),
                    .init(baseAddress: memory + 64 * 48, width: 32, height: 24, bytesPerRow: 64),
                ], releaseHandler: { released.withLock { $0 += 1 } })
            #expect(session.encodeFrame(picture, presentationTimeStamp: .zero) == noErr)
        }
        session.completeFrames()
        #expect(released.withLock { $0 } == 1)
        #expect(collector.samples.count == 1)
    }

    @Test func `E-6 one callback a picture, in decode order`() throws {
        let reel = Reel()
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: reel.width, height: reel.height, outputHandler: collector.handler)
        var flags: [VTEncodeInfoFlags] = []
        for number in 0..<60 {
            var info: VTEncodeInfoFlags = .frameDropped
            session.encodeFrame(
                try reel.picture(number),
                presentationTimeStamp: CMTime(value: Int64(number), timescale: 25),
                infoFlagsOut: &info)
            flags.append(info)
        }
        #expect(session.numberOfPendingFrames > 0)
        session.completeFrames()
        #expect(session.numberOfPendingFrames == 0)
        #expect(flags.allSatisfy { $0 == .asynchronous })
        #expect(collector.entries.count == 60)
        let times = collector.samples.map(\.presentationTimeStamp.value)
        #expect(Set(times) == Set(0..<60))
        #expect(times != times.sorted(), "B pictures come out of order")
        let decodeTimes = collector.samples.map(\.decodeTimeStamp)
        #expect(decodeTimes == decodeTimes.sorted())
        // In this order they decode whole.
        #expect(try decode(collector.samples).count == 60)
    }

    @Test func `E-6 a callback may call the session`() throws {
        let reel = Reel()
        let count = Mutex(0)
        let later = Mutex<VTCompressionSession?>(nil)
        let picture = try reel.picture(1)
        let session = try VTCompressionSession(width: reel.width, height: reel.height) { _, _, _ in
            let seen = count.withLock { count in
                count += 1
                return count
            }
            let session = later.withLock { $0 }
            if seen < 10 {
                session?.encodeFrame(
                    picture, presentationTimeStamp: CMTime(value: Int64(seen), timescale: 25))
            } else {
                session?.completeFrames()
            }
        }
        session.realTime = true
        later.withLock { $0 = session }
        session.encodeFrame(try reel.picture(0), presentationTimeStamp: .zero)
        #expect(count.withLock { $0 } == 10)
        later.withLock { $0 = nil }
    }

    @Test func `E-15 the pool gives pictures of the session's size and format`() throws {
        let session = try VTCompressionSession(width: 176, height: 144) { _, _, _ in }
        let picture = try #require(try session.pixelBufferPool?.makePixelBuffer())
        #expect(picture.width == 176 && picture.height == 144)
        #expect(picture.pixelFormat == .yCbCr420BiPlanarVideoRange)
        #expect(session.pixelBufferPool === session.pixelBufferPool)
        session.invalidate()
        #expect(session.pixelBufferPool == nil)

        let packed = try VTCompressionSession(
            width: 64, height: 48, imageBufferAttributes: .format(.bgra32)
        ) { _, _, _ in }
        #expect(packed.pixelBufferPool?.pixelFormat == .bgra32)
        #expect(throws: VTError.pixelTransferNotSupported) {
            try VTCompressionSession(
                width: 64, height: 48, imageBufferAttributes: .format(.yuv444p10))
        }
    }

    @Test func `E-16 the form of the call must be that of the session`() throws {
        let (own, given) = (Compressed(), Compressed())
        let with = try VTCompressionSession(width: 176, height: 144, outputHandler: own.handler)
        let without = try VTCompressionSession(width: 176, height: 144)
        let picture = try Reel().picture(0)
        #expect(
            with.encodeFrame(picture, presentationTimeStamp: .zero, outputHandler: given.handler)
                == -12902)
        #expect(without.encodeFrame(picture, presentationTimeStamp: .zero) == -12902)
        #expect(own.entries.isEmpty && given.entries.isEmpty)
        #expect(with.encodeFrame(picture, presentationTimeStamp: .zero) == noErr)
        #expect(
            without.encodeFrame(picture, presentationTimeStamp: .zero, outputHandler: given.handler)
                == noErr)
        with.completeFrames()
        without.completeFrames()
        #expect(own.samples.count == 1 && given.samples.count == 1)
    }

    @Test func `E-16 an invalid session drops what it has and takes nothing more`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        for number in 0..<5 {
            session.encodeFrame(
                try Reel().picture(number),
                presentationTimeStamp: CMTime(value: Int64(number), timescale: 25))
        }
        session.invalidate()
        session.invalidate()
        #expect(collector.entries.isEmpty)
        let late = CMTime(value: 9, timescale: 25)
        #expect(session.encodeFrame(try Reel().picture(9), presentationTimeStamp: late) == -12903)
        #expect(session.prepareToEncodeFrames() == -12903)
        #expect(session.completeFrames() == -12903)
        #expect(session.setProperty(.averageBitRate, to: 1000) == -12903)
        #expect(throws: VTError.invalidSession) { try session.property(.averageBitRate) }
        #expect(session.numberOfPendingFrames == 0)
        #expect(collector.entries.isEmpty)
    }
}
