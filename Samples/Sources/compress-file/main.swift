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

func fail(_ text: String) -> Never {
    let line = Array("compress-file: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(1)
}

/// A file of samples in the form that players of raw streams read.
final class ByteStreamFile: @unchecked Sendable {
    // SAFETY: a compression session calls back from one thread at a time.
    private let file: UnsafeMutablePointer<FILE>

    init(_ path: String) {
        guard let file = fopen(path, "wb") else { fail("cannot write \(path)") }
        self.file = file
    }

    deinit { fclose(file) }

    func append(_ sample: CMSampleBuffer) throws {
        guard let data = sample.dataBuffer, let format = sample.formatDescription else { return }
        // In the sample each NAL unit stands behind its length; in the file behind a start code, 00 00 00 01.
        // The parameter sets are no part of the sample. Before every key frame, so that a player can begin there.
        // A key frame is what is *not* marked NotSync: an absent attachment means sync.
        let isKeyFrame = sample.sampleAttachments[0][.notSync] != true
        let bytes = try AVCC.annexB(
            from: data.dataBytes(), parameterSets: isKeyFrame ? format.parameterSets : [])
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { fail("the disk is full") }
    }
}

/// Reads the rows of a plane; false at the end.
func read(plane: Int, of picture: CVPixelBuffer, from input: UnsafeMutablePointer<FILE>) -> Bool {
    // Rows in memory may be longer than the picture is wide.
    guard let base = picture.baseAddress(ofPlane: plane) else { return false }
    for row in 0..<picture.height(ofPlane: plane) {
        let width = picture.width(ofPlane: plane)
        let line = base + row * picture.bytesPerRow(ofPlane: plane)
        guard fread(line, 1, width, input) == width else { return false }
    }
    return true
}

func compress(width: Int, height: Int, rate: Int32, path: String, properties: [Substring]) throws {
    let file = ByteStreamFile(path)
    // The handler gets each sample in the order in which it must stand in the file, which with B pictures is not the
    // order of the pictures.
    let session = try VTCompressionSession(
        width: width, height: height, imageBufferAttributes: .format(.yCbCr420Planar)
    ) { status, _, sample in
        guard status == noErr, let sample else { fail("a picture was not compressed: \(status)") }
        do { try file.append(sample) } catch { fail("\(error)") }
    }
    // Properties are set before the first picture. In a program of your own: session.averageBitRate = 500_000.
    session.expectedFrameRate = Double(rate)
    for property in properties {
        let parts = property.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { fail("\(property) is no PROPERTY=VALUE") }
        // Any number type will do for a number.
        let value: any Sendable = Double(parts[1]) ?? Bool(parts[1]) ?? parts[1] as any Sendable
        let status = session.setProperty(.init(rawValue: parts[0]), to: value)
        guard status == noErr else { fail("\(property) is not accepted: \(status)") }
    }

    guard let input = fdopen(0, "rb") else { fail("there is no standard input") }
    var number: Int64 = 0
    // Pictures from the session's pool have the size it compresses, and their memory is used again.
    while let picture = try session.pixelBufferPool?.makePixelBuffer() {
        picture.lockBaseAddress()
        let isComplete = (0..<3).allSatisfy { read(plane: $0, of: picture, from: input) }
        picture.unlockBaseAddress()
        guard isComplete else { break }
        // Time stamps are exact fractions: picture 7 at 25 a second is at 7/25.
        let status = session.encodeFrame(
            picture, presentationTimeStamp: CMTime(value: number, timescale: rate),
            duration: CMTime(value: 1, timescale: rate))
        guard status == noErr else { fail("picture \(number) was not taken: \(status)") }
        number += 1
    }
    // The encoder looks ahead: the last pictures are still inside.
    session.completeFrames()
    print("\(number) pictures")
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let rate = Int32(arguments[2]), rate > 0,
    case let size = arguments[1].split(separator: "x").compactMap({ Int($0) }), size.count == 2
else { fail("usage: compress-file WIDTHxHEIGHT RATE FILE [PROPERTY=VALUE…]") }
do {
    try compress(
        width: size[0], height: size[1], rate: rate, path: arguments[3],
        properties: arguments.dropFirst(4).map { $0[...] })
} catch {
    fail("\(error)")
}
