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
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay

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
        }
        layer.eventHandler = { [done] event in
            switch event {
            case .presentedLast: done.signal()
            case .failedToDecode(let error):
                print("decoding failed: \(error)")
                done.signal()
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
        layer.stopRequestingMediaData()
    }

    private func nextSample() -> CMSampleBuffer? {
        do {
            return try reader.next()
        } catch {
            print("the pipe cannot be read: \(error)")
            return nil
        }
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

do {
    try PipePlayer().play()
} catch {
    print("play-pipe: \(error)")
}
