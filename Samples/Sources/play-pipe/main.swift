// Plays an H.264 stream that arrives over a pipe, as it comes:
//
//     cat clip.264 | play-pipe            some-camera | play-pipe
//
// There is no screen here: each picture's time and size are printed at the moment it would be shown.
//
//     bytes ─ SampleReader ─ samples ─ AVSampleBufferDisplayLayer ─ pictures, each at its time
//                                              │
//                                          CMTimebase: what time it is, and how fast it goes

import Dispatch
import ElementaryStream
import Glibc
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay

/// Ends with a line that says what, where and what to do; status 1, or 2 for wrong arguments.
func fail(_ text: String, status: Int32 = 1) -> Never {
    let line = Array("play-pipe: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(status)
}

final class PipePlayer: @unchecked Sendable {
    // SAFETY: `reader` and `hasStarted` are used on `queue` only.

    private let layer = AVSampleBufferDisplayLayer()
    private let timebase: CMTimebase
    private let reader: SampleReader
    private var hasStarted = false
    // Reading waits for the pipe: on a queue of its own it holds up nobody.
    private let queue = DispatchQueue(label: "reader")
    private let done = DispatchSemaphore(value: 0)

    init() throws {
        // "-" is standard input. Whatever is no H.264 byte stream is told at once, not shown as garbage.
        let source = try openByteSource(path: "-")
        try ForeignFormat.refuse(source)
        // The reader finds the pictures in the bytes. It also knows when each is shown: a raw stream says it only by
        // the order of its pictures and a rate.
        reader = SampleReader(source, isLive: true)
        // A timebase is a stopwatch on a clock. It stands at 0 until we set its rate.
        timebase = try CMTimebase(sourceClock: .hostTimeClock)
    }

    func play() {
        // Without a control timebase the layer goes by the host clock, for which time 0 was long ago.
        layer.controlTimebase = timebase
        // Each picture as soon as it is decoded, rather than many at a time.
        layer.decodingMode = .lowDelay

        // Called when it is time for a picture, on the layer's display thread. The pixels are in `picture`.
        layer.presentationHandler = { picture, time, _ in
            guard let picture else { return }
            print("\(milliseconds(time)) ms  \(picture.width)x\(picture.height)")
            // Now, and not when four kilobytes have come together; and this tells when nobody can have them.
            if fflush(nil) != 0 { fail("standard output: \(String(cString: strerror(errno)))") }
        }
        layer.eventHandler = { [done] event in
            switch event {
            case .presentedLast: done.signal()
            case .failedToDecode(let error): fail("standard input: \(error)")
            default: break
            }
        }

        // The layer asks for samples when it has room: this is what keeps a fast pipe from filling the memory.
        layer.requestMediaDataWhenReady(on: queue) { [self] in
            while layer.isReadyForMoreMediaData {
                guard let sample = nextSample() else {
                    finish()
                    return
                }
                layer.enqueue(sample)
                start()
            }
        }
        done.wait()
        if layer.displayedPicture == nil {
            fail("standard input: no picture decodable; is it cut off before its first key frame?")
        }
    }

    private func nextSample() -> CMSampleBuffer? {
        do { return try reader.next() } catch { fail("standard input: \(error)") }
    }

    /// Time goes on from the moment the first picture is there, not from when we began to wait for it.
    private func start() {
        guard !hasStarted else { return }
        hasStarted = true
        try? timebase.setRate(1)
    }

    /// Tells the layer that this is all: a marker, a buffer without samples.
    private func finish() {
        layer.stopRequestingMediaData()
        guard
            let marker = try? CMSampleBuffer(
                dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [],
                sampleSizes: [])
        else { return }
        marker.attachments[.permanentEmptyMedia] = true
        layer.enqueue(marker)
    }
}

func milliseconds(_ time: CMTime) -> Int64 {
    time.convertScale(1000, method: .roundHalfAwayFromZero).value
}

guard CommandLine.arguments.count == 1, isatty(0) == 0 else {
    fail("usage: play-pipe < FILE, or SOMETHING | play-pipe", status: 2)
}
// Else the next file that is opened would get its number.
if fcntl(1, F_GETFD) < 0 { fail("standard output is closed") }
do { try PipePlayer().play() } catch { fail("standard input: \(error)") }
