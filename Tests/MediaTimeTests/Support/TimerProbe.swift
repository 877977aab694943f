import Dispatch
import MediaTime
import Synchronization

/// A dispatch timer that counts how often it fires.
final class TimerProbe: Sendable {
    nonisolated(unsafe) let timer: any DispatchSourceTimer
    let queue = DispatchQueue(label: "TimerProbe")
    private let fired = DispatchSemaphore(value: 0)
    private let counter = Mutex<Int>(0)
    private let lastNanoseconds = Mutex<UInt64>(0)

    init() {
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        self.timer = timer
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            lastNanoseconds.withLock { $0 = DispatchTime.now().uptimeNanoseconds }
            counter.withLock { $0 += 1 }
            fired.signal()
        }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Whether it fires within some seconds, once for each call.
    func fires(within seconds: Double = 10) -> Bool {
        fired.wait(timeout: .now() + seconds) == .success
    }

    /// How often it has fired, after time enough for what was to fire at once.
    var count: Int {
        _ = fired.wait(timeout: .now() + 0.06) == .success ? fired.signal() : 0
        return counter.withLock { $0 }
    }

    /// When it fired last, by the host clock.
    var lastFired: CMTime {
        CMTime(value: Int64(lastNanoseconds.withLock { $0 }), timescale: 1_000_000_000)
    }
}

/// Seconds, to write times in tests shortly.
func s(_ seconds: Double) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
}
