internal import Dispatch
internal import MediaTime

/// Turns a time of the timebase into something that a thread can wait for.
///
/// Used by that thread only.
///
/// On the host clock it is an absolute time for the wait itself, the most exact there is. On another clock
/// a timebase timer (K-12) wakes the engine.
final class DeadlineAlarm {
    private weak var engine: DisplayEngine?
    private let timebase: CMTimebase
    private var timer: (any DispatchSourceTimer)?

    init(_ engine: DisplayEngine) {
        self.engine = engine
        timebase = engine.timebase
    }

    /// Sets the alarm.
    ///
    /// - Returns: The time of `CLOCK_MONOTONIC` to wait for; nil when the engine will be poked, or the timebase stands.
    func set(for deadline: PresentationDeadline) -> UInt64? {
        let time =
            switch deadline {
            case .at(let time): time
            // The last nanosecond before: "below" has no first moment of its own.
            case .below(let time): time - CMTime(value: 1, timescale: 1_000_000_000)
            }
        guard timebase.ultimateSourceClock === CMClock.hostTimeClock else {
            arm(time)
            return nil
        }
        let host = timebase.hostTime(for: time)
        if host.isNegativeInfinity { return 0 }
        return host.isNumeric ? CMClock.convertHostTimeToSystemUnits(host) : nil
    }

    private func arm(_ time: CMTime) {
        if let timer {
            try? timebase.setTimerNextFireTime(timer, fireTime: time)
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tplay.alarm"))
        timer.setEventHandler { [weak engine] in engine?.poke() }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
        try? timebase.addTimer(timer)
        try? timebase.setTimerNextFireTime(timer, fireTime: time)
        self.timer = timer
    }

    func cancel() {
        guard let timer else { return }
        try? timebase.removeTimer(timer)
        timer.cancel()
        self.timer = nil
    }
}
