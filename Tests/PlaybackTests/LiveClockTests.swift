import ElementaryStream
import MediaTime
import Playback
import Synchronization
import Testing

/// A stream told of by hand, and a timebase on a clock that is set by hand.
private final class FedStream: Sendable {
    private struct State {
        var news = StreamIndex.News(
            count: 0, added: 0, decodeTime: nil, duration: .zero, isAwaited: true)
        var waited: UInt64 = 0
        var count = 0
    }

    let clock = CMClock.simulated()
    let timebase: CMTimebase
    private let state = Mutex(State())

    init() throws { timebase = try CMTimebase(sourceClock: clock) }

    var stream: LiveClock.Stream {
        LiveClock.Stream(
            waited: { self.state.withLock { $0.waited } },
            news: { seen in
                self.state.withLock { state in
                    var news = state.news
                    news.count = state.count
                    news.added = state.count - seen
                    return news
                }
            })
    }

    /// Adds pictures of which the first must be there at `time`.
    func add(
        _ count: Int = 1, due time: CMTime?, duration: CMTime = CMTime(value: 1, timescale: 25),
        hasWaited: Bool = true, isAwaited: Bool = true
    ) {
        state.withLock { state in
            state.count += count
            if hasWaited { state.waited += 10_000_000 }
            (state.news.decodeTime, state.news.duration) = (time, duration)
            state.news.isAwaited = isAwaited
        }
    }

    /// Sets the clock, and tells the live clock.
    func pass(_ live: LiveClock, to milliseconds: Int64) {
        clock.advance(to: CMTime(value: milliseconds, timescale: 1000))
        live.noteArrival(at: milliseconds * 1_000_000)
    }

    /// Milliseconds of the timebase.
    var time: Double { (timebase.time.seconds * 1000 * 1000).rounded() / 1000 }
}

private func ms(_ count: Int64) -> CMTime { CMTime(value: count, timescale: 1000) }

@Suite("Live clock")
struct LiveClockTests {
    /// Pictures of 40 ms, each `delay` after its time.
    private func play(
        _ fed: FedStream, _ live: LiveClock, _ numbers: Range<Int64>, delay: Int64 = 0,
        hasWaited: Bool = true
    ) {
        for number in numbers {
            fed.add(due: ms(number * 40), hasWaited: hasWaited)
            fed.pass(live, to: number * 40 + delay)
        }
    }

    @Test func `before the first picture is on show the clock stands`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        play(fed, live, 0..<20, delay: 500)
        #expect(fed.time == 0)
        #expect(!live.isLive)
    }

    @Test func `what comes late sets it back to 5 ms before that, and then it runs on`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        fed.add(due: ms(40))
        fed.pass(live, to: 90)
        #expect(fed.time == 35)
        fed.clock.advance(to: ms(100))
        #expect(fed.time == 45)
        play(fed, live, 2..<100, delay: 50)
        // In time each: 55 ms behind for good.
        #expect(fed.time == Double(99 * 40 + 50 - 55))
        #expect(live.isLive)
    }

    @Test func `of what is early a little is taken off with each picture`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        try fed.timebase.setTime(ms(-200))
        play(fed, live, 0..<100)
        #expect(fed.time >= 99 * 40 - 10)
        #expect(fed.time <= 99 * 40 - 5)
        #expect(live.isLive)
    }

    @Test func `what is taken as fast as it is read is left to its own time`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        try fed.timebase.setTime(ms(-200))
        play(fed, live, 0..<100, hasWaited: false)
        #expect(fed.time == 99 * 40 - 200)
        #expect(!live.isLive)
    }

    @Test(arguments: [0.5, 2, -1])
    func `at another rate it hurries nobody`(rate: Double) throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(rate)
        for number in Int64(0)..<100 {
            let due = CMTime(seconds: Double(number) * 0.04 * rate, preferredTimescale: 1000)
            fed.add(due: due + ms(500))
            fed.pass(live, to: number * 40)
        }
        #expect(fed.time == 99 * 40 * rate)
    }

    @Test func `who went elsewhere is left alone until the return`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: false)
        try fed.timebase.setRate(1)
        try fed.timebase.setTime(ms(-1000))
        play(fed, live, 0..<50)
        #expect(fed.time == 49 * 40 - 1000)
        live.follow(true)
        play(fed, live, 50..<57)
        #expect(fed.time == 56 * 40 - 1000)
        play(fed, live, 57..<58)
        #expect(fed.time > 57 * 40 - 1000)
        live.follow(false)
        let lead = fed.time - 57 * 40
        play(fed, live, 58..<80)
        #expect(fed.time == 79 * 40 + lead)
    }

    @Test func `no news, no picture that is shown and no time that is a number move it`() throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        fed.pass(live, to: 40)
        let times = [nil, CMTime.invalid, .positiveInfinity, .negativeInfinity, .indefinite]
        for (number, time) in times.enumerated() {
            fed.add(due: time)
            fed.pass(live, to: 80 + Int64(number))
            #expect(fed.time == 80 + Double(number))
        }
        fed.add(due: ms(0), duration: .indefinite)
        fed.pass(live, to: 90)
        #expect(fed.time == 90)
        // Fewer than there were: one that counted as whole is waited for again.
        fed.add(-1, due: ms(0))
        fed.pass(live, to: 100)
        #expect(fed.time == 100)
    }

    @Test(arguments: [Int64.min + 1, -1_000_000_000_000, 1_000_000_000_000, .max])
    func `absurd times end in no trap`(value: Int64) throws {
        let fed = try FedStream()
        let live = LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        for number in Int64(0)..<40 {
            fed.add(
                due: CMTime(value: value, timescale: number % 2 == 0 ? 1 : .max),
                duration: CMTime(value: value, timescale: 1))
            fed.pass(live, to: number)
        }
        #expect(fed.timebase.time.isNumeric)
    }

    @Test func `a file that is all there has no such clock`() throws {
        let fed = try FedStream()
        let live = LiveClock(nil, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        play(fed, live, 0..<50, delay: 500)
        #expect(fed.time == 49 * 40 + 500)
        #expect(!live.isLive)
    }
}
