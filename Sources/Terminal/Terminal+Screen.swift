import CTerminalShims
import Glibc
import Synchronization

extension Terminal {
    /// Takes the screen: raw modes, alternate screen cleared, cursor hidden, no autowrap.
    ///
    /// In the background it first stops, as every program does that asks for the terminal there, until it is brought
    /// to the foreground. Does nothing when the screen is taken already.
    ///
    /// - Throws: ``TerminalError/system(function:code:)`` where the terminal has gone.
    public func enterScreen() throws(TerminalError) {
        guard !state.withLock({ $0.isEntered }) else { return }
        waitForForeground()
        guard terminal_guard_install() == 0 else {
            throw .system(function: "sigaction", code: errno)
        }
        let modes = device.modes
        let leave = leaveSequence
        var armed = modes
        // Armed first: a crash between here and there puts back what is there still.
        leave.withUTF8Bytes { terminal_guard_arm(device.output, device.input, &armed, $0, $1) }
        device.set(TerminalDevice.raw(modes))
        state.withLock {
            $0.isEntered = true
            $0.modes = modes
        }
        guard writer.open(with: ControlSequence.enter) != .closed else {
            leaveScreen()
            throw .system(function: "write", code: EIO)
        }
        _ = terminal_guard_hold_errors(device.output)
    }

    /// Gives the screen back as it was found: ends what is being written, whatever it is, leaves the alternate
    /// screen, takes answers still on their way (for half a second after the question at most) so that the shell does
    /// not get them, and puts the modes back.
    ///
    /// Does nothing when the screen is not taken. Never throws, never waits long: the terminal may be gone.
    public func leaveScreen() {
        guard let modes = state.withLock({ $0.isEntered ? $0.modes : nil }) else { return }
        writer.shut(with: leaveSequence)
        drainReplies()
        device.set(modes)
        terminal_guard_disarm()
        terminal_guard_release_errors()
        state.withLock {
            $0.isEntered = false
            $0.modes = nil
            $0.isResizePending = false
        }
    }

    /// Gives the screen back, stops the process as Ctrl-Z does, and takes the screen again when it is continued.
    ///
    /// Call it for ``TerminalEvent/suspend``, with drawing stopped; afterwards draw everything again, at what
    /// ``size`` then is.
    ///
    /// - Throws: As ``enterScreen()``.
    public func suspend() throws(TerminalError) {
        let wasEntered = state.withLock { $0.isEntered }
        leaveScreen()
        SignalSet.stop()
        if wasEntered { try enterScreen() }
    }

    /// After a stop that was not ours to prepare (SIGSTOP): whatever the shell did to the terminal, take it again.
    func reenterScreen() {
        guard state.withLock({ $0.isEntered }) else { return }
        waitForForeground()
        // The modes to put back in the end remain those of the first time: what is there now may be our own.
        device.set(TerminalDevice.raw(state.withLock { $0.modes } ?? device.modes))
        writer.post(ControlSequence.abort + ControlSequence.settle + ControlSequence.enter)
    }

    private var leaveSequence: String {
        capabilities.terminfo.hasAlternateScreen
            ? ControlSequence.leave : ControlSequence.leaveCleared
    }

    /// Stops while in the background.
    private func waitForForeground() {
        // A process whom nobody could continue is not stopped by this; it does not ask for ever.
        for _ in 0..<3 where !device.isInForeground {
            terminal_signal_default(SIGTTOU)
        }
    }

    private func drainReplies() {
        let leftAt = ContinuousClock.now
        while let asked = ledger.latestUnanswered, !state.withLock({ $0.isInputClosed }) {
            let now = ContinuousClock.now
            // A terminal that has been silent for long gets a moment still, not half a second.
            let deadline = max(asked + .milliseconds(500), leftAt + .milliseconds(30))
            guard now < deadline else { break }
            var one = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
            _ = Glibc.poll(&one, 1, Optional(deadline - now).pollMilliseconds)
            guard one.revents != 0 else { continue }
            state.withLock { _ = readKeys(&$0) }
        }
        guard ledger.latestUnanswered != nil else { return }
        tcflush(device.input, TCIFLUSH)
    }
}

extension String {
    /// Lends the string's UTF-8 as C wants it.
    fileprivate func withUTF8Bytes(_ body: (UnsafePointer<UInt8>, Int) -> Void) {
        var text = self
        text.withUTF8 { if let start = $0.baseAddress { body(start, $0.count) } }
    }
}
