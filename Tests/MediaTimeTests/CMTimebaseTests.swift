import MediaTime
import Testing

@Suite("CMTimebase")
struct CMTimebaseTests {
    let clock = CMClock.simulated(start: time(1000, 1))

    private func timebase(rate: Double = 0, time start: CMTime = .zero) throws -> CMTimebase {
        let timebase = try CMTimebase(sourceClock: clock)
        try timebase.setTime(start)
        try timebase.setRate(rate)
        return timebase
    }

    @Test func `K-2 a fresh timebase stands at 0/1`() throws {
        for fresh in [
            try CMTimebase(sourceClock: clock), try CMTimebase(sourceClock: .hostTimeClock),
            try CMTimebase(sourceTimebase: timebase(rate: 1)),
        ] {
            #expect(fresh.rate == 0 && fresh.effectiveRate == 0)
            #expect(fresh.time.fields == CMTime.zero.fields)
        }
    }

    @Test func `K-3 at rate 0 the time is the anchor, running it is in nanoseconds`() throws {
        let timebase = try timebase()
        try timebase.setTime(time(5, 1))
        #expect(timebase.time.fields == [5, 1, 1, 0])
        clock.advance(by: s(3))
        #expect(timebase.time.fields == [5, 1, 1, 0])
        try timebase.setRate(1)
        clock.advance(by: time(600_000_011_125, 1_000_000_000))
        #expect(timebase.time.fields == [605_000_011_125, 1_000_000_000, 1, 0])
        try timebase.setTime(time(1, 30))
        #expect(timebase.time.fields == [1, 30, 1, 0])
        clock.advance(by: time(1, 1_000_000_000))
        // Rounded up, so that the picture at 1/30 stays.
        #expect(timebase.time.fields == [33_333_335, 1_000_000_000, 3, 0])
        #expect(timebase.time > time(1, 30))
        try timebase.setTime(time(1, 30, epoch: 6))
        #expect(timebase.time.epoch == 6)
        clock.advance(by: s(1))
        #expect(timebase.time.epoch == 6)
    }

    @Test(arguments: [1.0, -1, 2, 0.5, 0.25, 0.1, 1.1, -0.3, 1001.0 / 1000, 1.0 / 3, 59.94])
    func `K-3 the time is exact for years at any rate`(rate: Double) throws {
        let timebase = try timebase(rate: rate, time: time(7, 1))
        let (n, d) = fraction(rate)
        var elapsed: Int128 = 0
        for step in [1, 999, 1_000_000_007, 86_400_000_000_000, 31_536_000_000_000_000] as [Int64] {
            clock.advance(by: time(step, 1_000_000_000))
            elapsed += Int128(step)
            let product = elapsed * n
            let expected = 7_000_000_000 + (product > 0 ? (product + d - 1) / d : -(-product / d))
            #expect(Int128(timebase.time.value) == expected)
        }
    }

    /// The rate as the decimal or simple fraction that it is written as.
    private func fraction(_ rate: Double) -> (Int128, Int128) {
        for d in [1, 2, 3, 4, 10, 50, 1000] where (rate * Double(d)).rounded() / Double(d) == rate {
            return (Int128((rate * Double(d)).rounded()), Int128(d))
        }
        Issue.record("\(rate) is no simple fraction")
        return (0, 1)
    }

    @Test func `K-3 time in another timescale is rounded as asked`() throws {
        let timebase = try timebase(rate: 1)
        clock.advance(by: s(1.75))
        #expect(timebase.time(withTimescale: 1).fields == [2, 1, 3, 0])
        #expect(timebase.time(withTimescale: 1, rounding: .roundTowardZero).value == 1)
        #expect(timebase.time(withTimescale: 4).fields == [7, 4, 1, 0])
    }

    @Test func `K-4 a change of rate keeps the time`() throws {
        let timebase = try timebase(rate: 1, time: time(10, 1))
        clock.advance(by: s(2))
        try timebase.setRate(3)
        #expect(timebase.time == s(12))
        clock.advance(by: s(2))
        #expect(timebase.time == s(18))
        try timebase.setRate(-1)
        clock.advance(by: s(4))
        #expect(timebase.time == s(14))
        try timebase.setRate(0)
        clock.advance(by: s(100))
        #expect(timebase.time == s(14))
        try timebase.setRate(1)
        #expect(timebase.time == s(14))
    }

