internal import Synchronization

// Not Apple's: clocks that tests set by hand.
extension CMClock {
    /// A clock that stands at a time until it is advanced.
    ///
    /// - Parameter start: A number.
    /// - Returns: A clock of its own, unrelated to the host clock.
    package static func simulated(start: CMTime = .zero) -> CMClock {
        CMClock(kind: .simulated, nanoseconds: nanoseconds(of: start))
    }

    /// Advances a simulated clock to a time, rounded up to a nanosecond.
    ///
    /// Timers that are due by then have been made to fire when this returns: their handlers run on
    /// their queues, without waiting for them here. A time before the clock's, or the host clock, traps.
    package func advance(to time: CMTime) {
        precondition(kind == .simulated, "only a simulated clock can be advanced")
        let target = Self.nanoseconds(of: time)
        TimebaseGraph.change { leftovers in
            let now = nanoseconds
            precondition(target >= now, "a clock cannot go back from \(now) to \(target) ns")
            guard !isInvalid.load(ordering: .relaxed) else { return }
            simulatedNanoseconds.store(target, ordering: .releasing)
            for timebase in dependents.live(&leftovers) {
                timebase.fireSimulatedTimers(now: target, &leftovers)
            }
        }
    }

    /// Advances a simulated clock by a duration, rounded up to a nanosecond.
    package func advance(by duration: CMTime) {
        // One test thread advances a clock, so nothing comes between reading and setting it.
        advance(to: CMTime(value: nanoseconds, timescale: 1_000_000_000) + duration)
    }

    private static func nanoseconds(of time: CMTime) -> Int64 {
        let time = time.convertScale(1_000_000_000, method: .roundTowardPositiveInfinity)
        precondition(time.isNumeric, "a clock cannot be set to \(time)")
        return time.value
    }
}
