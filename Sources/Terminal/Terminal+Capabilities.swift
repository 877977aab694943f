import Glibc
import Synchronization

extension Terminal {
    /// Asks the terminal what it can do, all in one write.
    ///
    /// The screen must be taken: answers would be echoed otherwise.
    public func requestCapabilities() {
        let environment = capabilities.environment
        ledger.noteQueries(at: .now)
        state.withLock { $0.expectsReplyUntil = .now + .seconds(5) }
        let text = CapabilityQuery.text(for: environment, hasSize: device.size != nil)
        _ = writer.write(Array(text.utf8))
    }

    /// Waits for the terminal's answers.
    ///
    /// Keys that come meanwhile are kept for ``waitForEvents(timeout:)``. Answers that come later are taken then and
    /// make ``TerminalEvent/capabilities(_:)``.
    ///
    /// - Parameter timeout: How long at most, counted from ``requestCapabilities()``. A mute terminal takes all of
    ///   it.
    /// - Returns: What is known then.
    public func awaitCapabilities(
        timeout: Duration = .milliseconds(250)
    ) -> TerminalCapabilities {
        while !state.withLock({ $0.isInputClosed }), let asked = ledger.queriesSent {
            let left = asked + timeout - .now
            guard left > .zero else { break }
            var one = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&one, 1, Optional(left).pollMilliseconds) > 0 else { continue }
            state.withLock { state in
                let events = readKeys(&state)
                state.pending += events
            }
        }
        return state.withLock { state in
            state.hasNewCapabilities = false
            return state.capabilities
        }
    }

    /// Asks for the size of a cell again, where the kernel does not tell it: the font may have changed.
    func requestCellSize() {
        let capabilities = capabilities
        guard capabilities.reportedCellSize != nil, device.size?.pixels == nil else { return }
        ledger.noteSizeRequest(at: .now)
        state.withLock { $0.expectsReplyUntil = .now + .seconds(5) }
        writer.post("\u{1B}[16t")
    }

    /// Takes an answer; the event it makes, if any.
    func take(_ reply: TerminalReply, _ state: inout State) -> TerminalEvent? {
        if reply == .status { return ledger.takeStatus(at: .now).map { .linkReport($0) } }
        let before = state.capabilities
        state.capabilities.take(reply)
        if case .primaryAttributes = reply, let time = ledger.takeFence(at: .now) {
            state.capabilities.roundTrip = time
            state.expectsReplyUntil = nil
        }
        if case .cellSize = reply, ledger.queriesSent == nil {
            ledger.takeSize()
            state.expectsReplyUntil = nil
        }
        if state.capabilities != before { state.hasNewCapabilities = true }
        return nil
    }
}