    @Test func `K-4 a million changes of rate leave no drift`() throws {
        let timebase = try timebase()
        let count = trials / 10
        for i in 0..<count {
            // A third and two thirds of a nanosecond, over and over.
            try timebase.setRate(i % 2 == 0 ? 1.0 / 3 : 2.0 / 3)
            clock.advance(by: time(1, 1_000_000_000))
        }
        let expected = time(Int64(count) / 2, 1_000_000_000)
        #expect((timebase.time - expected).absoluteValue <= time(1, 1_000_000_000))
    }

    @Test func `K-5 setting the time anchors it now and keeps the rate`() throws {
        let timebase = try timebase(rate: 2)
        clock.advance(by: s(1))
        try timebase.setTime(time(50, 1))
        #expect(timebase.time == time(50, 1) && timebase.rate == 2)
        clock.advance(by: s(1))
        #expect(timebase.time == time(52, 1))
        // The source is at 1002: extrapolated from the past and from the future.
        try timebase.setAnchorTime(time(5, 1), referenceTime: time(1000, 1))
        #expect(timebase.time == time(9, 1) && timebase.rate == 2)
        try timebase.setAnchorTime(time(5, 1), referenceTime: time(1010, 1))
        #expect(timebase.time == time(-11, 1))
        clock.advance(to: time(1010, 1))
        #expect(timebase.time == time(5, 1))
    }

    @Test func `K-6 rate and anchor are as though it had always run so`() throws {
        let timebase = try timebase(rate: 1)
        try timebase.setRateAndAnchorTime(
            rate: 0.5, anchorTime: time(5, 1), referenceTime: time(990, 1))
        #expect(timebase.time == time(10, 1) && timebase.rate == 0.5)
        try timebase.setRateAndAnchorTime(
            rate: -2, anchorTime: time(5, 1), referenceTime: time(1003, 1))
        #expect(timebase.time == time(11, 1))
        clock.advance(by: s(3))
        #expect(timebase.time == time(5, 1))
    }

