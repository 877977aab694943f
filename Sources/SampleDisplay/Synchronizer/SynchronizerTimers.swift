internal import Dispatch
internal import MediaTime

/// A synchronizer's two timers: one on its timebase, one on its clock.
final class SynchronizerTimers: Sendable {
    private let timebase: CMTimebase
    /// Reads what the clock reads, and has timers.
    private let clockTimebase: CMTimebase
    private let queue = DispatchQueue(label: "tplay.synchronizer", qos: .userInteractive)
    private let timer: any DispatchSourceTimer & Sendable
    private let startTimer: any DispatchSourceTimer & Sendable

    init(timebase: CMTimebase, clock: CMClock) {
        self.timebase = timebase
        clockTimebase = CMTimebase(following: clock, readOnly: true)
        timer = DispatchSource.makeTimerSource(queue: queue) as! DispatchSource
        startTimer = DispatchSource.makeTimerSource(queue: queue) as! DispatchSource
    }

    func activate(passed: @escaping @Sendable () -> Void, start: @escaping @Sendable () -> Void) {
        for (timer, handler, timebase) in [
            (timer, passed, timebase), (startTimer, start, clockTimebase),
        ] {
            timer.setEventHandler(handler: handler)
            timer.schedule(deadline: .distantFuture)
            timer.activate()
            add(timer, to: timebase)
        }
    }

    private func add(_ timer: some DispatchSourceTimer, to timebase: CMTimebase) {
        try? timebase.addTimer(timer)
    }

    /// Fires at a time of the timebase, and at one of the clock; nil for never.
    func set(next: CMTime?, start: CMTime?) {
        set(timer, on: timebase, next)
        set(startTimer, on: clockTimebase, start)
    }

    private func set(_ timer: some DispatchSourceTimer, on timebase: CMTimebase, _ time: CMTime?) {
        try? timebase.setTimerNextFireTime(timer, fireTime: time ?? .invalid)
    }

    func cancel() {
        timer.cancel()
        startTimer.cancel()
        remove(timer, from: timebase)
        remove(startTimer, from: clockTimebase)
    }

    private func remove(_ timer: some DispatchSourceTimer, from timebase: CMTimebase) {
        try? timebase.removeTimer(timer)
    }
}
