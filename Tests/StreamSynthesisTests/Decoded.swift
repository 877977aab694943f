import ElementaryStream
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import Synchronization
import VideoCodec

/// A stream in memory.
final class MemoryByteSource: ByteSource {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int64? { Int64(bytes.count) }
    func cancel() {}
    func release(before offset: Int64) {}

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int {
        let count = min(buffer.count, bytes.count - Int(offset))
        guard count > 0 else { return 0 }
        bytes.withUnsafeBytes { all in
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: all[Int(offset)...].prefix(count)))
        }
        return count
    }
}

/// What our decoder makes of a stream, one entry a sample.
struct Decoded: Sendable {
    /// The visible samples as `rawvideo` has them; empty where no picture came.
    var bytes: [UInt8]
    /// Its MD5 as framemd5 has it, nil where no picture came.
    var digest: String?
    var isDamaged: Bool

    /// Every picture of `stream` in order of presentation.
    static func all(of stream: [UInt8]) throws -> [Decoded] {
        let answers = Mutex<[(time: CMTime, picture: Decoded)]>([])
        var sequence = AccessUnitSequence(MemoryByteSource(stream), packs: true)
        var sampler = AccessUnitSampler()
        var session: VTDecompressionSession?
        while let unit = try sequence.next() {
            guard let rate = sequence.rate, let sample = sampler.sample(for: unit, rate: rate),
                let format = sample.formatDescription
            else { continue }
            if let current = session, !current.canAccept(format) {
                current.waitForAsynchronousFrames()
                session = nil
            }
            let current =
                try session
                ?? VTDecompressionSession(
                    formatDescription: format, imageBufferAttributes: .native)
            session = current
            current.decodeFrame(sample) { (frame: VTDecodedFrame) in
                var bytes: [UInt8] = []
                frame.imageBuffer?.forEachRow { _, _, row in bytes += row }
                let picture = Decoded(
                    bytes: bytes,
                    digest: frame.imageBuffer.map { PixelBufferDigest(of: $0).description },
                    isDamaged: frame.isDamaged)
                answers.withLock { $0.append((frame.presentationTimeStamp, picture)) }
            }
        }
        session?.waitForAsynchronousFrames()
        return answers.withLock { $0 }.sorted { $0.time < $1.time }.map(\.picture)
    }
}

/// What must come out of a stream: a picture's bytes, with the mid-grey chroma that libavcodec adds to monochrome.
func expectedBytes(_ picture: Picture) -> [UInt8] {
    guard picture.format.chroma == .monochrome else { return picture.rawBytes }
    var format = picture.format
    format.chroma = .yuv420
    var coloured = Picture(
        format, cb: 1 << (format.bitDepthLuma - 1), cr: 1 << (format.bitDepthLuma - 1))
    coloured.planes[0] = picture.planes[0]
    return coloured.rawBytes
}
