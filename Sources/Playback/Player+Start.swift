import ElementaryStream
import H264
import MediaTime
import SampleDisplay
import Terminal

extension Player {
    /// How long nothing is on the screen before a stream is there, in nanoseconds.
    private static let startPatience: UInt64 = 400_000_000

    /// Waits until the first picture to show is indexed, takes the screen and begins.
    ///
    /// - Returns: What comes next, where the file cannot be played; nil when it plays.
    func awaitStart(_ session: PlaybackSession, _ result: inout FileOutcome) -> Next? {
        let patience =
            UInt64(CMClock.hostNanoseconds) + Self.startPatience
        while true {
            switch firstPicture(session) {
            case .success(let rank?):
                return begin(session, atRank: rank, &result)
            case .success(nil): break
            case .failure(let failure):
                result.failure = failure
                return .file(1)
            }
            let now = UInt64(CMClock.hostNanoseconds)
            if session.isGrowing, terminal != nil, now >= patience, drawing == nil {
                // A stream that lets itself be waited for is waited for on the screen.
                do throws(TerminalError) {
                    _ = try openScreen()
                } catch {
                    outcome.terminalError = error
                    return .quit
                }
                shared.withLock { $0.status.isWaitingForData = true }
                configureFirstTime()
            }
            let isWaiting = session.isGrowing && drawing == nil && terminal != nil
            awaitEvents(deadline: isWaiting ? patience : nil)
            while let event = events.popFirst() {
                if let next = takeEarly(event) { return next }
            }
            screen?.refreshText()
        }
    }

    /// Keys that are kept until there is a picture for them to act on.
    private static let earlyKeyLimit = 64

    /// Takes what ends the wait for the first picture, and keeps what acts on it.
    private func takeEarly(_ event: TerminalEvent) -> Next? {
        switch event {
        case .signal(let signal): return .signal(signal)
        case .inputClosed: return .quit
        case .resize, .capabilities:
            if drawing != nil { configure() }
        case .redraw: screen?.redraw()
        case .linkReport(let report): screen?.note(report)
        case .suspend where screen != nil: suspendScreen()
        case .key(let key) where screen != nil:
            switch interface.command(key, 0) {
            case .quit: return .quit
            case .changeFile(let step): return .file(step)
            default: if earlyKeys.count < Self.earlyKeyLimit { earlyKeys.append(event) }
            }
        default: break
        }
        return nil
    }

    /// The rank of the first picture to show, nil while it is not indexed.
    func firstPicture(_ session: PlaybackSession) -> Result<Int?, PlaybackFailure> {
        let summary = session.index.summary
        if summary.count == 0, let failure = summary.failure { return .failure(.stream(failure)) }
        guard summary.shownCount > 0, let first = session.index.firstShownRank else {
            return summary.isComplete ? .failure(.nothingShown(nothing(session))) : .success(nil)
        }
        let started = options.start.map {
            isReached($0, session, summary) ? session.rank(of: $0) : nil
        }
        if started == .some(nil), summary.isComplete {
            return .failure(.startBehindEnd(pictures: summary.count))
        }
        let rank: Int?
        if options.rate < 0 {
            rank = lastPicture(session, summary)
        } else if let started {
            rank = started
        } else {
            rank = first
        }
        guard let rank else { return .success(nil) }
        let shown = max(first, rank)
        return isInRange(shown, session) ? .success(shown) : .failure(.emptyRange)
    }

    /// Backwards, the picture to begin with: the end of what is to be played, once that is known.
    private func lastPicture(_ session: PlaybackSession, _ summary: StreamIndex.Summary) -> Int? {
        if let last = untilRank(session), last <= session.index.lastRank { return last }
        return summary.isComplete ? session.index.lastRank : nil
    }

    /// Whether a picture to begin with lies between `start` and `until`.
    private func isInRange(_ rank: Int, _ session: PlaybackSession) -> Bool {
        guard options.rate >= 0 else { return rank >= session.firstBackwardRank }
        switch options.until {
        case .picture(let last)?: return rank <= last
        case .time(let end)?: return session.time(ofRank: rank).map { $0 < end } ?? true
        case nil: return true
        }
    }

    /// Whether so much is indexed that the picture at a place is known.
    func isReached(
        _ place: Place, _ session: PlaybackSession, _ summary: StreamIndex.Summary
    ) -> Bool {
        guard case .time(let time) = place else { return true }
        return time + Place.tolerance
            < CMTime(value: summary.endTicks, timescale: summary.rate.timescale)
    }

    private func nothing(_ session: PlaybackSession) -> PlaybackFailure.NothingShown {
        let summary = session.index.summary
        if summary.count > 0 { return .noRandomAccessPoint(pictures: summary.count) }
        return summary.nalUnitCount > 0
            ? .noParameterSets(nalUnits: summary.nalUnitCount) : .noNALUnits
    }

    private func begin(
        _ session: PlaybackSession, atRank rank: Int, _ result: inout FileOutcome
    ) -> Next? {
        shared.withLock { state in
            state.target = rank
            state.startRate = state.runningRate
        }
        applyEnd(session)
        // Where nobody can end a pause, the one picture is all.
        if terminal == nil, shared.withLock({ $0.status.isPaused }) { session.end(afterRank: rank) }
        // The decoder begins while the terminal is asked what it can do.
        do throws(TerminalError) {
            let screen = try openScreen()
            let isBackward = shared.withLock { $0.isBackward }
            session.start(on: screen, with: isBackward ? .backward(rank) : .forward(rank))
            configureFirstTime()
            events = earlyKeys[...] + events
            return nil
        } catch {
            outcome.terminalError = error
            return .quit
        }
    }

    /// Tells the session where to end, as soon as that is indexed.
    func applyEnd(_ session: PlaybackSession) {
        if terminal == nil, shared.withLock({ $0.status.isPaused }) { return }
        guard shared.withLock({ $0.loop?.end }) == nil, let last = untilRank(session) else {
            return
        }
        session.end(afterRank: last)
    }

    /// The last picture that `until` lets through, nil for all and while it is not indexed.
    func untilRank(_ session: PlaybackSession) -> Int? {
        switch options.until {
        case nil: return nil
        case .picture(let last): return last
        case .time(let time):
            let summary = session.index.summary
            guard summary.isComplete || isReached(.time(time), session, summary) else {
                return nil
            }
            let timescale = summary.rate.timescale
            // Pictures that begin before it.
            let ticks = (time - Place.tolerance).convertScale(
                timescale, method: .roundTowardPositiveInfinity
            ).value
            return session.index.presentationRank(atTicks: ticks - 1)
        }
    }
}
