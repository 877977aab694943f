import ElementaryStream
import Glibc
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
            let whole = duration.multiplied(by: Int32(max(count, 1)))
            state.news.wholeEnd = time.map { $0 + whole }
            state.news.isAwaited = isAwaited
        }
    }

    /// Nothing comes any more.
    func end() { state.withLock { $0.news.isComplete = true } }

    /// Advances the clock a little, to see whether time goes on behind `milliseconds`.
    func pastTime(_ milliseconds: Double) -> Bool {
        clock.advance(by: CMTime(value: 1, timescale: 1_000_000))
        return time > milliseconds
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
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        play(fed, live, 0..<20, delay: 500)
        #expect(fed.time == 0)
        #expect(!live.isLive)
    }

    @Test func `what comes late sets it back to 5 ms before that, and then it runs on`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
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
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        try fed.timebase.setTime(ms(-200))
        play(fed, live, 0..<100)
        #expect(fed.time >= 99 * 40 - 10)
        #expect(fed.time <= 99 * 40 - 5)
        #expect(live.isLive)
    }

    @Test func `what is taken as fast as it is read is left to its own time`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        try fed.timebase.setTime(ms(-200))
        play(fed, live, 0..<100, hasWaited: false)
        #expect(fed.time == 99 * 40 - 200)
        #expect(!live.isLive)
    }

    @Test(arguments: [0.5, 2, -1])
    func `at another rate it hurries nobody`(rate: Double) throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
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
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: false)
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
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
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
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        for number in Int64(0)..<40 {
            fed.add(
                due: CMTime(value: value, timescale: number % 2 == 0 ? 1 : .max),
                duration: CMTime(value: value, timescale: 1))
            fed.pass(live, to: number)
        }
        #expect(fed.timebase.time.isNumeric)
    }

    /// What a timer or an observer brings about; they have queues of their own.
    private func comes(_ condition: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while !condition() {
            if ContinuousClock.now > end { return false }
            usleep(1000)
        }
        return true
    }

    /// On time up to 49 x 40 ms, so that the next one is due at 2000: time stands at 2020 without it.
    private func stop(_ fed: FedStream, _ live: LiveClock) {
        try? fed.timebase.setRate(1)
        play(fed, live, 0..<50)
        fed.clock.advance(to: ms(2019))
        #expect(!live.isStanding)
        fed.clock.advance(to: ms(2020))
        #expect(comes { live.isStanding })
        fed.clock.advance(to: ms(3000))
        #expect(fed.time == 2020)
    }

    @Test func `time stands behind the half of a picture that is not there, and goes on before it`()
        throws
    {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        stop(fed, live)
        #expect(fed.timebase.rate == 1)
        fed.add(due: ms(2000))
        fed.pass(live, to: 3010)
        #expect(!live.isStanding)
        #expect(fed.time == 1995)
        fed.clock.advance(to: ms(3020))
        #expect(fed.time == 2005)
        // And stands again at 2060.
        fed.clock.advance(to: ms(3075))
        #expect(comes { live.isStanding })
        #expect(fed.time == 2060)
    }

    @Test func `what comes with several pictures stands behind the last of them`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        fed.add(5, due: ms(0))
        fed.pass(live, to: 0)
        fed.clock.advance(to: ms(219))
        usleep(50_000)
        #expect(!live.isStanding)
        fed.clock.advance(to: ms(220))
        #expect(comes { live.isStanding })
    }

    @Test func `the end of the stream lets it go`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        stop(fed, live)
        fed.end()
        fed.pass(live, to: 3010)
        #expect(!live.isStanding)
        fed.clock.advance(to: ms(3500))
        #expect(fed.time == 2510)
    }

    @Test func `who goes back sees what has been, as far as it goes`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        stop(fed, live)
        live.follow(false)
        try fed.timebase.setTime(ms(0))
        #expect(comes { !live.isStanding })
        fed.clock.advance(to: ms(4000))
        #expect(fed.time == 1000)
        fed.clock.advance(to: ms(5020))
        #expect(comes { live.isStanding })
    }

    @Test func `backwards and at rest nothing holds it up`() throws {
        let fed = try FedStream()
        let live = try LiveClock(fed.stream, timebase: fed.timebase, isFollowing: true)
        stop(fed, live)
        try fed.timebase.setRate(-1)
        #expect(comes { !live.isStanding })
        fed.clock.advance(to: ms(3500))
        #expect(fed.time == 1520)
        try fed.timebase.setRate(0)
        try fed.timebase.setTime(ms(9000))
        usleep(50_000)
        #expect(!live.isStanding)
        try fed.timebase.setRate(0.5)
        #expect(comes { live.isStanding })
    }

    @Test func `where nothing tells an end it goes on after a while`() throws {
        let fed = try FedStream()
        var stream = fed.stream
        stream.patience = 30_000_000
        let live = try LiveClock(stream, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        play(fed, live, 0..<50)
        fed.clock.advance(to: ms(2020))
        #expect(comes { fed.pastTime(2020) })
        // Until the next one comes.
        fed.add(due: ms(2000))
        fed.pass(live, to: 4000)
        fed.clock.advance(to: ms(4065))
        #expect(comes { fed.pastTime(2060) })
    }

    @Test func `a file that is all there has no such clock`() throws {
        let fed = try FedStream()
        let live = try LiveClock(nil, timebase: fed.timebase, isFollowing: true)
        try fed.timebase.setRate(1)
        play(fed, live, 0..<50, delay: 500)
        #expect(fed.time == 49 * 40 + 500)
        #expect(!live.isLive)
    }
}
