/// Lets so many bytes a second through, in portions so small that any two seconds come out within a few percent.
///
/// Pure: times go in.
package struct RateLimiter: Sendable {
    private var bytesPerSecond: Double?
    private var tokens = 0.0
    private var last: ContinuousClock.Instant?

    /// No limit.
    package init() {}

    package init(bytesPerSecond: Int?, at time: ContinuousClock.Instant) {
        self.bytesPerSecond = bytesPerSecond.map { Double(max(1, $0)) }
        last = time
    }

    /// What may be saved up: 50 ms worth, 2.5 % of two seconds, for a thread that is woken late.
    private var capacity: Double { max(1, (bytesPerSecond ?? 0) / 20) }

    /// How long to wait before any of `count` bytes may go; nil for not at all.
    package mutating func pause(for count: Int, at time: ContinuousClock.Instant) -> Duration? {
        guard let bytesPerSecond else { return nil }
        if let last {
            tokens = min(capacity, tokens + (time - last) / .seconds(1) * bytesPerSecond)
        }
        last = time
        // 10 ms worth at least, so that the loop does not turn for every byte.
        let wanted = max(1, min(Double(count), capacity / 5))
        guard tokens < wanted else { return nil }
        return .seconds((wanted - tokens) / bytesPerSecond)
    }

    /// How many of `count` bytes may go now.
    package func allowed(_ count: Int) -> Int {
        bytesPerSecond == nil ? count : min(count, max(1, Int(tokens)))
    }

    /// So many went.
    package mutating func take(_ count: Int) {
        if bytesPerSecond != nil { tokens -= Double(count) }
    }
}
