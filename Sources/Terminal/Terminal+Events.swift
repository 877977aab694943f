import Glibc
import Synchronization

extension Terminal {
    /// The least time between two changes of size that are told: a window edge that is dragged gives hundreds.
    private static let resizeInterval = Duration.milliseconds(20)

    /// Waits for keys, signals, changes of size, answers and ``wake()``, in one poll.
    ///
    /// One thread only. Uses no processor time while nothing happens.
    ///
    /// - Parameter timeout: How long at most; nil is for ever, zero does not wait.
    /// - Returns: All that happened, in order; nothing after the time-out.
    public func waitForEvents(timeout: Duration? = nil) -> [TerminalEvent] {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        while true {
            let (pending, wait, input) = state.withLock { state in
                defer { state.pending.removeAll() }
                return (state.pending, nextWait(&state, deadline), inputDescriptor(state))
            }
            let readiness = poll.wait(input: input, timeout: pending.isEmpty ? wait : .zero)
            var events = pending
            for signal in readiness.signals { events += take(signal: signal) }
            state.withLock { state in
                if readiness.hasInput { events += readKeys(&state) }
                events += timedEvents(&state)
            }
            if readiness.isWoken { events.append(.wake) }
            if events.contains(where: \.isResize) { requestCellSize() }
            if !events.isEmpty { return events }
            if let deadline, ContinuousClock.now >= deadline { return [] }
        }
    }

    private func inputDescriptor(_ state: State) -> Int32 {
        state.isInputClosed || !state.isEntered ? -1 : device.input
    }

    /// How long nothing but news from outside can happen.
    private func nextWait(_ state: inout State, _ deadline: ContinuousClock.Instant?) -> Duration? {
        state.updateExpectation(ledger)
        var ends: [ContinuousClock.Instant] = []
        if let deadline { ends.append(deadline) }
        if let pending = state.parser.pendingTimeout { ends.append(state.lastInput + pending) }
        if state.isResizePending, let last = state.lastResize {
            ends.append(last + Self.resizeInterval)
        }
        return ends.min().map { max(.zero, $0 - .now) }
    }

    private func take(signal: Int32) -> [TerminalEvent] {
        switch signal {
        case SIGWINCH:
            state.withLock { $0.isResizePending = true }
            return []
        case SIGTSTP: return [.suspend]
        case SIGCONT:
            guard state.withLock({ $0.isEntered }) else { return [] }
            reenterScreen()
            return [.redraw]
        default: return [.signal(signal)]
        }
    }

    /// What is due without anything having come.
    private func timedEvents(_ state: inout State) -> [TerminalEvent] {
        var events: [TerminalEvent] = []
        let now = ContinuousClock.now
        state.updateExpectation(ledger)
        if let pending = state.parser.pendingTimeout, now >= state.lastInput + pending {
            events += convert(state.parser.timeOut(), &state)
            state.lastInput = now
        }
        if state.isResizePending, state.lastResize.map({ now >= $0 + Self.resizeInterval }) ?? true
        {
            state.isResizePending = false
            state.lastResize = now
            state.size = device.size ?? state.capabilities.reportedCells ?? state.size
            events.append(.resize(state.size))
        }
        if state.hasNewCapabilities, ledger.queriesSent == nil {
            state.hasNewCapabilities = false
            events.append(.capabilities(state.capabilities))
        }
        return events
    }

    /// Reads all keys and answers that are there.
    func readKeys(_ state: inout State) -> [TerminalEvent] {
        var events: [TerminalEvent] = []
        state.updateExpectation(ledger)
        // A bound, so that a flood of input cannot keep signals waiting.
        for _ in 0..<16 {
            switch device.readInput() {
            case .nothing: return events
            case .closed:
                state.isInputClosed = true
                events.append(.inputClosed)
                return events
            case .bytes(let bytes):
                state.lastInput = .now
                events += convert(state.parser.parse(bytes), &state)
            }
        }
        return events
    }

    private func convert(_ inputs: [TerminalInput], _ state: inout State) -> [TerminalEvent] {
        inputs.compactMap { input in
            switch input {
            // Bytes only where the terminal's own settings give these keys no signal (`stty intr undef`).
            case .key(.character("c", .control)): .signal(SIGINT)
            case .key(.character("\\", .control)): .signal(SIGQUIT)
            case .key(.character("z", .control)): .suspend
            case .key(let key): .key(key)
            case .reply(let reply): take(reply, &state)
            }
        }
    }
}

extension Terminal.State {
    /// Tells the parser what is still on its way.
    mutating func updateExpectation(_ ledger: ReplyLedger) {
        let isAsked = expectsReplyUntil.map { ContinuousClock.now < $0 } ?? false
        if !isAsked { expectsReplyUntil = nil }
        parser.expectsReply = isAsked
        // Status requests go out all the time: with them the Escape key must not get slow.
        let isWaiting = isAsked || ledger.latestUnanswered != nil
        parser.escapeTimeout = .milliseconds(isAsked ? 1000 : isWaiting ? 200 : 80)
    }
}

extension TerminalEvent {
    fileprivate var isResize: Bool {
        if case .resize = self { true } else { false }
    }
}