    @Test func `K-7 finite rates are legal, other rates and times that are no numbers are not`()
        throws
    {
        let timebase = try timebase(rate: 1)
        for rate in [
            0, -0.0, 1e-300, -1e300, 0.1, .leastNonzeroMagnitude, -.greatestFiniteMagnitude,
        ] {
            try timebase.setRate(rate)
            #expect(timebase.rate == rate)
            _ = timebase.time
            clock.advance(by: s(1))
            _ = timebase.time
            _ = timebase.hostTime(for: time(1, 1))
            try timebase.setTime(.zero)
        }
        try timebase.setRate(1)
        let invalid = CMTimebase.Error.invalidParameter
        #expect(invalid.status == -12749)
        for rate in [Double.nan, .infinity, -.infinity] {
            #expect(throws: invalid) { try timebase.setRate(rate) }
            #expect(throws: invalid) {
                try timebase.setRateAndAnchorTime(
                    rate: rate, anchorTime: .zero, referenceTime: .zero)
            }
        }
        for bad: CMTime in [
            .invalid, .indefinite, .positiveInfinity, .negativeInfinity, time(1, 0),
        ] {
            #expect(throws: invalid) { try timebase.setTime(bad) }
            #expect(throws: invalid) { try timebase.setAnchorTime(bad, referenceTime: .zero) }
            #expect(throws: invalid) { try timebase.setAnchorTime(.zero, referenceTime: bad) }
            #expect(throws: invalid) {
                try timebase.setRateAndAnchorTime(rate: 1, anchorTime: bad, referenceTime: .zero)
            }
            #expect(throws: invalid) {
                try timebase.setRateAndAnchorTime(rate: 1, anchorTime: .zero, referenceTime: bad)
            }
        }
        #expect(timebase.rate == 1 && timebase.time == .zero)
    }

    @Test func `K-7 extreme times neither trap nor wrap`() throws {
        let timebase = try timebase()
        for extreme in [time(.max, 1), time(.min, 1), time(.max, .max), time(.min, .max)] {
            for rate in [1, -1, 0.1, 1e18, -1e300] {
                try timebase.setRateAndAnchorTime(
                    rate: rate, anchorTime: extreme, referenceTime: time(.max, 1))
                _ = (timebase.time, timebase.hostTime(for: .zero))
                try timebase.setRateAndAnchorTime(
                    rate: rate, anchorTime: extreme, referenceTime: time(.min, 1))
                _ = (timebase.time, timebase.hostTime(for: extreme))
            }
        }
        try timebase.setRateAndAnchorTime(
            rate: 1, anchorTime: time(.max, 1), referenceTime: clock.time)
        clock.advance(by: s(1))
        #expect(timebase.time.isPositiveInfinity)
        try timebase.setTime(time(1 << 40, 1))
        clock.advance(by: s(1))
        #expect(timebase.time == time(1 << 40 + 1, 1))
    }

    @Test func `K-8 the effective rate is the product, and a stopped source stops all`() throws {
        let parent = try timebase(rate: 2)
        let child = try CMTimebase(sourceTimebase: parent)
        let grandchild = try CMTimebase(sourceTimebase: child)
        try child.setRate(-0.5)
        try grandchild.setRate(3)
        #expect(grandchild.effectiveRate == -3 && child.effectiveRate == -1)
        #expect(grandchild.rate == 3)
        clock.advance(by: s(2))
        #expect(parent.time == s(4) && child.time == s(-2) && grandchild.time == s(-6))
        try parent.setRate(0)
        #expect(grandchild.effectiveRate == 0 && grandchild.rate == 3)
        clock.advance(by: s(9))
        #expect(grandchild.time == s(-6))
        // A jump of the source moves the dependents by their rates.
        try parent.setTime(s(14))
        #expect(child.time == s(-7) && grandchild.time == s(-21))
        #expect(child.sourceTimebase === parent && child.sourceClock == nil)
        #expect(grandchild.ultimateSourceClock === clock && parent.sourceClock === clock)
    }

    @Test func `K-9 a change of source keeps time and rate`() throws {
        let other = CMClock.simulated(start: time(5, 1))
        let timebase = try timebase(rate: 2, time: time(10, 1))
        clock.advance(by: s(1))
        timebase.source = other
        #expect(timebase.source === other && timebase.time == s(12) && timebase.rate == 2)
        clock.advance(by: s(50))
        #expect(timebase.time == s(12))
        other.advance(by: s(1))
        #expect(timebase.time == s(14))
        let parent = try self.timebase(rate: 3)
        try timebase.setSource(parent)
        #expect(timebase.time == s(14) && timebase.effectiveRate == 6)
        other.advance(by: s(50))
        clock.advance(by: s(1))
        #expect(timebase.time == s(20))
        #expect(timebase.ultimateSourceClock === clock)
    }

    @Test func `K-9 a cycle is refused`() throws {
        let a = try timebase()
        let b = try CMTimebase(sourceTimebase: a)
        let c = try CMTimebase(sourceTimebase: b)
        #expect(throws: CMTimebase.Error.invalidParameter) { try a.setSource(a) }
        #expect(throws: CMTimebase.Error.invalidParameter) { try a.setSource(b) }
        #expect(throws: CMTimebase.Error.invalidParameter) { try a.setSource(c) }
        a.source = c
        #expect(a.source === clock)
        try c.setSource(a)
        try b.setSource(c)
        #expect(b.ultimateSourceClock === clock)
    }

    @Test func `K-10 time and rate are one snapshot`() async throws {
        let timebase = try timebase()
        try timebase.setRateAndAnchorTime(rate: 1, anchorTime: s(100), referenceTime: clock.time)
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<trials / 20 {
                        let (time, rate) = timebase.timeAndRate
                        guard time == s(rate * 100) else {
                            Issue.record("\(time) at rate \(rate)")
                            return
                        }
                    }
                }
            }
            group.addTask {
                for i in 0..<trials / 20 {
                    let rate = Double(i % 2 + 1)
                    try? timebase.setRateAndAnchorTime(
                        rate: rate, anchorTime: s(rate * 100), referenceTime: clock.time)
                }
            }
        }
    }

    @Test func `K-11 a read-only timebase rejects every setter`() throws {
        let source = try timebase(rate: 2, time: s(7))
        let follower = CMTimebase(following: source, readOnly: true)
        #expect(CMTimebase.Error.readOnly.status == -12757)
        #expect(throws: CMTimebase.Error.readOnly) { try follower.setTime(.zero) }
        #expect(throws: CMTimebase.Error.readOnly) { try follower.setTime(.invalid) }
        #expect(throws: CMTimebase.Error.readOnly) { try follower.setRate(0) }
        #expect(throws: CMTimebase.Error.readOnly) { try follower.setRate(.nan) }
        #expect(throws: CMTimebase.Error.readOnly) {
            try follower.setAnchorTime(.zero, referenceTime: .zero)
        }
        #expect(throws: CMTimebase.Error.readOnly) {
            try follower.setRateAndAnchorTime(rate: 1, anchorTime: .zero, referenceTime: .zero)
        }
        #expect(throws: CMTimebase.Error.readOnly) { try follower.setSource(clock) }
        follower.source = clock
        #expect(follower.source === source)
        clock.advance(by: s(1))
        #expect(follower.time == source.time && follower.time == s(9))
        #expect(follower.rate == 1 && follower.effectiveRate == 2)
    }

    @Test func `K-11 the owner of a read-only timebase sets it`() throws {
        let timebase = CMTimebase(readOnlyWithSourceClock: clock)
        #expect(timebase.rate == 0 && timebase.time.fields == CMTime.zero.fields)
        try timebase.owner.setTime(s(3))
        try timebase.owner.setRate(1)
        clock.advance(by: s(1))
        #expect(timebase.time == s(4))
        try timebase.owner.setRateAndAnchorTime(
            rate: 2, anchorTime: .zero, referenceTime: clock.time)
        try timebase.owner.setAnchorTime(s(1), referenceTime: clock.time)
        let leader = try self.timebase(time: time(1, 30))
        try timebase.owner.follow(leader)
        // The very time, not its nanoseconds.
        #expect(timebase.time == time(1, 30) && timebase.rate == 1)
        #expect(throws: CMTimebase.Error.invalidParameter) { try leader.setSource(timebase) }
        try timebase.owner.setSource(clock)
        #expect(timebase.time == time(1, 30))
        timebase.owner.reset(to: clock)
        #expect(timebase.rate == 0 && timebase.time.fields == CMTime.zero.fields)
        #expect(timebase.source === clock)
        let follower = CMTimebase(following: clock, readOnly: false)
        #expect(follower.time == clock.time)
        try follower.setRate(0)
    }

    @Test func `random operations keep the time continuous and right`() throws {
        var random = Random(seed: 4)
        let clocks = [clock, CMClock.simulated()]
        var timebases: [CMTimebase] = []
        for i in 0..<8 {
            timebases.append(try CMTimebase(sourceClock: clocks[i % 2]))
        }
        var model = [Double](repeating: 0, count: 8)
        let rates = [0, 1, -1, 0.5, 2, 1.0 / 3, 0.1, -1.25, 1.001, 1]
        for step in 0..<trials / 20 {
            let i = Int(random.next() % 8)
            let before = timebases.map(\.time)
            switch random.next() % 6 {
            case 0, 1:
                try timebases[i].setRate(rates[Int(random.next() % UInt64(rates.count))])
                #expect(timebases.map(\.time) == before, "rate of \(i) in step \(step)")
            case 2:
                let j = Int(random.next() % 8)
                let source: any CMSyncProtocol =
                    random.next() % 3 == 0 ? clocks[j % 2] : timebases[j]
                do {
                    try timebases[i].setSource(source)
                } catch {
                    #expect(error == CMTimebase.Error.invalidParameter)
                }
                #expect(timebases.map(\.time) == before, "source of \(i) in step \(step)")
            case 3:
                let time = time(
                    Int64.random(in: -1000...1000, using: &random),
                    [1, 25, 30, 1001, 90000][Int(random.next() % 5)])
                try timebases[i].setTime(time)
                #expect(timebases[i].time.fields == time.fields)
                // The dependents move too: begin the model anew.
                model = timebases.map(\.time.seconds)
            default:
                let elapsed = Double(random.next() % 3_000_000_000) / 1e9
                let clock = clocks[Int(random.next() % 2)]
                clock.advance(by: s(elapsed))
                for (j, timebase) in timebases.enumerated()
                where timebase.ultimateSourceClock === clock {
                    model[j] += elapsed * timebase.effectiveRate
                }
                for (j, timebase) in timebases.enumerated() {
                    let error = abs(timebase.time.seconds - model[j])
                    #expect(error < 1e-6 * max(1, abs(model[j])), "\(j) in step \(step)")
                }
                model = timebases.map(\.time.seconds)
            }
        }
    }
}
