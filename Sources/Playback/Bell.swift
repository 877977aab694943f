import MediaTime
import Terminal

/// What the main thread waits on: the terminal's events, or where there is no terminal a bell alone.
final class Bell: Sendable {
    private let terminal: Terminal?
    private let isRung = Monitor(false)

    init(_ terminal: Terminal?) { self.terminal = terminal }

    /// Wakes the main thread, from any thread.
    func ring() {
        if let terminal { return terminal.wake() }
        isRung.update { $0 = true }
    }

    /// Waits for events or the bell.
    ///
    /// - Parameter deadline: Nanoseconds of the host clock at which to give up; nil waits for ever.
    /// - Returns: What happened; nothing where it was the bell or the deadline.
    func wait(deadline: UInt64?) -> [TerminalEvent] {
        if let terminal {
            let timeout = deadline.map { deadline in
                let now = UInt64(CMClock.hostNanoseconds)
                return Duration.nanoseconds(deadline > now ? Int64(deadline - now) : 0)
            }
            return terminal.waitForEvents(timeout: timeout)
        }
        _ = isRung.wait(deadline: deadline) { isRung in
            guard isRung else { return nil as Bool? }
            isRung = false
            return true
        }
        return []
    }
}
