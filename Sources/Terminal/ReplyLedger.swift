import Synchronization

/// What the terminal was asked and has not answered, kept by those who write and the one who reads.
final class ReplyLedger: Sendable {
    struct State {
        /// When the queries that DA1 ends were written.
        var queriesSent: ContinuousClock.Instant?
        /// The unanswered status request.
        var statusSent: (time: ContinuousClock.Instant, byteCount: Int64)?
        /// When a size was asked for.
        var sizeSent: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func noteQueries(at time: ContinuousClock.Instant) { state.withLock { $0.queriesSent = time } }

    func noteSizeRequest(at time: ContinuousClock.Instant) { state.withLock { $0.sizeSent = time } }

    /// Whether a status request may go out: one at most is unanswered, unless the terminal has been silent so long
    /// that it never will answer.
    func mayRequestStatus(at time: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard let sent = state.statusSent else { return true }
            return time - sent.time > .seconds(10)
        }
    }

    func noteStatusRequest(at time: ContinuousClock.Instant, byteCount: Int64) {
        state.withLock { $0.statusSent = (time, byteCount) }
    }

    /// The status request under way was thrown away with what was before it.
    func forgetStatus() { state.withLock { $0.statusSent = nil } }

    /// The terminal has answered DA1; how long it took.
    func takeFence(at time: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            guard let sent = state.queriesSent else { return nil }
            state.queriesSent = nil
            return time - sent
        }
    }

    func takeSize() { state.withLock { $0.sizeSent = nil } }

    func takeStatus(at time: ContinuousClock.Instant) -> LinkReport? {
        state.withLock { state in
            guard let sent = state.statusSent else { return nil }
            state.statusSent = nil
            return LinkReport(byteCount: sent.byteCount, elapsed: time - sent.time)
        }
    }

    /// When the queries were asked that DA1 has not ended yet.
    var queriesSent: ContinuousClock.Instant? { state.withLock { $0.queriesSent } }

    /// When the latest unanswered question was asked; nil when all are answered.
    var latestUnanswered: ContinuousClock.Instant? {
        state.withLock { state in
            [state.queriesSent, state.statusSent?.time, state.sizeSent].compactMap(\.self).max()
        }
    }
}
