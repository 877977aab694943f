import ElementaryStream
import MediaTime
import Synchronization

/// The timebase of a stream that grows while it is watched: stands still where the stream does, and does not fall behind it.
final class LiveClock: Sendable {
    private struct State {
        var pace = LivePace()
        /// Whether the user has not gone elsewhere.
        var isFollowing: Bool
        var waited: UInt64 = 0
        var count = 0
    }

    private let source: any ByteSource
    private let index: StreamIndex
    private let timebase: CMTimebase
    private let state: Mutex<State>
    /// The least time that tells waiting from being scheduled.
    private static let wait: UInt64 = 2_000_000

    /// - Parameters:
    ///   - source: The stream.
    ///   - index: Its index.
    ///   - timebase: What it is played by.
    ///   - isFollowing: Whether its end is what is watched.
    init(
        _ source: any ByteSource, index: StreamIndex, timebase: CMTimebase, isFollowing: Bool
    ) {
        self.source = source
        self.index = index
        self.timebase = timebase
        state = Mutex(State(isFollowing: isFollowing && source.byteCount == nil))
    }

    /// Whether pictures come as they are made.
    var isLive: Bool { state.withLock { $0.pace.isLive } }

    /// Watches the end of the stream, or what the user has gone to, at its own rate.
    func follow(_ isFollowing: Bool) {
        state.withLock { state in
            state.isFollowing = isFollowing && source.byteCount == nil
            state.pace.restart()
        }
    }

    /// Takes note that there is more in the index.
    ///
    /// Where its time is over already, time goes on from there, so that neither it nor what comes in its wake is late.
    func noteArrival() {
        guard source.byteCount == nil else { return }
        let waited = source.waitedNanoseconds
        let host = CMClock.hostNanoseconds
        state.withLock { state in
            let news = index.news(from: state.count)
            guard news.added > 0 else { return }
            let hasWaited = waited - state.waited >= Self.wait
            (state.count, state.waited) = (news.count, waited)
            guard let due = news.time else { return }
            let (time, rate) = timebase.timeAndRate
            guard rate > 0 else { return state.pace.restart() }
            let duration = Self.nanoseconds(news.duration)
            let slack = Self.nanoseconds(due - time)
            if news.isAwaited, slack < -duration / 2 {
                try? timebase.setTime(due)
                return state.pace.restart()
            }
            guard state.isFollowing, rate == 1 else { return state.pace.restart() }
            let step = state.pace.take(
                .init(host: host, slack: slack, count: news.added, hasWaited: hasWaited),
                duration: duration)
            guard step > 0 else { return }
            try? timebase.setTime(time + CMTime(value: step, timescale: 1_000_000_000))
        }
    }

    private static func nanoseconds(_ time: CMTime) -> Int64 {
        let time = time.convertScale(1_000_000_000, method: .default)
        return time.isNumeric ? time.value : 0
    }
}
