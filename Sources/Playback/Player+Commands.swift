import ElementaryStream
import MediaTime
import SampleDisplay

extension Player {
    /// Rates that the keys reach.
    private static let keyRates = 0.01...100.0

    /// Does what the user asks for.
    ///
    /// - Returns: What comes after this file, where it is left.
    func perform(_ command: PlayerCommand, _ session: PlaybackSession) -> Next? {
        switch command {
        case .quit: return .quit
        case .changeFile(let step): return .file(step)
        case .togglePause: togglePause(session)
        case .step(let count): step(count, session)
        case .seek(let milliseconds): seek(milliseconds, session)
        case .scaleRate(let factor):
            let rate = shared.withLock { $0.status.rate }
            let scaled = min(max(rate * factor, Self.keyRates.lowerBound), Self.keyRates.upperBound)
            // 1.1 × and ÷ lead back to where they came from.
            setRate((scaled * 1e9).rounded() / 1e9, session)
        case .resetRate: setRate(1, session)
        case .toggleKeys: shared.withLock { $0.showsKeys.toggle() }
        }
        screen?.refreshText()
        return nil
    }

    private func togglePause(_ session: PlaybackSession) {
        let rate = shared.withLock { state -> Double in
            state.status.isPaused.toggle()
            let rate =
                state.status.isPaused || state.status.isUntimed ? 0 : state.status.rate
            if state.target != nil { state.startRate = rate }
            return rate
        }
        if shared.withLock({ $0.target == nil }) { try? session.timebase.setRate(rate) }
        shared.advanceUntimed()
    }

    private func setRate(_ rate: Double, _ session: PlaybackSession) {
        let isRunning = shared.withLock { state -> Bool in
            state.status.rate = rate
            if state.status.isPaused || state.status.isUntimed { return false }
            guard state.target == nil else {
                state.startRate = rate
                return false
            }
            return true
        }
        if isRunning { try? session.timebase.setRate(rate) }
    }

    /// Pauses, and goes `count` pictures on or back from the one last asked for.
    private func step(_ count: Int, _ session: PlaybackSession) {
        try? session.timebase.setRate(0)
        let (from, isSettled) = shared.withLock { state -> (Int?, Bool) in
            state.status.isPaused = true
            if state.target != nil { state.startRate = 0 }
            return (state.target ?? state.shownRank, state.target == nil)
        }
        guard let from else { return }
        let target = clamped(from + count, session)
        guard target != from else { return }
        // On by a few: the pictures are queued already, and the time alone brings the next one up.
        if count > 0, count <= 8, isSettled, let time = session.time(ofRank: target) {
            shared.withLock { state in
                state.target = target
                state.startRate = 0
            }
            try? session.timebase.setTime(time)
        } else {
            go(to: target, session)
        }
    }

    private func seek(_ milliseconds: Int, _ session: PlaybackSession) {
        guard let from = shared.withLock({ $0.target ?? $0.shownRank }),
            let time = session.time(ofRank: from)
        else { return }
        let offset = CMTime(value: Int64(milliseconds), timescale: 1000)
        let wanted = max(time + offset, .zero)
        guard let rank = session.rank(of: .time(wanted)) else { return }
        var target = clamped(rank, session)
        // Always a picture further, however short the step in a slow stream.
        if target == from { target = clamped(from + (milliseconds > 0 ? 1 : -1), session) }
        guard target != from else { return }
        go(to: target, session)
    }

    /// Goes to a picture, and plays on from it as before.
    func go(to rank: Int, _ session: PlaybackSession) {
        try? session.timebase.setRate(0)
        news.update { $0.hasPresentedLast = false }
        shared.withLock { state in
            state.target = rank
            let status = state.status
            state.startRate = status.isPaused || status.isUntimed ? 0 : status.rate
        }
        session.seek(toRank: rank)
    }

    /// The nearest picture that is shown and indexed.
    private func clamped(_ rank: Int, _ session: PlaybackSession) -> Int {
        let first = session.index.firstShownRank ?? 0
        let last = min(session.index.lastRank, session.lastRank ?? .max)
        return min(max(rank, first), max(first, last))
    }
}
