import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import Synchronization
import VideoCodec

/// Pictures to compress: a texture that moves, with a square going another way.
struct Reel {
    var width = 176
    var height = 144
    var format = CVPixelFormatType.yCbCr420BiPlanarVideoRange
    /// Whether the texture is rough.
    var isRough = true
    /// Rows at the bottom that are new in each picture, so that there is something to spend bits on.
    var grainRows = 0

    private static let side = 1024
    private static let texture: [UInt8] = {
        var state: UInt32 = 1
        return (0..<side * side).map { index in
            let (x, y) = (index % side, index / side)
            state = state &* 1_664_525 &+ 1_013_904_223
            let wave = 60 * sin(Double(x) / 11) * cos(Double(y) / 13)
            return UInt8(min(max(120 + Int(wave) + Int(state >> 28), 16), 235))
        }
    }()
    private static let smooth: [UInt8] = {
        (0..<side * side).map { index in
            let (x, y) = (index % side, index / side)
            return UInt8(120 + Int(60 * sin(Double(x) / 23) * cos(Double(y) / 29)))
        }
    }()

    /// One of the pictures; all differ.
    func picture(_ number: Int) throws -> CVPixelBuffer {
        let buffer = try CVPixelBuffer(width: width, height: height, pixelFormat: format)
        buffer.lockBaseAddress()
        defer { buffer.unlockBaseAddress() }
        guard buffer.isPlanar else {
            fillPacked(buffer, number)
            return buffer
        }
        let texture = isRough ? Self.texture : Self.smooth
        texture.withUnsafeBytes { from in
            let base = buffer.baseAddress(ofPlane: 0)!
            for row in 0..<height {
                let isGrain = row >= height - grainRows
                let top = isGrain ? row + number * 389 : row + number * 2
                let start = top % Self.side * Self.side + number * (isGrain ? 211 : 3) % 512
                memcpy(
                    base + row * buffer.bytesPerRow(ofPlane: 0), from.baseAddress! + start,
                    min(width, 512))
            }
            let (left, top) = (number * 5 % (width - 16), number * 4 % (height - 16))
            for row in top..<top + 16 {
                memset(base + row * buffer.bytesPerRow(ofPlane: 0) + left, 200, 16)
            }
        }
        for plane in 1..<buffer.planeCount {
            for row in 0..<buffer.height(ofPlane: plane) {
                let line =
                    buffer.baseAddress(ofPlane: plane)! + row * buffer.bytesPerRow(ofPlane: plane)
                memset(
                    line, Int32(108 + (row + number) % 40),
                    buffer.width(ofPlane: plane) * (buffer.planeCount == 2 ? 2 : 1))
            }
        }
        return buffer
    }

    private func fillPacked(_ buffer: CVPixelBuffer, _ number: Int) {
        let base = buffer.baseAddress!
        for row in 0..<height {
            for column in 0..<width {
                let pixel = base + row * buffer.bytesPerRow + 4 * column
                let value = UInt32(40 + (row + column + number * 4) % 160)
                pixel.storeBytes(of: value * 0x01_0101 | 0xFF00_0000, as: UInt32.self)
            }
        }
    }
}

/// Collects what a compression session calls back.
final class Compressed: Sendable {
    struct Entry: Sendable {
        var status: OSStatus
        var flags: VTEncodeInfoFlags
        var sample: CMSampleBuffer?
    }

    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }
    var samples: [CMSampleBuffer] { entries.compactMap(\.sample) }
    var handler: VTCompressionSession.OutputHandler {
        { [self] status, flags, sample in
            state.withLock { $0.append(Entry(status: status, flags: flags, sample: sample)) }
        }
    }
}

