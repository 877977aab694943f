// Decodes an H.264 file and gets at each picture:
//
//     decode-pictures clip.264
//
// One line for a picture: its number, its time in seconds, I, P or B, and the MD5 of its pixels, the same that
// `ffmpeg -i clip.264 -f framemd5 -` prints.
//
//     file ─ SampleReader ─ samples ─ VTDecompressionSession ─ pictures

import ElementaryStream
import Glibc
import MediaTime
import PixelBuffers
import SampleBuffers
import Synchronization
import VideoCodec

/// Ends with a line that says what, where and what to do; status 1, or 2 for wrong arguments.
func fail(_ text: String, status: Int32 = 1) -> Never {
    let line = Array("decode-pictures: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(status)
}

final class PictureDecoder: Sendable {
    private let count = Mutex(0)

    /// Decodes the file, and returns how many pictures it gave.
    func decode(_ path: String) throws -> Int {
        let source = try openByteSource(path: path)
        // MP4, text, HEVC …: whatever is no H.264 byte stream is told at once. Else there would just be no pictures.
        try ForeignFormat.refuse(source)
        // A sample is one picture, compressed: its NAL units behind their lengths, without start codes. What they
        // have in common, the SPS and the PPS, is in its format description.
        let reader = SampleReader(source)
        var session: VTDecompressionSession?

        while let sample = try reader.next() {
            guard let format = sample.formatDescription else { continue }
            // New parameter sets need no new session, another size does: the session knows.
            if session?.canAccept(format) != true {
                session?.waitForAsynchronousFrames()
                session = try makeSession(format)
            }
            // Asynchronously, and delayed as long as it takes to have them in the order in which they are shown:
            // then all processors work. Without flags each picture would be there when the call returns, in the order
            // of the file.
            let status = session?.decodeFrame(
                sample, flags: [.enableAsynchronousDecompression, .enableTemporalProcessing])
            // Calls and callbacks give Apple's codes; `VTError` has the words for them.
            if let status, status != noErr { throw VTError.error(of: status) }
        }
        // The last pictures are still inside.
        session?.waitForAsynchronousFrames()
        session?.invalidate()
        return count.withLock { $0 }
    }

    private func makeSession(_ format: CMFormatDescription) throws -> VTDecompressionSession {
        // `.native`: the planes as they are decoded, not copied. `.format(.bgra32)` would convert them to RGB.
        try VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: .native,
            // Called once for each sample, one after another, on the session's thread. `self` is kept by the session.
            outputHandler: { [self] frame in take(frame) })
    }

    private func take(_ frame: VTDecodedFrame) {
        guard let picture = frame.imageBuffer else {
            let reason = frame.status == noErr ? "dropped" : "\(VTError.error(of: frame.status))"
            print("\(frame.presentationTimeStamp.seconds): no picture: \(reason)")
            return
        }
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        // `picture` is a CVPixelBuffer: lock it, and `baseAddress(ofPlane:)` and `bytesPerRow(ofPlane:)` give the
        // pixels. `md5` does that.
        let type = frame.pictureType.map { String($0.rawValue) } ?? "?"
        let damaged = frame.isDamaged ? " damaged" : ""
        print("\(number) \(frame.presentationTimeStamp.seconds) \(type) \(picture.md5)\(damaged)")
    }
}

guard CommandLine.arguments.count == 2 else { fail("usage: decode-pictures FILE", status: 2) }
let path = CommandLine.arguments[1]
do {
    guard try PictureDecoder().decode(path) > 0 else {
        fail(
            "\(path): no picture decodable; is it cut off before its first SPS, PPS and key frame?")
    }
} catch {
    fail("\(path): \(error)")
}
// What was printed may still wait to be written.
if fflush(nil) != 0 { fail("standard output: \(String(cString: strerror(errno)))") }
