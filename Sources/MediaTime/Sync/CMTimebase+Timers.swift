public import Dispatch

/// A timer of a timebase.
final class TimerEntry {
    let timer: any DispatchSourceTimer

    /// When it is to fire on the timebase's timeline; nil while it is parked or once it has fired.
    var fireTime: CMTime?

    /// The nanosecond of the ultimate clock at which it fires as things are; nil when it does not.
    var arrival: Int64?

    /// Whether its dispatch source has a start time, other than far in the future.
    var isScheduled = false

    init(_ timer: any DispatchSourceTimer) { self.timer = timer }

    func park() {
        arrival = nil
        guard isScheduled else { return }
        isScheduled = false
        timer.schedule(deadline: .distantFuture, repeating: .never, leeway: .nanoseconds(0))
    }

    func fire() {
        fireTime = nil
        arrival = nil
        isScheduled = true
        timer.schedule(deadline: .now(), repeating: .never, leeway: .nanoseconds(0))
    }
}

extension CMTimebase {
    /// Lets the timebase decide when a dispatch timer fires; until
    /// ``setTimerNextFireTime(_:fireTime:)`` it does not.
    ///
    /// The timer is kept until it is removed or cancelled. Its handler runs on its own queue, once for
    /// each fire time that was set. As with Apple's, one that was about to fire when the timeline changed
    /// may still fire; a handler looks at the time. Adding it again does nothing.
    ///
    /// - Throws: Never here.
    public func addTimer<T: DispatchSourceTimer>(_ timer: T) throws(MediaError) {
        TimebaseGraph.read {
            let id = ObjectIdentifier(timer as AnyObject)
            guard timers[id] == nil else { return }
            let entry = TimerEntry(timer)
            timers[id] = entry
            entry.isScheduled = true
            entry.park()
        }
    }

    /// Ends the timebase's care for a timer; nothing fires because of it.
    ///
    /// A start time that the timebase has set is taken back, one that the user has set stays.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for a timer that was not added.
    public func removeTimer<T: DispatchSourceTimer>(_ timer: T) throws(MediaError) {
        try TimebaseGraph.change { leftovers throws(MediaError) in
            guard let entry = timers.removeValue(forKey: ObjectIdentifier(timer as AnyObject))
            else { throw Error.invalidParameter }
            leftovers.keep(entry)
            if entry.arrival != nil && !timer.isCancelled { entry.park() }
        }
    }

    /// Sets when a timer fires on the timebase's timeline, in place of the time set before.
    ///
    /// It fires when the time is reached in the direction in which the timebase goes, at once if it was
    /// reached already. Every change of rate, time or source moves the moment along. A time that is no
    /// number never comes, nor does any while the timebase stands.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for a timer that was not added.
    public func setTimerNextFireTime<T: DispatchSourceTimer>(
        _ timer: T, fireTime: CMTime
    ) throws(MediaError) {
        try TimebaseGraph.change { leftovers throws(MediaError) in
            let entry = try lockedEntry(of: timer)
            let clock = lockedSource.lockedUltimateClock
            entry.fireTime = fireTime.kind == .number ? fireTime : nil
            entry.arrival = nil
            // What was planned before must not fire, not even if it has come meanwhile.
            entry.isScheduled = true
            lockedPlan(entry, clock: clock, now: clock.nanoseconds, &leftovers)
        }
    }

    /// Makes a timer fire once, at once, even if the timebase stands, in place of the time set before.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for a timer that was not added.
    public func setTimerToFireImmediately<T: DispatchSourceTimer>(
        _ timer: T
    ) throws(MediaError) {
        try TimebaseGraph.read { () throws(MediaError) in
            let entry = try lockedEntry(of: timer)
            if !timer.isCancelled { entry.fire() }
        }
    }

    private func lockedEntry(of timer: some DispatchSourceTimer) throws(MediaError) -> TimerEntry {
        guard let entry = timers[ObjectIdentifier(timer as AnyObject)] else {
            throw Error.invalidParameter
        }
        return entry
    }
}

// MARK: With the lock held

extension CMTimebase {
    /// Writes off the timers whose moment has come by the timeline as it was: dispatch fires them.
    func lockedSettleTimers(now: Int64, _ leftovers: inout TimebaseGraph.Leftovers) {
        for entry in timers.values {
            guard let arrival = entry.arrival, arrival <= now else { continue }
            entry.fireTime = nil
            entry.arrival = nil
        }
        for dependent in dependents.live(&leftovers) {
            dependent.lockedSettleTimers(now: now, &leftovers)
        }
    }

    /// Plans all timers by the timeline as it is.
    func lockedPlanTimers(now: Int64, _ leftovers: inout TimebaseGraph.Leftovers) {
        guard !timers.isEmpty else { return }
        let clock = lockedSource.lockedUltimateClock
        for entry in timers.values where entry.fireTime != nil || entry.timer.isCancelled {
            lockedPlan(entry, clock: clock, now: now, &leftovers)
        }
    }

    private func lockedPlan(
        _ entry: TimerEntry, clock: CMClock, now: Int64,
        _ leftovers: inout TimebaseGraph.Leftovers
    ) {
        guard !entry.timer.isCancelled else {
            leftovers.keep(entry)
            timers[ObjectIdentifier(entry.timer as AnyObject)] = nil
            return
        }
        guard let arrival = entry.fireTime.flatMap({ lockedArrival(at: $0) }) else {
            return entry.park()
        }
        guard arrival > now else { return entry.fire() }
        if clock.kind == .host {
            // Dispatch's uptime is CLOCK_MONOTONIC on Linux, as the host clock is.
            entry.isScheduled = true
            entry.timer.schedule(
                deadline: DispatchTime(uptimeNanoseconds: UInt64(arrival)), repeating: .never,
                leeway: .nanoseconds(0))
        } else {
            entry.park()
        }
        entry.arrival = arrival
    }

    /// Fires what a simulated clock has reached, here and in all dependents.
    func fireSimulatedTimers(now: Int64, _ leftovers: inout TimebaseGraph.Leftovers) {
        for entry in timers.values {
            guard let arrival = entry.arrival, arrival <= now else { continue }
            if entry.timer.isCancelled {
                leftovers.keep(entry)
                timers[ObjectIdentifier(entry.timer as AnyObject)] = nil
            } else {
                entry.fire()
            }
        }
        for dependent in dependents.live(&leftovers) {
            dependent.fireSimulatedTimers(now: now, &leftovers)
        }
    }
}

// Not Apple's: when a time comes, for those who wait by themselves.
extension CMTimebase {
    /// The time of the ultimate clock at which the timebase reaches a time, also in the past.
    ///
    /// From that nanosecond on, and as long as nothing changes, ``time`` is at `time` or beyond it in the
    /// direction in which the timebase goes; a timer with that fire time fires then.
    ///
    /// - Parameter time: A number.
    /// - Returns: ``CMTime/invalid`` while the timebase stands and for what is no number; an infinity
    ///   for what is out of the clock's range.
    package func hostTime(for time: CMTime) -> CMTime {
        TimebaseGraph.read {
            guard time.kind == .number, TimeSource.timebase(self).lockedEffectiveRate != 0 else {
                return .invalid
            }
            guard let arrival = lockedArrival(at: time) else { return .positiveInfinity }
            return arrival == .min
                ? .negativeInfinity : CMTime(value: arrival, timescale: 1_000_000_000)
        }
    }
}
