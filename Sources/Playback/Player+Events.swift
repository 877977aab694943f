import ElementaryStream
import Glibc
import MediaTime
import SampleDisplay
import Terminal

extension Player {
    /// Plays until the end of the file or until the user wants something else.
    func follow(_ session: PlaybackSession, _ result: inout FileOutcome) -> Next {
        var loopsLeft = options.loopCount.map { $0 - 1 }
        while true {
            let deadline: UInt64?
            switch ending(session) {
            case .none: deadline = nil
            case .at(let time): deadline = time
            case .now:
                deadline = nil
                if let next = end(session, loopsLeft: &loopsLeft) { return next }
            }
            let dry = dryDeadline(session)
            awaitEvents(deadline: [deadline, dry].compactMap(\.self).min())
            while let event = events.popFirst() {
                if let next = take(event, session) { return next }
            }
            if let dry { noteDry(at: dry, session) }
            applyEnd(session)
            decodeAgain(session)
            beginAnew(session)
            if let pendingPlace { go(to: pendingPlace, session) }
            let news = news.withLock { $0 }
            if let code = news.outputError {
                if code != EPIPE { outcome.outputError = code }
                return .quit
            }
            if news.failure != nil { return .file(1) }
            if let error = screen?.failure {
                result.failure = .drawing("\(error)")
                return .file(1)
            }
            if options.isStrict, let picture = shared.withLock({ $0.strictDamage }) {
                result.failure = .damage(picture: picture)
                return .quit
            }
            refreshCount(session)
        }
    }

    /// Waits for events, or the bell, unless some are left.
    func awaitEvents(deadline: UInt64?) {
        if events.isEmpty { events = bell.wait(deadline: deadline)[...] }
    }

    // MARK: The end

    private enum Ending {
        case none
        /// Nanoseconds of the host clock.
        case at(UInt64)
        case now
    }

    /// When the file is over: the last picture has had its time.
    private func ending(_ session: PlaybackSession) -> Ending {
        guard news.withLock({ $0.hasPresentedLast }) else { return .none }
        // What was presented may still be on its way to the terminal; it rings when it is there.
        guard screen?.isIdle ?? true else { return .none }
        let state = shared.withLock { $0 }
        // Nothing of a stream that goes on could be decoded yet: it is begun anew when more of it has come.
        if state.shownCount == 0, !session.index.summary.isComplete { return .none }
        // The picture asked for never came: it could not be decoded.
        if state.target != nil { return .now }
        // A pause on the last picture lasts; where nobody can end it there is none.
        if state.status.isPaused { return terminal == nil ? .now : .none }
        if state.hasNoClock { return .now }
        let (time, rate) = session.timebase.timeAndRate
        guard rate != 0 else { return terminal == nil ? .now : .none }
        // Backwards the first picture has had its time when the time is back at its beginning.
        let end = rate > 0 ? state.shownEnd : state.shownTime
        guard end.isNumeric, rate > 0 ? time < end : time > end else { return .now }
        let host = session.timebase.hostTime(for: end)
        guard host.isNumeric else { return .now }
        return .at(CMClock.convertHostTimeToSystemUnits(host))
    }

    /// What comes after the last picture.
    private func end(_ session: PlaybackSession, loopsLeft: inout Int?) -> Next? {
        let state = shared.withLock { state in
            defer { state.target = nil }
            return state
        }
        if state.shownCount == 0 { return .file(1) }
        // A picture that was only to be looked at cannot be decoded: the one on the screen stays.
        if state.target != nil, state.status.isPaused, terminal != nil {
            news.update { $0.hasPresentedLast = false }
            session.noteEnded()
            tell("that picture cannot be decoded")
            return nil
        }
        if let loop = state.loop, loop.end != nil {
            go(to: loop.start, session)
            return nil
        }
        // A key turned round: the beginning is a place to stop at, not the end of the file.
        if state.status.rate < 0, options.rate > 0, terminal != nil {
            news.update { $0.hasPresentedLast = false }
            try? session.timebase.setRate(0)
            shared.withLock { $0.status.isPaused = true }
            session.noteEnded()
            tell("the beginning")
            return nil
        }
        if !state.status.isLooping {
            if let left = loopsLeft, left <= 0 { return .file(1) }
            loopsLeft = loopsLeft.map { $0 - 1 }
        }
        guard case .success(let rank?) = firstPicture(session) else { return .file(1) }
        go(to: rank, session)
        return nil
    }

    /// Shows how far the index has come, where no picture comes along to show it.
    private func refreshCount(_ session: PlaybackSession) {
        let summary = session.index.summary
        guard summary.count != indexedCount else { return }
        indexedCount = summary.count
        screen?.refreshText()
    }

    // MARK: Events

    private func take(_ event: TerminalEvent, _ session: PlaybackSession) -> Next? {
        switch event {
        case .key(let key): return take(key, session)
        case .resize, .capabilities: configure()
        case .redraw:
            configure()
            screen?.redraw()
        case .suspend: suspend(session)
        case .signal(let signal): return .signal(signal)
        case .inputClosed: return .quit
        case .linkReport(let report): screen?.note(report)
        case .wake: break
        }
        return nil
    }

    /// Ctrl-Z: the clock stands still while the process does.
    private func suspend(_ session: PlaybackSession) {
        let rate = session.timebase.rate
        try? session.timebase.setRate(0)
        suspendScreen()
        try? session.timebase.setRate(rate)
    }

    /// Gives the screen back, stops the process, and draws all again when it goes on.
    func suspendScreen() {
        screen?.pause()
        try? terminal?.suspend()
        screen?.resume()
        configure()
        screen?.redraw()
    }

    private func take(_ key: Key, _ session: PlaybackSession) -> Next? {
        if let entry = shared.withLock({ $0.entry }) {
            takeEntry(key, entry, session)
            screen?.refreshText()
            return nil
        }
        if key.modifiers.isEmpty, case .character(let scalar) = key.code,
            ("0"..."9").contains(scalar)
        {
            count = min(count * 10 + Int(scalar.value) - 48, 10_000_000)
            return nil
        }
        defer { count = 0 }
        guard let command = interface.command(key, count) else { return nil }
        shared.withLock { $0.status.message = nil }
        return perform(command, session)
    }

    /// A key while a place is being typed.
    private func takeEntry(_ key: Key, _ entry: String, _ session: PlaybackSession) {
        switch key.code {
        case .escape: shared.withLock { $0.entry = nil }
        case .backspace:
            shared.withLock { $0.entry = entry.isEmpty ? nil : String(entry.dropLast()) }
        case .enter:
            shared.withLock { $0.entry = nil }
            guard !entry.isEmpty else { return }
            guard let place = interface.place(entry) else {
                return tell("\(entry) is no place: 12.5, 1:02.5, #120")
            }
            go(to: place, session)
        case .character(let scalar) where scalar.isASCII && entry.utf8.count < 24:
            shared.withLock { $0.entry = entry + String(Character(scalar)) }
        default: break
        }
    }
}
