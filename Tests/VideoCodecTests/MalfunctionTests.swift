import CFFmpeg
import Glibc
import MediaTime
import PixelBuffers
import SampleBuffers
import TestSupport
import Testing
import VideoCodec

/// What a session says when libavcodec itself fails, and not for the data: D-9.
///
/// Nothing is feigned: a process of its own is given too little memory, or too little for threads, and libavcodec
/// fails as it would in the field.
@Suite(
    "Decompression session: a codec that cannot work", .timeLimit(.minutes(Checkout.patience(15))))
struct MalfunctionTests {
    private static let isSanitized = getenv("TPLAY_SANITIZER") != nil

    /// So many pictures of a stream, and a session for them.
    private static func begin(
        _ count: Int, threadCount: Int?, _ collector: Collector
    ) throws -> (samples: [CMSampleBuffer], session: VTDecompressionSession) {
        let stream = Synthesis.simple(count)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        session.threadCount = threadCount
        return (try stream.units.indices.map { try stream.sample($0) }, session)
    }

    /// Decodes under a shortage, and then without it.
    private static func check(
        _ flags: VTDecodeFrameFlags, threadCount: Int?, _ begin: () -> Void, _ end: () -> Void
    ) throws {
        let collector = Collector(keepsImages: true)
        let (samples, session) = try Self.begin(3, threadCount: threadCount, collector)
        begin()
        let first = session.decodeFrame(samples[0], flags: flags)
        end()
        // It is the codec's failure: the call is right, the answer says it, before the call returns.
        #expect(first == noErr)
        let answers = collector.entries
        #expect(answers.map(\.status) == [-12911])
        #expect(answers.allSatisfy { $0.image == nil && $0.flags.isEmpty })
        // The session cannot be used afterwards, though the shortage is over; each sample is answered all the same.
        for sample in samples { #expect(session.decodeFrame(sample, flags: flags) == noErr) }
        #expect(session.waitForAsynchronousFrames() == noErr)
        #expect(collector.entries.map(\.status) == Array(repeating: -12911, count: 4))
        #expect(session.numberOfFramesBeingDecoded == 0)
        session.invalidate()
        #expect(session.decodeFrame(samples[0], flags: flags) == -12903)
        // What a client does then: a new session.
        let second = Collector(keepsImages: true)
        let successor = try Self.begin(3, threadCount: threadCount, second).session
        for sample in samples { #expect(successor.decodeFrame(sample, flags: flags) == noErr) }
        successor.waitForAsynchronousFrames()
        #expect(second.entries.map(\.status) == [noErr, noErr, noErr])
        #expect(second.images.count == 3)
    }

    @Test func `D-9 a decoder that gets no memory is a malfunction`() async {
        await #expect(processExitsWith: .success) {
            for flags in [VTDecodeFrameFlags([]), .enableTemporalProcessing] {
                // libavcodec's state for H.264 takes more than half a megabyte.
                try Self.check(flags, threadCount: 1, { av_max_alloc(100_000) }) {
                    av_max_alloc(Int(Int32.max))
                }
            }
        }
    }

    @Test(
        .disabled(if: isSanitized, "SKIPPED: a sanitizer's shadow memory bears no limit"))
    func `D-9 a decoder that gets no threads is a malfunction`() async {
        await #expect(processExitsWith: .success) {
            try Self.check(
                .enableTemporalProcessing, threadCount: 16,
                {
                    // Sixteen stacks of 8 MB do not fit: avcodec_open2 fails.
                    Self.limitAddressSpace(toMore: 32 << 20)
                }
            ) { Self.limitAddressSpace(toMore: nil) }
        }
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `D-9 memory that is short on the way is a malfunction, not bad data, and ends`(
        _ flags: VTDecodeFrameFlags
    ) async {
        await #expect(processExitsWith: .success) { [flags = flags.rawValue as UInt32] in
            let flags = VTDecodeFrameFlags(rawValue: flags)
            // Too little for a frame's own structure, and too little for a picture.
            for most in [64, 2048] {
                // The client keeps the pictures: libavcodec needs memory for more of them.
                let collector = Collector(keepsImages: true)
                let (samples, session) = try Self.begin(
                    40, threadCount: flags.isEmpty ? 1 : 2, collector)
                for sample in samples[..<20] { session.decodeFrame(sample, flags: flags) }
                let before = collector.entries.count
                av_max_alloc(most)
                for sample in samples[20...] {
                    #expect(session.decodeFrame(sample, flags: flags) == noErr)
                }
                #expect(session.waitForAsynchronousFrames() == noErr)
                av_max_alloc(Int(Int32.max))
                session.decodeFrame(samples[0], flags: flags)
                session.waitForAsynchronousFrames()
                let statuses = collector.entries.map(\.status)
                #expect(statuses.count == 41 && session.numberOfFramesBeingDecoded == 0)
                #expect(statuses[..<before].allSatisfy { $0 == noErr })
                #expect(Set(statuses) == [noErr, -12911], "\(statuses)")
                #expect(statuses.last == -12911)
                // In decode order nothing is delivered any more once it has failed.
                let first = try #require(statuses.firstIndex(of: -12911))
                #expect(!flags.isEmpty || statuses[first...].allSatisfy { $0 == -12911 })
            }
        }
    }

    private static func limitAddressSpace(toMore byteCount: Int?) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        if let byteCount {
            var text = [CChar](repeating: 0, count: 256)
            guard let file = fopen("/proc/self/statm", "r") else { exit(90) }
            fgets(&text, 256, file)
            fclose(file)
            let pages = strtol(text, nil, 10)
            limit.rlim_cur = rlim_t(pages * sysconf(Int32(_SC_PAGESIZE)) + byteCount)
        }
        if setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) != 0 { exit(91) }
    }
}
