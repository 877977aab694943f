import Terminal
import Testing

@Suite("Rate limiter")
struct RateLimiterTests {
    @Test("within 3 % over any two seconds", arguments: [1000, 32_000, 2_000_000])
    func rate(rate: Int) {
        var time = ContinuousClock.now
        var limiter = RateLimiter(bytesPerSecond: rate, at: time)
        var sent: [(time: ContinuousClock.Instant, count: Int)] = []
        let start = time
        while time < start + .seconds(6) {
            if let pause = limiter.pause(for: 1 << 20, at: time) {
                time += pause
                continue
            }
            let count = limiter.allowed(1 << 20)
            limiter.take(count)
            sent.append((time, count))
        }
        for begin in stride(from: 0, to: sent.count, by: max(1, sent.count / 50))
        where sent[begin].time < start + .seconds(4) {
            let window = sent[begin...].prefix { $0.time < sent[begin].time + .seconds(2) }
            let total = window.reduce(0) { $0 + $1.count }
            #expect(Double(total) <= Double(rate) * 2 * 1.03 + 1)
            #expect(Double(total) >= Double(rate) * 2 * 0.97 - 1)
        }
        // No more than a hundred turns a second.
        #expect(sent.count < 6 * 210)
    }

    @Test func `no limit never waits`() {
        var limiter = RateLimiter()
        #expect(limiter.pause(for: 1 << 30, at: .now) == nil)
        #expect(limiter.allowed(1 << 30) == 1 << 30)
    }
}
