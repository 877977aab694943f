// Compresses pictures into an H.264 file:
//
//     some-program | compress-file 640x360 25 clip.264 [PROPERTY=VALUE…]
//
// Pictures come on standard input, planes of 8-bit Y, Cb, Cr (4:2:0) one after another, as `ffmpeg -f rawvideo` writes
// them. Properties have Apple's names: AverageBitRate=500000 ProfileLevel=H264_Main_AutoLevel MaxKeyFrameInterval=50.
//
//     pictures ─ VTCompressionSession ─ samples ─ start codes, SPS and PPS ─ file

import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import VideoCodec

/// Ends with a line that says what, where and what to do; status 1, or 2 for wrong arguments.
func fail(_ text: String, status: Int32 = 1) -> Never {
    let line = Array("compress-file: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(status)
}

/// A file of samples in the form that players of raw streams read.
final class ByteStreamFile: @unchecked Sendable {
    // SAFETY: a compression session calls back from one thread at a time.
    private let path: String
    private let file: UnsafeMutablePointer<FILE>?

    init(_ path: String) {
        (self.path, file) = (path, fopen(path, "wb"))
        if file == nil { failWriting() }
    }

    /// Only here is it known whether everything could be written.
    func close() { if let file, fclose(file) != 0 { failWriting() } }

    private func failWriting() -> Never { fail("\(path): \(String(cString: strerror(errno)))") }

    func append(_ sample: CMSampleBuffer) throws {
        guard let file, let data = sample.dataBuffer, let format = sample.formatDescription
        else { return }
        // In the sample each NAL unit stands behind its length; in the file behind a start code, 00 00 00 01.
        // The parameter sets are no part of the sample. Before every key frame, so that a player can begin there.
        // A key frame is what is *not* marked NotSync: an absent attachment means sync.
        let isKeyFrame = sample.sampleAttachments[0][.notSync] != true
        let bytes = try AVCC.annexB(
            from: data.dataBytes(), parameterSets: isKeyFrame ? format.parameterSets : [])
        if fwrite(bytes, 1, bytes.count, file) != bytes.count { failWriting() }
    }
}

/// Reads a picture; how many bytes came of it.
func read(_ picture: CVPixelBuffer, from input: UnsafeMutablePointer<FILE>) -> Int {
    picture.lockBaseAddress()
    defer { picture.unlockBaseAddress() }
    var count = 0
    for plane in 0..<picture.planeCount {
        guard let base = picture.baseAddress(ofPlane: plane) else { continue }
        for row in 0..<picture.height(ofPlane: plane) {
            // Rows in memory may be longer than the picture is wide.
            let start = base + row * picture.bytesPerRow(ofPlane: plane)
            count += fread(start, 1, picture.width(ofPlane: plane), input)
        }
    }
    return count
}

func compress(width: Int, height: Int, rate: Int32, path: String, properties: [Substring]) throws {
    let session = try VTCompressionSession(
        width: width, height: height, imageBufferAttributes: .format(.yCbCr420Planar))
    // Properties are set before the first picture. In a program of your own: session.averageBitRate = 500_000.
    session.expectedFrameRate = Double(rate)
    for property in properties {
        let parts = property.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { fail("\(property) is no PROPERTY=VALUE", status: 2) }
        // Any number type will do for a number.
        let value: any Sendable = Double(parts[1]) ?? Bool(parts[1]) ?? parts[1] as any Sendable
        let status = session.setProperty(.init(rawValue: parts[0]), to: value)
        if status != noErr { fail("\(property): \(VTError.error(of: status))", status: 2) }
    }
    guard let input = fdopen(0, "rb") else { fail("there is no standard input") }
    let file = ByteStreamFile(path)
    var (number, rest) = (Int64(0), 0)
    // Pictures from the session's pool have the size it compresses, and their memory is used again.
    while let picture = try session.pixelBufferPool?.makePixelBuffer() {
        rest = read(picture, from: input)
        guard rest == width * height * 3 / 2 else { break }
        // Time stamps are exact fractions: picture 7 at 25 a second is at 7/25. The handler gets each sample in the
        // order in which it must stand in the file, which with B pictures is not the order of the pictures.
        let status = session.encodeFrame(
            picture, presentationTimeStamp: CMTime(value: number, timescale: rate),
            duration: CMTime(value: 1, timescale: rate)
        ) { status, _, sample in
            guard let sample else { fail("a picture is lost: \(VTError.error(of: status))") }
            do { try file.append(sample) } catch { fail("\(error)") }
        }
        if status != noErr { fail("picture \(number): \(VTError.error(of: status))") }
        number += 1
    }
    // The encoder looks ahead: the last pictures are still inside.
    session.completeFrames()
    file.close()
    print("\(number) pictures")
    if number > 0, rest == 0 { return }
    fail("standard input ends \(rest) bytes into picture \(number): is the size right?")
}

let arguments = CommandLine.arguments
let usage = "usage: compress-file WIDTHxHEIGHT RATE FILE [PROPERTY=VALUE…], of an even size"
guard arguments.count >= 4, let rate = Int32(arguments[2]), rate > 0,
    case let size = arguments[1].split(separator: "x").compactMap({ Int($0) }), size.count == 2,
    size.allSatisfy({ $0 % 2 == 0 })
else { fail(usage, status: 2) }
let (width, height, options) = (size[0], size[1], arguments.dropFirst(4).map { $0[...] })
do {
    try compress(width: width, height: height, rate: rate, path: arguments[3], properties: options)
} catch { fail("\(error)") }
