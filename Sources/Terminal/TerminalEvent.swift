/// What ``Terminal/waitForEvents(timeout:)`` returns.
public enum TerminalEvent: Hashable, Sendable {
    /// A key.
    case key(Key)
    /// The terminal has this size now. Many changes at once come as few events, the last size always among them.
    case resize(TerminalSize)
    /// Late answers changed what is known of the terminal.
    case capabilities(TerminalCapabilities)
    /// The terminal has treated all it was sent before a status request.
    case linkReport(LinkReport)
    /// Ctrl-Z, or SIGTSTP: stop drawing, then call ``Terminal/suspend()``.
    case suspend
    /// The screen's contents are lost (the process was stopped and continued): draw everything again.
    case redraw
    /// A signal that is to end the process: leave the screen, then ``SignalSet/end(by:)``.
    case signal(Int32)
    /// No more keys will come: the terminal is gone.
    case inputClosed
    /// Somebody called ``Terminal/wake()``.
    case wake
}

/// When the terminal answered a status request.
public struct LinkReport: Hashable, Sendable {
    /// All bytes written to the terminal before the request.
    public var byteCount: Int64
    /// From the end of the write that carried the request to its answer.
    public var elapsed: Duration

    /// A report.
    public init(byteCount: Int64, elapsed: Duration) {
        self.byteCount = byteCount
        self.elapsed = elapsed
    }
}
