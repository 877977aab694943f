import ElementaryStream
import MediaTime

/// What a stream asks for that is made while it is watched.
extension Player {
    /// When a stream that is made while it is watched has not gone on for so long that it is worth a word.
    func dryDeadline(_ session: PlaybackSession) -> UInt64? {
        guard session.isGrowing, terminal != nil, !news.withLock({ $0.hasPresentedLast }) else {
            return nil
        }
        let state = shared.withLock { $0 }
        guard !state.status.isWaitingForData, !state.status.isPaused, state.target == nil,
            state.shownAt > 0, state.shownEnd.isNumeric
        else { return nil }
        let duration = CMClock.convertHostTimeToSystemUnits(state.shownEnd - state.shownTime)
        return state.shownAt + max(500_000_000, duration * 3)
    }

    /// Says that the stream does not go on, if it does not.
    func noteDry(at deadline: UInt64, _ session: PlaybackSession) {
        let now = UInt64(CMClock.hostNanoseconds)
        let isNews = shared.withLock { state -> Bool in
            guard now >= deadline, state.shownAt + 500_000_000 <= now else { return false }
            state.status.isWaitingForData = true
            return true
        }
        guard isNews else { return }
        screen?.refreshText()
        if let shown = shared.withLock({ $0.shownRank }),
            let next = session.rankHeldBack(behind: shown)
        {
            go(to: next, session)
        }
    }

    /// Goes on behind the picture on show, where what was to come was decoded of half a picture.
    func decodeAgain(_ session: PlaybackSession) {
        let amended = news.withLock { news in
            defer { news.amendedRank = nil }
            return news.amendedRank
        }
        guard let amended else { return }
        let state = shared.withLock { $0 }
        var target = state.target ?? state.shownRank ?? amended
        let isStill = state.target != nil || state.shownRank == nil || state.status.isPaused
        if !isStill, target < session.index.lastRank { target += 1 }
        let place = pendingPlace
        go(to: target, session)
        pendingPlace = place
    }

    /// Tries once more to begin a stream of which nothing could be decoded, if more of it has come.
    func beginAnew(_ session: PlaybackSession) {
        let summary = session.index.summary
        guard news.withLock({ $0.hasPresentedLast }), !summary.isComplete,
            shared.withLock({ $0.shownCount }) == 0, summary.count != triedCount,
            let first = session.index.firstShownRank
        else { return }
        triedCount = summary.count
        go(to: first, session)
    }
}
