import CTerminalShims
import Glibc

/// The signals that a player reads with its other events, and what becomes of them.
///
/// Call ``block()`` before the first thread starts, when it is certain that events will be waited for: a blocked
/// signal that nobody reads does not end the process. Threads made later inherit the blocking; the workers of
/// Dispatch block all but faults by themselves.
public enum SignalSet {
    /// Those that end the process, unless ignored when it started.
    static let ending: [Int32] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
    ]

    /// Those that are read as events, in the order they are looked at.
    static let all: [Int32] = ending + [SIGTSTP, SIGCONT, SIGWINCH]

    /// Blocks the signals in the calling thread, to be read as events; ignores SIGPIPE, so that a closed output is
    /// an error of the write.
    ///
    /// What was ignored when the process started (nohup, a background job of a plain shell) stays ignored.
    public static func block() {
        terminal_signal_ignore(SIGPIPE)
        var set = blockable()
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Takes the blocking back, in the calling thread.
    public static func unblock() {
        var set = blockable()
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Ends the process by a signal's default action, so that the parent sees which it was.
    ///
    /// Leave the screen first.
    public static func end(by signal: Int32) -> Never {
        terminal_signal_default(signal)
        // Only an ignored or unknown signal comes here.
        exit(128 + signal)
    }

    /// Stops the process as Ctrl-Z does, and returns when it is continued; at once where nobody could continue it.
    public static func stop() {
        terminal_signal_default(SIGTSTP)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGCONT)
        // The continuation that ended this stop is no news.
        var none = timespec()
        _ = sigtimedwait(&set, nil, &none)
    }

    /// Those of ``all`` that are not ignored.
    static func blockable() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in all where terminal_signal_is_ignored(signal) == 0 { sigaddset(&set, signal) }
        return set
    }
}
