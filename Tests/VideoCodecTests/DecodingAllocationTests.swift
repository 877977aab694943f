import Glibc
import PixelBuffers
import SampleBuffers
import Synchronization
import TestSupport
import Testing
import VideoCodec

/// A session in steady state decodes into memory that is used again: libavcodec's, or its own pool's.
@Suite("Decompression session: allocations", .enabled(if: Allocations.canBeCounted))
struct DecodingAllocationTests {
    @Test(arguments: [
        VTDecodeFrameFlags([]), .enableTemporalProcessing,
        [.enableTemporalProcessing, .enableAsynchronousDecompression],
    ])
    func `P-8 pictures in the decoder's own format are not allocated one by one`(
        _ flags: VTDecodeFrameFlags
    ) async {
        await #expect(processExitsWith: .success) { [flags = flags.rawValue as UInt32] in
            try Self.check(VTDecodeFrameFlags(rawValue: flags), .native)
        }
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `P-8 converted pictures come from the session's pool`(_ flags: VTDecodeFrameFlags) async {
        await #expect(processExitsWith: .success) { [flags = flags.rawValue as UInt32] in
            let flags = VTDecodeFrameFlags(rawValue: flags)
            try Self.check(flags, .format(.yCbCr420BiPlanarVideoRange))
            try Self.check(flags, .format(.bgra32))
        }
    }

    /// Decodes a clip again and again, as a loop does, and holds a few pictures as a player does.
    private static func check(_ flags: VTDecodeFrameFlags, _ request: PixelBufferRequest) throws {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/b-pyramid.264"))
        let stream = TestStream(bytes: bytes)
        // The compressed bytes are the client's.
        let samples = try stream.units.indices.map { try stream.sample($0) }
        let held = Mutex<(pictures: [CVPixelBuffer?], count: Int)>(
            (.init(repeating: nil, count: 4), 0))
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: request
        ) { frame in
            held.withLock { held in
                guard let picture = frame.imageBuffer else { return }
                held.pictures[held.count % held.pictures.count] = picture
                held.count += 1
            }
        }
        session.threadCount = 2
        // Without a pause between the rounds: what is waited for is flushed, and libavcodec starts anew.
        // What is decoded asynchronously is to be decoded while it is counted.
        var sent = 0
        func play() {
            for sample in samples { session.decodeFrame(sample, flags: flags) }
            sent += samples.count
            while held.withLock({ $0.count }) < sent - 32 { usleep(1000) }
        }
        play()
        play()
        let steady = Allocations {
            play()
            play()
            play()
        }
        session.waitForAsynchronousFrames()
        #expect(held.withLock { $0.count } == samples.count * 5)
        let count = samples.count * 3
        #expect(steady.largeCount == 0, "\(steady) for \(count) pictures")
        // libavcodec's frames, packets and references, a thread's copies of them, the sample's job and the pixel buffer:
        // seen are 55 a picture in decode order and 95 with frame threads, the largest with 1 KB.
        #expect(steady.count <= count * 120, "\(steady) for \(count) pictures")
    }
}
