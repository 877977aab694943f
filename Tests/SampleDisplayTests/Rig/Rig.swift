import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay

/// A layer on a simulated clock, with a fake decoder and a screen that writes down.
final class Rig: Sendable {
    let clock = CMClock.simulated()
    let control: CMTimebase
    let decoders = FakeDecoders()
    let sink = RecordingSink()
    let layer: AVSampleBufferDisplayLayer
    let events = Monitor<[SampleDisplayEvent]>([])

    /// A layer whose decoder gives each picture at once, in decode order, unless `mode` says otherwise.
    init(mode: SampleDecodingMode = .lowDelay) throws {
        control = try CMTimebase(sourceClock: clock)
        layer = AVSampleBufferDisplayLayer(makeDecoder: decoders.factory)
        layer.controlTimebase = control
        layer.decodingMode = mode
        layer.sink = sink
        layer.eventHandler = { [events] event in events.update { $0.append(event) } }
    }

    deinit {
        sink.unblock()
        decoders.release()
    }

    var presented: [Int64] { sink.presented }

    /// Enqueues, then waits until all is done that can be done now.
    func enqueue(_ samples: [CMSampleBuffer]) {
        for sample in samples { layer.enqueue(sample) }
        layer.waitUntilIdle()
    }

    func enqueue(_ samples: CMSampleBuffer...) { enqueue(samples) }

    /// Sets the timebase's time.
    func go(to time: CMTime) throws {
        try control.setTime(time)
        layer.waitUntilIdle()
    }

    func setRate(_ rate: Double) throws {
        try control.setRate(rate)
        layer.waitUntilIdle()
    }

    /// Lets `n` hundredths of a picture's time pass.
    func advance(hundredths n: Int) {
        clock.advance(by: at(hundredths: n))
        layer.waitUntilIdle()
    }

    func advance(_ n: Int) { advance(hundredths: 100 * n) }

    /// The events so far, by name and without the times at which pictures became available.
    var eventNames: [String] {
        events.withLock { events in
            events.compactMap { event in
                switch event {
                case .readyForDisplayDidChange(let isReady): "ready \(isReady)"
                case .pictureAvailable: nil
                case .decodedAll: "decoded all"
                case .presentedLast: "presented last"
                case .failedToDecode: "failed"
                case .requiresFlushToResumeDecodingDidChange(let isNeeded): "flush \(isNeeded)"
                }
            }
        }
    }
}
