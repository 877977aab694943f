/// Keeps up with a stream that is made while it is watched: a pure function of when its pictures come.
///
/// Pictures come at the pace of their maker's clock, which is never quite the player's, and a stop on the way is made up
/// for by a crowd. What comes too late holds time up, so that neither it nor what comes in its wake is late. But what
/// is watched must not fall behind for ever: where every picture of the last while was there longer before its time than
/// it need be, time moves on a little faster until one is only just in time. Between too late and too early there is
/// room, so that a stream that keeps its pace is shown evenly.
///
/// A file through a pipe is something else: it comes as fast as it is taken, or faster than it is watched.
package struct LivePace {
    /// A picture that came; nanoseconds.
    package struct Arrival {
        /// When, by the host's clock.
        package var host: Int64
        /// How long before its time of decoding, by which pictures that come on time are alike, however they are reordered.
        package var slack: Int64
        /// How many came together.
        package var count: Int
        /// Whether the reader had to wait for it.
        package var hasWaited: Bool
        /// Whether the player had taken all that was there before.
        package var isAwaited: Bool

        /// A picture, or several that came together, of which the first one's time counts.
        package init(
            host: Int64, slack: Int64, count: Int = 1, hasWaited: Bool = true,
            isAwaited: Bool = true
        ) {
            (self.host, self.slack, self.count) = (host, slack, count)
            (self.hasWaited, self.isAwaited) = (hasWaited, isAwaited)
        }
    }

    private static let count = 16
    private static let leastCount = 8
    /// Times the rate of pictures above which a stream comes from something that has it all.
    private static let fastest = 1.5
    /// Behind more than this it is hurried more.
    private static let longDelay: Int64 = 2_000_000_000
    /// What decoding and drawing take; less where pictures are short.
    private static let longestMargin: Int64 = 5_000_000
    /// No time that means anything is further away, and sums of such do not overflow.
    private static let horizon = Int64.max / 8

    private var arrivals: [Arrival] = []

    /// Whether pictures come as they are made.
    package private(set) var isLive = false

    /// Nothing has come.
    package init() {}

    /// Forgets what came: the clock has been set.
    package mutating func restart() { arrivals.removeAll(keepingCapacity: true) }

    /// Takes a picture that came.
    ///
    /// - Parameters:
    ///   - arrival: When it came.
    ///   - duration: How long pictures stay, in nanoseconds.
    ///   - isFollowing: Whether the end of the stream is what is watched, at its own rate.
    /// - Returns: Nanoseconds by which to move the clock on; back where negative.
    package mutating func take(
        _ arrival: Arrival, duration: Int64, isFollowing: Bool = true
    ) -> Int64 {
        var arrival = arrival
        arrival.slack = Self.bounded(arrival.slack)
        let duration = min(max(duration, 0), Self.horizon)
        let margin = min(duration / 4, Self.longestMargin)
        var step: Int64 = 0
        if arrival.slack < 0, arrival.isAwaited {
            step = arrival.slack - margin
            arrival.slack = margin
        }
        guard isFollowing else {
            restart()
            return step
        }
        arrivals.append(arrival)
        if arrivals.count > Self.count { arrivals.removeFirst() }
        guard arrivals.count >= Self.leastCount, let first = arrivals.first, duration > 0 else {
            return step
        }
        let waited = arrivals.count(where: \.hasWaited)
        let span = max(Double(arrival.host) - Double(first.host), 1)
        let later = arrivals.dropFirst().reduce(0.0) { $0 + Double($1.count) }
        isLive =
            waited * 2 >= arrivals.count && later * Double(duration) / span <= Self.fastest
        guard step == 0, isLive, let least = arrivals.map(\.slack).min() else { return step }
        let excess = least - margin
        guard excess > margin else { return 0 }
        step = min(excess / 4, excess > Self.longDelay ? duration : duration / 4)
        for index in arrivals.indices { arrivals[index].slack -= step }
        return step
    }

    private static func bounded(_ slack: Int64) -> Int64 { min(max(slack, -horizon), horizon) }
}
