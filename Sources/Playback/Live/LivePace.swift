/// Keeps up with a stream that is made while it is watched.
///
/// Pictures come at the pace of their maker's clock, which is never quite the player's, and a stop on the way is made up
/// for by a crowd. What is watched must not fall behind for ever: where every picture of the last while was there
/// longer before its time than it need be, time moves on a little faster until one is only just in time.
///
/// A file through a pipe is something else: it comes as fast as it is taken, or faster than it is watched.
struct LivePace {
    /// A picture that came; nanoseconds.
    struct Arrival {
        /// When, by the host's clock.
        var host: Int64
        /// How long before its time.
        var slack: Int64
        /// How many came together.
        var count = 1
        /// Whether the reader had to wait for it.
        var hasWaited: Bool
    }

    private static let count = 16
    private static let leastCount = 8
    /// Times the rate of pictures above which a stream comes from something that has it all.
    private static let fastest = 1.5
    /// Behind more than this it is hurried more.
    private static let longDelay: Int64 = 2_000_000_000

    private var arrivals: [Arrival] = []

    /// Whether pictures come as they are made.
    private(set) var isLive = false

    /// Forgets what came: the clock has been set.
    mutating func restart() { arrivals.removeAll(keepingCapacity: true) }

    /// Takes a picture that came.
    ///
    /// - Parameters:
    ///   - arrival: When it came.
    ///   - duration: How long pictures stay, in nanoseconds.
    /// - Returns: Nanoseconds by which to move the clock on.
    mutating func take(_ arrival: Arrival, duration: Int64) -> Int64 {
        arrivals.append(arrival)
        if arrivals.count > Self.count { arrivals.removeFirst() }
        guard arrivals.count >= Self.leastCount, let first = arrivals.first, duration > 0 else {
            return 0
        }
        let waited = arrivals.count(where: \.hasWaited)
        let span = max(arrival.host - first.host, 1)
        let later = arrivals.dropFirst().reduce(0) { $0 + $1.count }
        let rate = Double(later) * Double(duration) / Double(span)
        isLive = waited * 2 >= arrivals.count && rate <= Self.fastest
        guard isLive, let least = arrivals.map(\.slack).min() else { return 0 }
        // A little is left for pictures that come a little late.
        let excess = least - duration / 8
        guard excess > duration / 8 else { return 0 }
        let step = min(excess / 4, excess > Self.longDelay ? duration : duration / 4)
        for index in arrivals.indices { arrivals[index].slack -= step }
        return step
    }
}
