package import ElementaryStream
package import MediaTime
import Synchronization

/// The timebase of a stream that grows while it is watched: stands still where the stream does, and does not fall behind it.
package final class LiveClock: Sendable {
    private struct State {
        var pace = LivePace()
        /// Whether the user has not gone elsewhere.
        var isFollowing: Bool
        var waited: UInt64 = 0
        var count = 0
    }

    /// What it follows.
    package struct Stream: Sendable {
        /// Nanoseconds that its reader has waited for its writer.
        package var waited: @Sendable () -> UInt64
        /// What has been indexed since there were so many access units.
        package var news: @Sendable (Int) -> StreamIndex.News
        /// Nanoseconds after which time goes on although nothing has come; nil where the stream tells its end.
        package var patience: UInt64?

        /// A stream that is told of by these.
        package init(
            waited: @escaping @Sendable () -> UInt64,
            news: @escaping @Sendable (Int) -> StreamIndex.News, patience: UInt64? = nil
        ) {
            (self.waited, self.news, self.patience) = (waited, news, patience)
        }
    }

    /// Nil where all is there already.
    private let stream: Stream?
    private let timebase: CMTimebase
    private let gate: StreamGate?
    private let state: Mutex<State>
    /// The least time that tells waiting from being scheduled.
    private static let wait: UInt64 = 2_000_000

    /// - Parameters:
    ///   - stream: The stream; nil where it does not grow.
    ///   - timebase: What it is played by.
    ///   - isFollowing: Whether its end is what is watched.
    /// - Throws: What a timebase throws; none that follows a clock does.
    package init(
        _ stream: Stream?, timebase: CMTimebase, isFollowing: Bool
    ) throws(MediaError) {
        self.stream = stream
        self.timebase = timebase
        gate = stream == nil ? nil : try StreamGate(timebase, patience: stream?.patience)
        state = Mutex(State(isFollowing: isFollowing))
    }

    /// Whether pictures come as they are made.
    package var isLive: Bool { state.withLock { $0.pace.isLive } }

    /// Whether time stands because the stream does.
    package var isStanding: Bool { gate?.isShut ?? false }

    /// Watches the end of the stream, or what the user has gone to, at its own rate.
    package func follow(_ isFollowing: Bool) {
        state.withLock { state in
            state.isFollowing = isFollowing
            state.pace.restart()
        }
    }

    /// Takes note that there may be more in the index.
    ///
    /// - Parameter host: The host clock's time, in nanoseconds.
    package func noteArrival(at host: Int64) {
        guard let stream, let gate else { return }
        let waited = stream.waited()
        state.withLock { state in
            let news = stream.news(state.count)
            // Fewer where one that counted as complete is waited for again.
            if news.added > 0 {
                let hasWaited = waited &- state.waited >= Self.wait
                (state.count, state.waited) = (news.count, waited)
                take(news, hasWaited: hasWaited, at: host, &state)
            }
            if news.isComplete {
                gate.move(to: .positiveInfinity)
            } else if let end = news.wholeEnd {
                // The next picture may come late by half its time. One behind it is not due by then.
                gate.move(to: end + news.duration.multiplied(by: 1, dividedBy: 2))
            }
        }
    }

    /// Takes note that a picture is not whole yet, although it is indexed.
    package func wait(for picture: (time: CMTime, duration: CMTime)) {
        gate?.move(to: picture.time + picture.duration.multiplied(by: 1, dividedBy: 2))
    }

    private func take(
        _ news: StreamIndex.News, hasWaited: Bool, at host: Int64, _ state: inout State
    ) {
        guard let due = news.decodeTime else { return }
        let (time, rate) = timebase.timeAndRate
        guard rate > 0, let slack = Self.nanoseconds(due - time),
            let duration = Self.nanoseconds(news.duration)
        else { return state.pace.restart() }
        let step = state.pace.take(
            .init(
                host: host, slack: slack, count: news.added, hasWaited: hasWaited,
                isAwaited: news.isAwaited),
            duration: duration, isFollowing: state.isFollowing && rate == 1)
        guard step != 0 else { return }
        try? timebase.setTime(time + CMTime(value: step, timescale: 1_000_000_000))
    }

    private static func nanoseconds(_ time: CMTime) -> Int64? {
        let time = time.convertScale(1_000_000_000, method: .default)
        return time.isNumeric ? time.value : nil
    }
}
