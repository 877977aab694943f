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
                let isEmpty = shared.withLock { $0.shownCount } == 0
                if isEmpty || (loopsLeft ?? 1) <= 0 { return .file(1) }
                loopsLeft = loopsLeft.map { $0 - 1 }
                restart(session)
                deadline = nil
            }
            for event in bell.wait(deadline: deadline) {
                if let next = take(event, session) { return next }
            }
            applyEnd(session)
            let news = news.withLock { $0 }
            if news.isOutputClosed { return .quit }
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

    /// Shows how far the index has come, where no picture comes along to show it.
    private func refreshCount(_ session: PlaybackSession) {
        let summary = session.index.summary
        guard summary.count != indexedCount else { return }
        indexedCount = summary.count
        screen?.refreshText()
    }

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
        let (isPaused, isUntimed, end, hasTarget) = shared.withLock {
            ($0.status.isPaused, $0.status.isUntimed, $0.shownEnd, $0.target != nil)
        }
        // The picture asked for never came: it could not be decoded.
        if hasTarget { return .now }
        if isUntimed { return isPaused ? .none : .now }
        // A pause on the last picture lasts; where nobody can end it there is none.
        if isPaused || session.timebase.rate <= 0 { return terminal == nil ? .now : .none }
        guard end.isNumeric, session.timebase.time < end else { return .now }
        let time = session.timebase.hostTime(for: end)
        guard time.isNumeric else { return .now }
        return .at(CMClock.convertHostTimeToSystemUnits(time))
    }

    private func restart(_ session: PlaybackSession) {
        let first = session.index.firstShownRank ?? 0
        let start = options.start.flatMap { session.rank(of: $0) } ?? first
        go(to: max(first, start), session)
    }

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
        case .wake, .linkReport: break
        }
        return nil
    }

    /// Ctrl-Z: the clock stands still while the process does.
    private func suspend(_ session: PlaybackSession) {
        let rate = session.timebase.rate
        try? session.timebase.setRate(0)
        screen?.pause()
        try? terminal?.suspend()
        screen?.resume()
        configure()
        screen?.redraw()
        try? session.timebase.setRate(rate)
    }

    private func take(_ key: Key, _ session: PlaybackSession) -> Next? {
        if key.modifiers.isEmpty, case .character(let scalar) = key.code,
            ("0"..."9").contains(scalar)
        {
            count = min(count * 10 + Int(scalar.value) - 48, 10_000_000)
            return nil
        }
        defer { count = 0 }
        guard let command = interface.command(key, count) else { return nil }
        return perform(command, session)
    }
}
