import ElementaryStream
import MediaTime

/// Steps and seeks: from the picture last asked for to another, which is on the screen next.
extension Player {
    /// Pauses, and goes `count` pictures on or back from the one last asked for.
    func step(_ steps: Int, _ session: PlaybackSession) {
        stopClock(session)
        let (from, isSettled) = shared.withLock { state -> (Int?, Bool) in
            state.status.isPaused = true
            if state.target != nil { state.startRate = 0 }
            return (state.target ?? state.shownRank, state.target == nil)
        }
        if case .picture(let place)? = pendingPlace, place < .max {
            return go(to: .picture(max(place + steps, 0)), session)
        }
        guard let from, let count = stepFields(steps, session) else { return }
        if isUnknown(from + count, session) { return go(to: .picture(from + count), session) }
        let target = clamped(from + count, session)
        guard target != from else { return }
        // The next picture is queued already, and the time alone brings it up.
        if count == 1, isSettled, session.isFed(for: 1), let time = session.time(ofRank: target) {
            aim(at: target)
            try? session.timebase.setTime(time)
        } else if count < 0 || session.isCached(target) {
            aim(at: target)
            session.feed(.picture(target))
        } else {
            go(to: target, session)
        }
    }

    func seek(_ milliseconds: Int, _ session: PlaybackSession) {
        guard let from = shared.withLock({ $0.target ?? $0.shownRank }),
            let time = session.time(ofRank: from)
        else { return }
        let offset = CMTime(value: Int64(milliseconds), timescale: 1000)
        var start = time
        if case .time(let place)? = pendingPlace { start = place }
        let wanted = max(start + offset, .zero)
        let summary = session.index.summary
        if !isReached(.time(wanted), session, summary), !summary.isComplete, !session.isGrowing {
            return go(to: .time(wanted), session)
        }
        guard let rank = session.rank(of: .time(wanted)) else { return }
        var target = clamped(rank, session)
        // Always a picture further, however short the step in a slow stream.
        if target == from { target = clamped(from + (milliseconds > 0 ? 1 : -1), session) }
        if target != from { go(to: target, session) }
    }

    func seekRandomAccess(_ count: Int, _ session: PlaybackSession) {
        guard let from = shared.withLock({ $0.target ?? $0.shownRank }) else { return }
        guard let rank = session.index.randomAccessRank(from: from, steps: count) else {
            let isIndexing = count > 0 && !session.isGrowing && !session.index.summary.isComplete
            return tell(
                isIndexing
                    ? "indexing" : count > 0 ? "no later random access point" : "no earlier one")
        }
        go(to: clamped(rank, session), session)
    }

    /// The last picture: of a file, once it is all indexed.
    func goToEnd(_ session: PlaybackSession) {
        guard session.index.summary.isComplete || session.isGrowing else {
            shared.withLock { $0.status.message = "indexing" }
            pendingPlace = .picture(.max)
            return
        }
        go(to: clamped(.max, session), session)
        session.liveClock.follow(true)
    }

    /// Goes to a place as soon as it is indexed.
    func go(to place: Place, _ session: PlaybackSession) {
        let summary = session.index.summary
        if case .picture(.max) = place {
            if summary.isComplete { finishPending(clamped(.max, session), session) }
            return
        }
        if let rank = session.rank(of: place),
            summary.isComplete
                || (isReached(place, session, summary) && rank <= session.index.lastRank)
        {
            finishPending(clamped(rank, session), session)
        } else if summary.isComplete {
            finishPending(clamped(.max, session), session)
        } else {
            shared.withLock { $0.status.message = "indexing" }
            pendingPlace = place
        }
    }

    private func finishPending(_ rank: Int, _ session: PlaybackSession) {
        pendingPlace = nil
        shared.withLock { $0.status.message = nil }
        go(to: rank, session)
    }

    /// Goes to a picture, and plays on from it as before.
    func go(to rank: Int, _ session: PlaybackSession) {
        try? session.timebase.setRate(0)
        aim(at: rank)
        let isBackward = shared.withLock { $0.isBackward }
        session.feed(isBackward ? .backward(rank) : .forward(rank))
    }

    /// Whether a file is not indexed as far as a picture, and will be.
    ///
    /// What comes as it is made is never waited for.
    private func isUnknown(_ rank: Int, _ session: PlaybackSession) -> Bool {
        !session.isGrowing && !session.index.summary.isComplete && rank > session.index.lastRank
    }

    /// Notes the picture that is wanted: the clock stands until it is on the screen.
    func aim(at rank: Int) {
        pendingPlace = nil
        news.update { $0.hasPresentedLast = false }
        shared.withLock { state in
            state.target = rank
            state.startRate = state.runningRate
        }
    }

    /// Steps field by field, where fields are shown so.
    ///
    /// - Returns: The pictures still to step; nil where the step has been done.
    private func stepFields(_ count: Int, _ session: PlaybackSession) -> Int? {
        screen?.startWithSecondField(false)
        guard options.deinterlacing == .fields, shared.withLock({ $0.target == nil }),
            let rank = shared.withLock({ $0.shownRank }),
            let number = screen?.fieldNumber(rank: rank)
        else { return count }
        // The ends of the stream are the first field of its first picture, and the second of its last.
        let first = clamped(0, session) * 2
        let target = min(max(number + count, first), clamped(.max, session) * 2 + 1)
        if target / 2 == rank {
            if target != number { screen?.showOtherField() }
            return nil
        }
        screen?.startWithSecondField(target % 2 == 1)
        return target / 2 - rank
    }

    /// The nearest picture that is shown and indexed.
    func clamped(_ rank: Int, _ session: PlaybackSession) -> Int {
        let first = session.index.firstShownRank ?? 0
        let last = min(session.index.lastRank, session.lastRank ?? .max)
        return min(max(rank, first), max(first, last))
    }
}
