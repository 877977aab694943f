import MediaTime
import PixelBuffers
import SampleBuffers
import Synchronization
import VideoCodec

/// Collects what a session calls back.
final class Collector: Sendable {
    struct Entry: Sendable {
        var status: OSStatus
        var flags: VTDecodeInfoFlags
        var time: CMTime
        var duration: CMTime
        var token: Int64?
        var isDamaged: Bool
        var type: VTDecodedFrame.PictureType?
        var md5: String?
        var image: CVPixelBuffer?
    }

    private let state = Mutex<[Entry]>([])
    private let keepsImages: Bool
    private let hashes: Bool

    init(keepsImages: Bool = false, hashes: Bool = false) {
        self.keepsImages = keepsImages
        self.hashes = hashes
    }

    var entries: [Entry] { state.withLock { $0 } }
    var images: [CVPixelBuffer] { entries.compactMap(\.image) }

    var handler: VTDecompressionSession.FrameHandler {
        { [self] frame in
            let entry = Entry(
                status: frame.status, flags: frame.infoFlags, time: frame.presentationTimeStamp,
                duration: frame.duration, token: frame.token, isDamaged: frame.isDamaged,
                type: frame.pictureType, md5: hashes ? frame.imageBuffer?.md5 : nil,
                image: keepsImages ? frame.imageBuffer : nil)
            state.withLock { $0.append(entry) }
        }
    }
}

extension TestStream {
    /// Decodes everything, waits, and returns what was called back; `replacing` changes payloads, `omitting` leaves
    /// samples out.
    func decode(
        _ flags: VTDecodeFrameFlags = [], request: PixelBufferRequest = .native,
        keepsImages: Bool = false, hashes: Bool = false, threadCount: Int? = nil,
        hasDecodeTimes: Bool = true, isBoundaryTold: Bool = true, range: Range<Int>? = nil,
        replacing: [Int: [UInt8]] = [:], omitting: Set<Int> = []
    ) throws -> [Collector.Entry] {
        let collector = Collector(keepsImages: keepsImages, hashes: hashes)
        let range = range ?? 0..<units.count
        var session: VTDecompressionSession?
        for index in range where !omitting.contains(index) {
            let format = units[index].format
            if session == nil || session?.canAccept(format) == false {
                session?.waitForAsynchronousFrames()
                session = try VTDecompressionSession(
                    formatDescription: format, imageBufferAttributes: request,
                    outputHandler: collector.handler)
                session?.threadCount = threadCount
            }
            var sample = try sample(
                index, hasDecodeTimes: hasDecodeTimes, isBoundaryTold: isBoundaryTold)
            if let bytes = replacing[index] {
                sample = try Self.sample(
                    payload: bytes, format: format,
                    timing: timing(index, hasDecodeTimes: hasDecodeTimes))
                sample.sampleAttachments[0][.token] = Int64(index)
            }
            let status = session?.decodeFrame(sample, flags: flags) ?? -1
            if status != noErr { throw MediaError(status: status, "sample \(index)") }
        }
        session?.waitForAsynchronousFrames()
        return collector.entries
    }
}
