import CTerminalShims
import Glibc
import Synchronization

/// The terminal that the process was started on: screen, keys, size, and what it can do.
///
/// One thread, the main one, waits for events, enters and leaves; ``writer`` and ``wake()`` are for any thread.
///
/// ```swift
/// SignalSet.block()                      // before the first thread
/// let terminal = try Terminal()
/// try terminal.enterScreen()
/// terminal.requestCapabilities()         // open the clip in the meantime
/// let capabilities = terminal.awaitCapabilities()
/// while true {
///     for event in terminal.waitForEvents() { … }
/// }
/// terminal.leaveScreen()
/// ```
///
/// However the process ends, the terminal is put back: ``leaveScreen()``, the end of this object, `exit`, and a
/// crash (a fault signal or a Swift trap) all do it. Only SIGKILL cannot. While the screen is entered, what is
/// written to standard error on the same terminal is held back, and appears below the shell's prompt afterwards.
public final class Terminal: Sendable {
    struct State {
        var isEntered = false
        var isInputClosed = false
        /// The modes to put back.
        var modes: termios?
        var parser = InputParser()
        /// When input last came; what ``InputParser/pendingTimeout`` counts from.
        var lastInput: ContinuousClock.Instant
        /// Until when answers may come; decides whether a torn one is told from keys with patience.
        var expectsReplyUntil: ContinuousClock.Instant?
        /// What happened while something else was waited for.
        var pending: [TerminalEvent] = []
        var capabilities: TerminalCapabilities
        var hasNewCapabilities = false
        var lastResize: ContinuousClock.Instant?
        var isResizePending = false
        var size: TerminalSize
    }

    /// The way of all bytes to the terminal.
    public let writer: TerminalWriter

    let device: TerminalDevice
    let poll: EventPoll
    let ledger: ReplyLedger
    let state: Mutex<State>

    /// Opens the terminal of standard output.
    ///
    /// Neither its modes nor its screen change before ``enterScreen()``.
    ///
    /// - Parameters:
    ///   - keysFromStandardInput: Whether keys may come from standard input; false when it is the clip. Where they
    ///     may not, or standard input is no terminal, they come from the controlling terminal.
    ///   - environment: What `TERM` and its like are.
    ///   - poll: What waits for events; nil for one of its own.
    /// - Throws: ``TerminalError``: standard output is no terminal, there are no keys, or `TERM` names a terminal
    ///   without cursor addressing.
    public init(
        keysFromStandardInput: Bool = true, environment: TerminalEnvironment = .current,
        poll: EventPoll? = nil
    ) throws(TerminalError) {
        device = try TerminalDevice(keysFromStandardInput: keysFromStandardInput)
        let terminfo = Terminfo(term: environment.term)
        guard terminfo.canAddressCursor else { throw .dumb(term: environment.term) }
        if let poll { self.poll = poll } else { self.poll = try EventPoll() }
        ledger = ReplyLedger()
        let wake = terminal_eventfd()
        guard wake >= 0 else { throw .system(function: "eventfd", code: errno) }
        writer = TerminalWriter(
            descriptor: device.output, isShared: device.isOutputShared, wakeDescriptor: wake,
            ledger: ledger)
        state = Mutex(
            State(
                lastInput: .now,
                capabilities: TerminalCapabilities(environment: environment, terminfo: terminfo),
                size: device.size ?? TerminalSize(columns: 80, rows: 24)))
    }

    deinit { leaveScreen() }

    /// Ends the present wait for events, or the next.
    ///
    /// From any thread.
    public func wake() { poll.wake() }

    /// The size at this moment; 80 × 24 where neither the kernel nor the terminal tells.
    public var size: TerminalSize {
        device.size ?? state.withLock { $0.capabilities.reportedCells }
            ?? TerminalSize(columns: 80, rows: 24)
    }

    /// What is known of the terminal by now.
    public var capabilities: TerminalCapabilities { state.withLock { $0.capabilities } }

    /// A cell in pixels; nil where the terminal tells nothing plausible.
    public var cellSize: TerminalPixelSize? { capabilities.cellSize(at: size) }
}
