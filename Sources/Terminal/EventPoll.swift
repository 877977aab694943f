import CTerminalShims
import Glibc

/// One poll over the signals, a wake-up from other threads, and the keyboard where there is one.
///
/// ``Terminal`` has one of its own. A player without a terminal makes one for itself.
public final class EventPoll: Sendable {
    /// What was there when a wait ended.
    struct Readiness {
        var signals: [Int32] = []
        var isWoken = false
        var hasInput = false
    }

    private let signalDescriptor: Int32
    private let wakeDescriptor: Int32

    /// Opens the descriptors.
    ///
    /// Signals are read if ``SignalSet/block()`` was called.
    public init() throws(TerminalError) {
        var set = SignalSet.blockable()
        signalDescriptor = terminal_signalfd(&set)
        guard signalDescriptor >= 0 else {
            throw .system(function: "signalfd", code: errno)
        }
        wakeDescriptor = terminal_eventfd()
        guard wakeDescriptor >= 0 else {
            let code = errno
            close(signalDescriptor)
            throw .system(function: "eventfd", code: code)
        }
    }

    deinit {
        close(signalDescriptor)
        close(wakeDescriptor)
    }

    /// Ends the present wait, or the next.
    ///
    /// From any thread; many calls are one event.
    public func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    /// Waits for signals and wake-ups.
    ///
    /// - Parameter timeout: How long at most; nil is for ever.
    /// - Returns: ``TerminalEvent/signal(_:)``, ``TerminalEvent/suspend`` (call ``SignalSet/stop()``),
    ///   ``TerminalEvent/redraw`` or ``TerminalEvent/wake``; nothing after the time-out.
    public func waitForEvents(timeout: Duration? = nil) -> [TerminalEvent] {
        let readiness = wait(input: -1, timeout: timeout)
        var events: [TerminalEvent] = readiness.signals.compactMap {
            switch $0 {
            case SIGTSTP: .suspend
            case SIGCONT: .redraw
            case SIGWINCH: nil
            default: .signal($0)
            }
        }
        if readiness.isWoken { events.append(.wake) }
        return events
    }

    func wait(input: Int32, timeout: Duration?) -> Readiness {
        var readiness = Readiness()
        var polled = [
            pollfd(fd: signalDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, 3, timeout.pollMilliseconds) > 0 else { return readiness }
        if polled[0].revents != 0 {
            while case let signal = terminal_signalfd_read(signalDescriptor), signal != 0 {
                if !readiness.signals.contains(signal) { readiness.signals.append(signal) }
            }
        }
        if polled[1].revents != 0 {
            var count: UInt64 = 0
            readiness.isWoken = read(wakeDescriptor, &count, 8) == 8
        }
        readiness.hasInput = polled[2].revents != 0
        return readiness
    }
}

extension Optional<Duration> {
    /// For poll(2): rounded up, so that a wait is not ended a moment early and begun again; -1 is for ever.
    var pollMilliseconds: Int32 {
        guard let self else { return -1 }
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
