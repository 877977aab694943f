/// What a timebase gets its time from.
///
/// Everything here is called with the lock of `TimebaseGraph` held.
enum TimeSource {
    case clock(CMClock)
    case timebase(CMTimebase)

    /// A source from what the user gave, nil when it is neither clock nor timebase.
    init?(_ object: any CMSyncProtocol) {
        if let timebase = object as? CMTimebase {
            self = .timebase(timebase)
        } else if let clock = object as? CMClock {
            self = .clock(clock)
        } else {
            return nil
        }
    }

    var object: any CMSyncProtocol {
        switch self {
        case .clock(let clock): clock
        case .timebase(let timebase): timebase
        }
    }

    static func === (a: TimeSource, b: TimeSource) -> Bool {
        switch (a, b) {
        case (.clock(let a), .clock(let b)): a === b
        case (.timebase(let a), .timebase(let b)): a === b
        default: false
        }
    }

    var lockedUltimateClock: CMClock {
        var source = self
        while case .timebase(let timebase) = source { source = timebase.lockedSource }
        guard case .clock(let clock) = source else { preconditionFailure("a source is a clock") }
        return clock
    }

    var lockedEffectiveRate: Double {
        var rate = 1.0
        var source = self
        while case .timebase(let timebase) = source {
            rate *= timebase.lockedRate.value
            source = timebase.lockedSource
        }
        return rate
    }

    /// The time at a time of the ultimate clock.
    func lockedReading(now: Int64) -> TimelineReading {
        switch self {
        case .clock: TimelineReading(fine: FineTime(nanoseconds: now), exact: nil, epoch: 0)
        case .timebase(let timebase): timebase.lockedReading(now: now)
        }
    }

    func lockedRate(relativeTo measure: TimeSource) -> Double {
        if self === measure { return 1 }
        guard lockedUltimateClock === measure.lockedUltimateClock else { return .nan }
        let divisor = measure.lockedEffectiveRate
        return divisor == 0 ? .nan : lockedEffectiveRate / divisor
    }

    func lockedRateAndAnchor(
        relativeTo measure: TimeSource
    ) throws(MediaError) -> (rate: Double, anchorTime: CMTime, referenceTime: CMTime) {
        if case .timebase(let timebase) = self, timebase.lockedSource === measure {
            return (
                timebase.lockedRate.value, timebase.lockedAnchor.time,
                timebase.lockedSourceAnchor.time
            )
        }
        let clock = lockedUltimateClock
        guard clock === measure.lockedUltimateClock else { throw CMSyncError.invalidParameter }
        let rate = lockedRate(relativeTo: measure)
        guard !rate.isNaN || lockedEffectiveRate == 0 else { throw CMSyncError.rateMustBeNonZero }
        let now = clock.nanoseconds
        return (rate, lockedReading(now: now).time, measure.lockedReading(now: now).time)
    }

    func lockedConversion(of time: CMTime, to target: TimeSource) -> CMTime {
        if self === target { return time }
        guard time.kind == .number, lockedUltimateClock === target.lockedUltimateClock else {
            return .invalid
        }
        var way: [CMTimebase] = []
        var step = target
        while case .timebase(let timebase) = step {
            way.append(timebase)
            step = timebase.lockedSource
        }
        // Up from here, until what we stand on is the target or a source on its way.
        var reading = TimelineReading(fine: FineTime(time), exact: time, epoch: time.epoch)
        var source = self
        while case .timebase(let timebase) = source, !way.contains(where: { $0 === timebase }) {
            guard let above = timebase.lockedSourceReading(at: reading) else { return .invalid }
            reading = above
            source = timebase.lockedSource
        }
        if case .timebase(let common) = source {
            way.removeSubrange(way.firstIndex { $0 === common }!...)
        }
        for timebase in way.reversed() {
            reading = timebase.lockedReading(at: reading)
        }
        return reading.time
    }
}

/// A time on a timeline: for arithmetic, and as it is to be read.
struct TimelineReading {
    var fine: FineTime

    /// The time as the user set it, while nothing has moved since.
    var exact: CMTime?

    var epoch: CMTimeEpoch

    /// The time in its own timescale if it stands where it was set, else in nanoseconds.
    var time: CMTime { exact ?? fine.time(epoch: epoch) }

    /// The time that the user gave, a number.
    init(_ time: CMTime) {
        self.init(fine: FineTime(time), exact: time, epoch: time.epoch)
    }

    init(fine: FineTime, exact: CMTime?, epoch: CMTimeEpoch) {
        self.fine = fine
        self.exact = exact
        self.epoch = epoch
    }

    /// This time moved as far as `there` is from `here`, at a rate.
    func moved(from here: TimelineReading, to there: TimelineReading, rate: ClockRate)
        -> TimelineReading
    {
        let distance = there.fine - here.fine
        guard distance.raw != 0 else { return self }
        let fine = fine + rate.applied(to: distance)
        return TimelineReading(
            fine: fine, exact: exactMove(from: here, to: there, rate: rate), epoch: epoch)
    }

    /// The same in the timescales that the user set: a timebase at rate 1 reads what its source
    /// stands at.
    private func exactMove(
        from here: TimelineReading, to there: TimelineReading, rate: ClockRate
    ) -> CMTime? {
        guard let exact, let here = here.exact, let there = there.exact, abs(rate.value) == 1 else {
            return nil
        }
        let distance = rate.value > 0 ? there - here : here - there
        guard distance.epoch == 0 else { return nil }
        let moved = exact + distance
        return moved.isNumeric && !moved.hasBeenRounded ? moved : nil
    }
}
