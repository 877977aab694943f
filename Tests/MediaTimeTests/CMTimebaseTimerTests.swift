import Dispatch
import MediaTime
import Testing

@Suite("CMTimebase timers")
struct CMTimebaseTimerTests {
    let clock = CMClock.simulated(start: time(1000, 1))

    private func timebase(rate: Double = 0) throws -> CMTimebase {
        let timebase = try CMTimebase(sourceClock: clock)
        try timebase.setRate(rate)
        return timebase
    }

    @Test func `K-12 an added timer is parked until it has a fire time`() throws {
        let timebase = try timebase(rate: 1)
        let probe = TimerProbe()
        probe.timer.schedule(deadline: .now() + .milliseconds(50))
        try timebase.addTimer(probe.timer)
        clock.advance(by: s(100))
        #expect(probe.count == 0)
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(101))
        #expect(probe.count == 0)
        clock.advance(by: s(0.999_999_999))
        #expect(probe.count == 0)
        clock.advance(by: s(0.000_000_001))
        #expect(probe.fires())
        try timebase.addTimer(probe.timer)
        #expect(probe.count == 1)
    }

    @Test func `K-12 changes of rate, time and source move the fire time along`() throws {
        let parent = try timebase(rate: 1)
        let timebase = try CMTimebase(sourceTimebase: parent)
        try timebase.setRate(1)
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)

        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(10))
        try timebase.setRate(0.5)
        clock.advance(by: s(19))
        #expect(probe.count == 0)
        clock.advance(by: s(1))
        #expect(probe.fires())

        // A jump of its own, then of its source.
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(20))
        try timebase.setTime(s(20))
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(30))
        try parent.setTime(s(40))
        #expect(timebase.time == s(30))
        #expect(probe.fires())

        // Its source slower; then another source.
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(31))
        try parent.setRate(0.1)
        clock.advance(by: s(19))
        #expect(probe.count == 3)
        clock.advance(by: s(1))
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(32))
        let other = CMClock.simulated()
        try timebase.setSource(other)
        clock.advance(by: s(1000))
        #expect(probe.count == 4)
        other.advance(by: s(2))
        #expect(probe.fires())
        #expect(probe.count == 5)
    }

    @Test func `K-12 no number and a timebase that stands park the timer`() throws {
        let parent = try timebase(rate: 1)
        let timebase = try CMTimebase(sourceTimebase: parent)
        try timebase.setRate(1)
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)
        for bad: CMTime in [.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            try timebase.setTimerNextFireTime(probe.timer, fireTime: s(1))
            try timebase.setTimerNextFireTime(probe.timer, fireTime: bad)
        }
        clock.advance(by: s(5))
        #expect(probe.count == 0)
        try parent.setRate(0)
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(3))
        #expect(probe.count == 0)
        try parent.setRate(1)
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(6))
        try timebase.setRate(0)
        clock.advance(by: s(5))
        #expect(probe.count == 1)
        try timebase.setRate(1)
        clock.advance(by: s(1))
        #expect(probe.fires())
    }

    @Test func `K-13 a timer that is due fires at once, in the direction of the rate`() throws {
        let timebase = try timebase(rate: 1)
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)
        try timebase.setTimerNextFireTime(probe.timer, fireTime: .zero)
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(-5))
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(5))
        #expect(probe.count == 2)
        // Going back, what lies ahead in time is past.
        try timebase.setRate(-1)
        #expect(probe.fires())
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(-3))
        clock.advance(by: s(2))
        #expect(probe.count == 3)
        clock.advance(by: s(1))
        #expect(probe.fires())
    }

    @Test func `K-13 a timer that has fired stays parked`() throws {
        let timebase = try timebase(rate: 1)
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(1))
        clock.advance(by: s(1))
        #expect(probe.fires())
        clock.advance(by: s(1))
        try timebase.setTime(.zero)
        clock.advance(by: s(10))
        try timebase.setRate(-1)
        try timebase.setRate(1)
        #expect(probe.count == 1)
    }

    @Test func `K-13 on the host clock a timer fires when it is due and not before`() throws {
        let timebase = try CMTimebase(sourceClock: .hostTimeClock)
        try timebase.setRate(0.5)
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)
        var late: [Double] = []
        for i in 1...10 {
            try timebase.setTimerNextFireTime(probe.timer, fireTime: s(Double(i) * 0.01))
            let due = timebase.hostTime(for: s(Double(i) * 0.01))
            #expect(probe.fires())
            #expect(probe.lastFired >= due)
            #expect(timebase.time >= s(Double(i) * 0.01))
            late.append((probe.lastFired - due).seconds)
        }
        // Some may be late on a loaded machine, but not all.
        #expect(late.min()! < 0.01, "\(late)")
        // Fired by dispatch: a change after it does not fire it again.
        try timebase.setTime(.zero)
        try timebase.setRate(1)
        #expect(probe.count == 10)
        // Moved along to be due at once.
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(1000))
        try timebase.setTime(s(1000))
        #expect(probe.fires())
        #expect(probe.count == 11)
    }

    @Test func `K-14 to fire immediately works at rate 0 and replaces the fire time`() throws {
        let timebase = try timebase()
        let probe = TimerProbe()
        try timebase.addTimer(probe.timer)
        try timebase.setTimerNextFireTime(probe.timer, fireTime: s(1))
        try timebase.setTimerToFireImmediately(probe.timer)
        #expect(probe.fires())
        try timebase.setRate(1)
        clock.advance(by: s(2))
        #expect(probe.count == 1)
    }

    @Test func `K-14 a removed timer is fired no more, and its user's schedule stays`() throws {
        for clock in [clock, CMClock.hostTimeClock] {
            let timebase = try CMTimebase(sourceClock: clock)
            try timebase.setRate(1)
            let probe = TimerProbe()
            try timebase.addTimer(probe.timer)
            try timebase.setTimerNextFireTime(probe.timer, fireTime: s(0.03))
            try timebase.removeTimer(probe.timer)
            if clock === self.clock { clock.advance(by: s(2)) }
            #expect(probe.count == 0)
            #expect(throws: CMTimebase.Error.invalidParameter) {
                try timebase.removeTimer(probe.timer)
            }
            // Nothing planned by the timebase: what the user has planned goes on.
            try timebase.addTimer(probe.timer)
            probe.timer.schedule(deadline: .now() + .milliseconds(1))
            try timebase.removeTimer(probe.timer)
            #expect(probe.fires())
        }
    }

    @Test func `K-14 a timer that was not added is an invalid parameter`() throws {
        let timebase = try timebase(rate: 1)
        let probe = TimerProbe()
        let invalid = CMTimebase.Error.invalidParameter
        #expect(throws: invalid) { try timebase.removeTimer(probe.timer) }
        #expect(throws: invalid) {
            try timebase.setTimerNextFireTime(probe.timer, fireTime: .zero)
        }
        #expect(throws: invalid) { try timebase.setTimerToFireImmediately(probe.timer) }
        let other = try self.timebase(rate: 1)
        try other.addTimer(probe.timer)
        #expect(throws: invalid) { try timebase.setTimerToFireImmediately(probe.timer) }
        #expect(probe.count == 0)
    }

    @Test func `K-14 a cancelled timer is dropped silently`() throws {
        let timebase = try timebase(rate: 1)
        weak var object: AnyObject?
        do {
            let timer = DispatchSource.makeTimerSource()
            timer.setEventHandler {}
            timer.resume()
            object = timer as AnyObject
            try timebase.addTimer(timer)
            try timebase.setTimerNextFireTime(timer, fireTime: s(1))
            timer.cancel()
            try timebase.setTimerToFireImmediately(timer)
            try timebase.setTimerNextFireTime(timer, fireTime: s(2))
            #expect(throws: CMTimebase.Error.invalidParameter) {
                try timebase.setTimerNextFireTime(timer, fireTime: s(2))
            }
        }
        try timebase.setRate(2)
        #expect(object == nil)
    }

    @Test func `the arrival is the first nanosecond at which the time is reached`() throws {
        var random = Random(seed: 99)
        let rates = [1, -1, 0.5, 2, -0.1, 1.0 / 3, 59.94, 1.001, -1e-3, 1e-9, 1e6, 0.123_456_789]
        for _ in 0..<trials / 50 {
            let root = try CMTimebase(sourceClock: clock)
            let leaf = try CMTimebase(sourceTimebase: root)
            for timebase in [root, leaf] {
                try timebase.setRateAndAnchorTime(
                    rate: rates[Int(random.next() % UInt64(rates.count))],
                    anchorTime: time(
                        Int64(random.next() % 1000), [1, 30, 1001][Int(random.next() % 3)]),
                    referenceTime: time(
                        Int64(random.next() % 1000), [1, 30, 7][Int(random.next() % 3)]))
            }
            let target = time(
                Int64(random.next() % 10_000) - 5000, [1, 25, 30, 90000][Int(random.next() % 4)])
            let host = leaf.hostTime(for: target)
            guard host.isNumeric else { continue }
            let before = host - time(1, 1_000_000_000)
            let at = clock.convertTime(host, to: leaf)
            let earlier = clock.convertTime(before, to: leaf)
            if leaf.effectiveRate > 0 {
                // Read times are rounded up: before the arrival by less than a nanosecond.
                #expect(at >= target && earlier - time(1, 1_000_000_000) < target)
            } else {
                #expect(at <= target && earlier > target)
            }
        }
    }

    @Test func `hostTime(for:) inverts the timeline`() throws {
        let timebase = try timebase(rate: 0.5)
        #expect(timebase.hostTime(for: s(1)).fields == [1_002_000_000_000, 1_000_000_000, 1, 0])
        #expect(timebase.hostTime(for: s(-1)) == s(998))
        try timebase.setRate(-2)
        #expect(timebase.hostTime(for: s(-1)) == s(1000.5))
        #expect(timebase.hostTime(for: s(1)) == s(999.5))
        try timebase.setRate(0)
        #expect(timebase.hostTime(for: s(1)).fields == CMTime.invalid.fields)
        try timebase.setRate(1)
        #expect(!timebase.hostTime(for: .positiveInfinity).isValid)
        #expect(timebase.hostTime(for: time(.max, 1)).isPositiveInfinity)
        #expect(timebase.hostTime(for: time(.min, 1)).isNegativeInfinity)
    }
}