extension CMSampleBuffer {
    var bytes: [UInt8] { (try? dataBuffer?.dataBytes()) ?? [] }
    var nalUnitTypes: [UInt8] {
        let bytes = bytes
        return ((try? AVCC.nalUnitRanges(in: bytes)) ?? []).map { bytes[$0.lowerBound] & 0x1F }
    }
    var isKeyFrame: Bool { sampleAttachments[0][.notSync] != true }
    var hasIDR: Bool { nalUnitTypes.contains(5) }
    var sequenceParameterSet: SequenceParameterSet? { formatDescription?.h264SequenceParameterSet }
}

/// The byte stream of samples: parameter sets before every key frame.
func byteStream(_ samples: [CMSampleBuffer]) throws -> [UInt8] {
    try samples.flatMap { sample in
        try AVCC.annexB(
            from: sample.bytes,
            parameterSets: sample.isKeyFrame ? sample.formatDescription?.parameterSets ?? [] : [])
    }
}

/// Compresses `count` pictures at 25 a second and returns everything.
func compress(
    _ reel: Reel = Reel(), count: Int, timescale: Int32 = 25, ticks: Int64 = 1,
    hasDurations: Bool = true, forced: Set<Int> = [],
    specification: VTCompressionSession.Specification = .init(),
    _ configure: (VTCompressionSession) -> Void = { _ in },
    before: (Int, VTCompressionSession) -> Void = { _, _ in }
) throws -> [CMSampleBuffer] {
    let collector = Compressed()
    let session = try VTCompressionSession(
        width: reel.width, height: reel.height, specification: specification,
        outputHandler: collector.handler)
    session.prioritizeEncodingSpeedOverQuality = true
    configure(session)
    for number in 0..<count {
        before(number, session)
        let status = session.encodeFrame(
            try reel.picture(number),
            presentationTimeStamp: CMTime(value: Int64(number) * ticks, timescale: timescale),
            duration: hasDurations ? CMTime(value: ticks, timescale: timescale) : .invalid,
            frameProperties: .init(forceKeyFrame: forced.contains(number)))
        guard status == noErr else { throw MediaError(status: status, "picture \(number)") }
    }
    session.completeFrames()
    let bad = collector.entries.first { $0.status != noErr || $0.sample == nil }
    if let bad { throw MediaError(status: bad.status, "a picture without a sample") }
    return collector.samples
}

/// Decodes samples; pictures in the order of their time stamps.
func decode(_ samples: [CMSampleBuffer]) throws -> [CVPixelBuffer] {
    guard let format = samples.first?.formatDescription else { return [] }
    let pictures = Mutex<[(CMTime, CVPixelBuffer)]>([])
    let session = try VTDecompressionSession(formatDescription: format)
    for sample in samples {
        let status = session.decodeFrame(sample) { frame in
            guard let image = frame.imageBuffer, !frame.isDamaged else { return }
            pictures.withLock { $0.append((frame.presentationTimeStamp, image)) }
        }
        if status != noErr { throw MediaError(status: status, "decoding") }
    }
    session.waitForAsynchronousFrames()
    return pictures.withLock { $0 }.sorted { $0.0 < $1.0 }.map(\.1)
}

/// The ratio of signal to noise of luma, in dB; 99 for equal pictures.
func luma(_ first: CVPixelBuffer, against second: CVPixelBuffer) -> Double {
    var sum = 0
    let others = second.lumaRows
    for (row, other) in zip(first.lumaRows, others) {
        row.withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in
                for index in 0..<min(a.count, b.count) {
                    let difference = Int(a[index]) - Int(b[index])
                    sum += difference * difference
                }
            }
        }
    }
    guard sum > 0 else { return 99 }
    return 10 * log10(255 * 255 * Double(first.width * first.height) / Double(sum))
}

extension CVPixelBuffer {
    var lumaRows: [[UInt8]] {
        lockBaseAddress(.readOnly)
        defer { unlockBaseAddress(.readOnly) }
        guard let base = baseAddress(ofPlane: 0) else { return [] }
        return (0..<height).map { row in
            Array(
                UnsafeRawBufferPointer(
                    start: base + row * bytesPerRow(ofPlane: 0), count: width))
        }
    }
}
