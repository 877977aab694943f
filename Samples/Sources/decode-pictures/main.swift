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

final class PictureDecoder: Sendable {
    private let count = Mutex(0)

    func decode(_ path: String) throws {
        // A sample is one picture, compressed: its NAL units behind their lengths, without start codes. What they
        // have in common, the SPS and the PPS, is in its format description.
        let reader = SampleReader(try openByteSource(path: path))
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
            if let status, status != noErr {
                throw MediaError(status: status, "a sample was not taken")
            }
        }
        // The last pictures are still inside.
        session?.waitForAsynchronousFrames()
        session?.invalidate()
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
            print("\(frame.presentationTimeStamp.seconds): no picture, status \(frame.status)")
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

guard CommandLine.arguments.count == 2 else {
    print("usage: decode-pictures FILE")
    exit(2)
}
do {
    try PictureDecoder().decode(CommandLine.arguments[1])
} catch {
    print("decode-pictures: \(error)")
    exit(1)
}
