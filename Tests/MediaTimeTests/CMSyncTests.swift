import MediaTime
import Testing

@Suite("CMSync")
struct CMSyncTests {
    let clock = CMClock.simulated(start: time(1000, 1))

    private func timebase(
        _ source: any CMSyncProtocol, rate: Double, at anchor: CMTime, _ reference: CMTime
    ) throws -> CMTimebase {
        let timebase = try CMTimebase(sourceClock: clock)
        try timebase.setSource(source)
        try timebase.setRateAndAnchorTime(rate: rate, anchorTime: anchor, referenceTime: reference)
        return timebase
    }

    @Test func `K-16 times are converted up to the common source and down`() throws {
        let root = try timebase(clock, rate: 2, at: s(10), s(1000))
        let left = try timebase(root, rate: 0.5, at: s(0), s(10))
        let right = try timebase(root, rate: -1, at: s(100), s(20))
        #expect(left.convertTime(s(5), to: root) == s(20))
        #expect(left.convertTime(s(5), to: clock) == s(1005))
        #expect(clock.convertTime(s(1005), to: left) == s(5))
        #expect(left.convertTime(s(5), to: right) == s(100))
        #expect(right.convertTime(s(100), to: left) == s(5))
        #expect(root.convertTime(s(20), to: right) == s(100))
        #expect(left.convertTime(left.time, to: clock) == clock.time)
        // Whether the clock has come there does not matter, nor the common source's standing.
        try root.setRate(0)
        #expect(left.convertTime(s(5), to: right) == s(100))
        // The same object: unchanged, whatever it is.
        #expect(left.convertTime(.indefinite, to: left).fields == CMTime.indefinite.fields)
        #expect(clock.convertTime(time(1, 30), to: clock).fields == [1, 30, 1, 0])
    }

    @Test func `K-16 up through a timebase at rate 0 is invalid, down gives its time`() throws {
        let root = try timebase(clock, rate: 1, at: s(0), s(1000))
        let standing = try timebase(root, rate: 0, at: time(7, 3), s(0))
        #expect(!standing.convertTime(s(1), to: root).isValid)
        #expect(!standing.convertTime(s(1), to: clock).isValid)
        #expect(root.convertTime(s(1), to: standing).fields == [7, 3, 1, 0])
        #expect(clock.convertTime(s(1), to: standing).fields == [7, 3, 1, 0])
        let other = CMClock.simulated()
        #expect(!root.convertTime(s(1), to: other).isValid)
        #expect(!other.convertTime(s(1), to: root).isValid)
        #expect(!root.convertTime(.positiveInfinity, to: clock).isValid)
    }

    @Test func `K-16 a follower converts to the very time`() throws {
        let root = try timebase(clock, rate: 1.5, at: s(0), s(1000))
        let follower = CMTimebase(following: root, readOnly: true)
        #expect(root.convertTime(time(1, 30), to: follower).fields == [1, 30, 1, 0])
        #expect(follower.convertTime(time(1, 30), to: root).fields == [1, 30, 1, 0])
    }

    @Test func `K-17 the relative rate is the quotient of effective rates`() throws {
        let root = try timebase(clock, rate: 2, at: s(0), s(1000))
        let left = try timebase(root, rate: 0.5, at: s(0), s(0))
        let right = try timebase(root, rate: -2, at: s(0), s(0))
        #expect(left.rate(relativeTo: right) == -0.25)
        #expect(right.rate(relativeTo: left) == -4)
        #expect(left.rate(relativeTo: root) == 0.5)
        #expect(clock.rate(relativeTo: root) == 0.5)
        #expect(clock.rate(relativeTo: clock) == 1)
        #expect(right.rate(relativeTo: clock) == right.effectiveRate && right.effectiveRate == -4)
        try left.setRate(0)
        #expect(left.rate(relativeTo: right) == 0)
        #expect(right.rate(relativeTo: left).isNaN)
        #expect(clock.rate(relativeTo: left).isNaN)
        #expect(left.rate(relativeTo: left) == 1)
        #expect(left.rate(relativeTo: CMClock.hostTimeClock).isNaN)
    }

    @Test func `K-17 rate and anchor belong together`() throws {
        let root = try timebase(clock, rate: 2, at: s(10), s(900))
        let left = try timebase(root, rate: 0.5, at: s(3), s(4))
        let own = try left.rateAndAnchorTime(relativeTo: root)
        #expect(own.rate == 0.5 && own.anchorTime == s(3) && own.referenceTime == s(4))
        let far = try left.rateAndAnchorTime(relativeTo: clock)
        #expect(far.rate == 1 && far.referenceTime == s(1000) && far.anchorTime == left.time)
        try root.setRate(0)
        #expect(throws: CMSyncError.rateMustBeNonZero) {
            try clock.rateAndAnchorTime(relativeTo: root)
        }
        #expect(throws: CMSyncError.invalidParameter) {
            try left.rateAndAnchorTime(relativeTo: CMClock.hostTimeClock)
        }
    }

    @Test func `K-18 clocks and timebases might drift unless their ultimate clock is the same`()
        throws
    {
        let root = try timebase(clock, rate: 1, at: s(0), s(0))
        let leaf = try timebase(root, rate: 0, at: s(0), s(0))
        let host = CMClock.hostTimeClock
        #expect(!clock.mightDrift(relativeTo: clock) && !root.mightDrift(relativeTo: clock))
        #expect(!clock.mightDrift(relativeTo: leaf) && !leaf.mightDrift(relativeTo: root))
        #expect(host.mightDrift(relativeTo: clock) && leaf.mightDrift(relativeTo: host))
        try root.setSource(host)
        #expect(leaf.mightDrift(relativeTo: clock) && !leaf.mightDrift(relativeTo: host))
    }
}
