// Compresses pictures as they are made and hands out each one at once, as if to send it:
//
//     compress-send [PICTURES [BITS-A-SECOND]]
//
// One line for a packet: time, bytes, and whether it is a key frame. In the middle somebody joins and needs a key
// frame, and later the line gets slow.
//
//     pictures ─ VTCompressionSession, in real time ─ samples ─ closure(bytes, time, isKeyFrame)

import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import VideoCodec

/// Ends with a line that says what, where and what to do; status 1, or 2 for wrong arguments.
func fail(_ text: String, status: Int32 = 1) -> Never {
    let line = Array("compress-send: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(status)
}

/// Compresses what a camera sees, and tells a closure.
final class LiveEncoder {
    /// What goes over the line: a picture as a byte stream, when it is to be shown, and whether a receiver can
    /// begin with it.
    typealias Send = @Sendable (_ bytes: [UInt8], _ time: CMTime, _ isKeyFrame: Bool) -> Void

    private let session: VTCompressionSession

    init(width: Int, height: Int, bitRate: Int, send: @escaping Send) throws {
        session = try VTCompressionSession(width: width, height: height) { status, _, sample in
            // A picture that failed comes with its status and no sample.
            guard status == noErr, let sample, let packet = LiveEncoder.packet(sample) else {
                fail("a picture was lost: \(VTError.error(of: status))")
            }
            send(packet.bytes, sample.presentationTimeStamp, packet.isKeyFrame)
        }
        // No looking ahead and no B pictures: what goes in comes out before the next goes in.
        session.realTime = true
        session.averageBitRate = bitRate
        // Beside the average, a bound for every second: the line has no room for more. In bytes, not in bits.
        session.dataRateLimits = [try VTDataRateLimit(byteCount: bitRate / 8 * 3 / 2, seconds: 1)]
        // Who asks gets a key frame; nobody needs one every ten seconds.
        session.maxKeyFrameInterval = 10_000
        session.profileLevel = .h264BaselineAutoLevel
    }

    /// A sample as a receiver wants it: with start codes, and with the parameter sets where it may begin.
    private static func packet(_ sample: CMSampleBuffer) -> (bytes: [UInt8], isKeyFrame: Bool)? {
        guard let data = sample.dataBuffer, let format = sample.formatDescription else {
            return nil
        }
        let isKeyFrame = sample.sampleAttachments[0][.notSync] != true
        let bytes = try? AVCC.annexB(
            from: data.dataBytes(), parameterSets: isKeyFrame ? format.parameterSets : [])
        return bytes.map { ($0, isKeyFrame) }
    }

    /// A picture to draw into.
    func makePicture() throws -> CVPixelBuffer? { try session.pixelBufferPool?.makePixelBuffer() }

    /// Compresses a picture; its packet is sent before this returns.
    func encode(_ picture: CVPixelBuffer, at time: CMTime, asKeyFrame: Bool) {
        let status = session.encodeFrame(
            picture, presentationTimeStamp: time, frameProperties: .init(forceKeyFrame: asKeyFrame))
        if status != noErr { fail("a picture was not taken: \(VTError.error(of: status))") }
    }

    /// The line has become slower, or faster: the next picture already goes by the new rate.
    func setBitRate(_ bitRate: Int) { session.averageBitRate = bitRate }

    deinit { session.invalidate() }
}

/// In place of a camera: a gradient that moves.
func draw(_ number: Int, into picture: CVPixelBuffer) {
    picture.lockBaseAddress()
    defer { picture.unlockBaseAddress() }
    // '420v': a plane of Y, and one of Cb and Cr in turn, both at half the size.
    for plane in 0..<picture.planeCount {
        guard let base = picture.baseAddress(ofPlane: plane) else { continue }
        for row in 0..<picture.height(ofPlane: plane) {
            let line = (base + row * picture.bytesPerRow(ofPlane: plane))
                .assumingMemoryBound(to: UInt8.self)
            for column in 0..<picture.width(ofPlane: plane) * (plane + 1) {
                line[column] = UInt8(32 + (row + column / (plane + 1) + number * 3) % 192)
            }
        }
    }
}

func run(count: Int, bitRate: Int) throws {
    let encoder = try LiveEncoder(width: 320, height: 180, bitRate: bitRate) { bytes, time, isKey in
        // Here a program would cut `bytes` into RTP packets, or write them to a socket.
        let milliseconds = time.convertScale(1000, method: .roundHalfAwayFromZero).value
        print("\(milliseconds) ms  \(bytes.count) bytes\(isKey ? "  key frame" : "")")
        // Now; and this tells when nobody can have it.
        if fflush(nil) != 0 { fail("standard output: \(String(cString: strerror(errno)))") }
    }
    for number in 0..<count {
        if number == count * 2 / 3 { encoder.setBitRate(bitRate / 4) }
        guard let picture = try encoder.makePicture() else { return }
        draw(number, into: picture)
        let time = CMTime(value: Int64(number), timescale: 25)
        encoder.encode(picture, at: time, asKeyFrame: number == count / 3)
    }
}

let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
guard numbers.count <= 2, numbers.allSatisfy({ $0 > 0 }) else {
    fail("usage: compress-send [PICTURES [BITS-A-SECOND]], both above 0", status: 2)
}
do {
    try run(count: numbers.first ?? 75, bitRate: numbers.dropFirst().first ?? 400_000)
} catch {
    fail("\(error)")
}
