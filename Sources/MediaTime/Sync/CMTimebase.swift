internal import Dispatch

/// A timeline under its user's control: a rate and a time, by the measure of a clock or another timebase.
///
/// Its time is `anchorTime + (sourceTime - anchorSourceTime) * rate`. A fresh one stands at 0 with rate 0.
/// It may be used from any thread. Reading the time takes a lock for the length of some arithmetic
/// and allocates nothing.
///
/// At rate 0, and on a source that stands, the time reads as it was set; otherwise in nanoseconds, rounded up.
public final class CMTimebase: CMSyncProtocol, @unchecked Sendable {
    // SAFETY: every `var` is touched only with the lock of `TimebaseGraph` held.
    private(set) var lockedSource: TimeSource
    private(set) var lockedRate = ClockRate(0)
    private(set) var lockedAnchor = TimelineReading(.zero)
    private(set) var lockedSourceAnchor: TimelineReading

    /// The effective rate when it was last told to observers.
    private var toldEffectiveRate = 0.0

    var dependents = Dependents()
    var timers: [ObjectIdentifier: TimerEntry] = [:]
    var observers: [ObjectIdentifier: ObserverEntry] = [:]
    var observerQueue: DispatchQueue?

    /// Whether only the owner, and not the user, may set it.
    let isReadOnly: Bool

    /// A timebase by the measure of a clock, at rate 0 and time 0.
    ///
    /// - Throws: Never here; on Apple's systems where there is no memory.
    public convenience init(sourceClock: CMClock) throws(MediaError) {
        self.init(source: .clock(sourceClock), isReadOnly: false)
    }

    /// A timebase by the measure of another, at rate 0 and time 0.
    ///
    /// - Throws: Never here; on Apple's systems where there is no memory.
    public convenience init(sourceTimebase: CMTimebase) throws(MediaError) {
        self.init(source: .timebase(sourceTimebase), isReadOnly: false)
    }

    init(source: TimeSource, isReadOnly: Bool) {
        lockedSource = source
        lockedSourceAnchor = TimelineReading(.zero)
        self.isReadOnly = isReadOnly
        TimebaseGraph.change { leftovers in
            lockedSourceAnchor = source.lockedReading(now: source.lockedUltimateClock.nanoseconds)
            lockedRegister(&leftovers)
        }
    }
}

// MARK: Reading

extension CMTimebase {
    /// The time now.
    public var time: CMTime {
        TimebaseGraph.read { lockedReadingNow.time }
    }

    /// The time now in another timescale.
    public func time(
        withTimescale timescale: CMTimeScale, rounding: CMTimeRoundingMethod = .default
    ) -> CMTime {
        time.convertScale(timescale, method: rounding)
    }

    /// The rate by the measure of the source.
    public var rate: Double {
        TimebaseGraph.read { lockedRate.value }
    }

    /// The time now and the rate, which belong together whatever other threads do.
    public var timeAndRate: (time: CMTime, rate: Double) {
        TimebaseGraph.read { (lockedReadingNow.time, lockedRate.value) }
    }

    /// The rate by the measure of the ultimate clock: the product of all rates up to it.
    public var effectiveRate: Double {
        TimebaseGraph.read { TimeSource.timebase(self).lockedEffectiveRate }
    }

    /// The clock or timebase that this one is measured by.
    ///
    /// Setting it is ``setSource(_:)`` with failures ignored: a source that this is itself a source of,
    /// and any on a read-only timebase, leave it as it is.
    public var source: any CMSyncProtocol {
        get { TimebaseGraph.read { lockedSource }.object }
        set { try? setSource(newValue) }
    }

    /// The clock that this is directly measured by, nil when that is a timebase.
    public var sourceClock: CMClock? { source as? CMClock }

    /// The timebase that this is directly measured by, nil when that is a clock.
    public var sourceTimebase: CMTimebase? { source as? CMTimebase }

    /// The clock at the top of all sources.
    public var ultimateSourceClock: CMClock {
        TimebaseGraph.read { lockedSource.lockedUltimateClock }
    }
}

// MARK: With the lock held

extension CMTimebase {
    var lockedReadingNow: TimelineReading {
        lockedReading(now: lockedSource.lockedUltimateClock.nanoseconds)
    }

    func lockedReading(now: Int64) -> TimelineReading {
        guard !lockedRate.isZero else { return lockedAnchor }
        return lockedReading(at: lockedSource.lockedReading(now: now))
    }

    /// The time when the source reads `sourceReading`.
    func lockedReading(at sourceReading: TimelineReading) -> TimelineReading {
        guard !lockedRate.isZero else { return lockedAnchor }
        return lockedAnchor.moved(from: lockedSourceAnchor, to: sourceReading, rate: lockedRate)
    }

    /// What the source reads at a time of this one, nil at rate 0.
    func lockedSourceReading(at reading: TimelineReading) -> TimelineReading? {
        guard !lockedRate.isZero else { return nil }
        return lockedSourceAnchor.moved(
            from: lockedAnchor, to: reading, rate: lockedRate.reciprocal)
    }

    /// The first nanosecond of the ultimate clock at which this has reached a time, in the direction in
    /// which it goes: `Int64.min` when it was reached before all time, nil when it never is.
    func lockedArrival(at time: CMTime) -> Int64? {
        guard time.kind == .number else { return nil }
        let rate = TimeSource.timebase(self).lockedEffectiveRate
        guard rate != 0 else { return nil }
        // Going back, the time that is read, which is rounded up, must not be after the one asked for.
        var half: ClockRate.HalfLine =
            rate > 0
            ? .atLeast(FineTime(time))
            : .atMost(FineTime(raw: FineTime(time).floorNanoseconds << 32))
        var step = TimeSource.timebase(self)
        while case .timebase(let timebase) = step {
            guard
                let above = timebase.lockedRate.preimage(
                    of: half.relative(to: timebase.lockedAnchor.fine))
            else { return nil }
            half = above.offset(by: timebase.lockedSourceAnchor.fine)
            step = timebase.lockedSource
        }
        // An effective rate so small that it came out as 0 or with the other sign arrives nowhere.
        guard case .atLeast(let bound) = half else { return nil }
        let nanoseconds = bound.ceilingNanoseconds
        return nanoseconds > Int128(Int64.max) ? nil : Int64(clamping: nanoseconds)
    }

    private func lockedRegister(_ leftovers: inout TimebaseGraph.Leftovers) {
        switch lockedSource {
        case .clock(let clock) where clock.kind == .host: break
        case .clock(let clock): clock.dependents.add(self, &leftovers)
        case .timebase(let timebase): timebase.dependents.add(self, &leftovers)
        }
    }

    private func lockedUnregister() {
        switch lockedSource {
        case .clock(let clock): clock.dependents.remove(self)
        case .timebase(let timebase): timebase.dependents.remove(self)
        }
    }
}

// MARK: Changing

extension CMTimebase {
    /// What a change sets; what is nil stays.
    struct Change {
        var source: TimeSource?
        var rate: Double?
        var anchor: TimelineReading?
        /// The source's time at the anchor, nil for its time now.
        var sourceAnchor: TimelineReading?
        var isJump = false
    }

    /// Makes a change, and lets observers, timers and dependents know.
    func apply(_ change: Change, asOwner: Bool) throws(MediaError) {
        try TimebaseGraph.change { leftovers throws(MediaError) in
            guard asOwner || !isReadOnly else { throw Error.readOnly }
            if let source = change.source { try lockedCheckNoCycle(source) }
            let oldNow = lockedSource.lockedUltimateClock.nanoseconds
            let oldRate = lockedRate.value
            let reading = lockedReading(now: oldNow)
            lockedSettleTimers(now: oldNow, &leftovers)

            if let source = change.source {
                leftovers.keep(lockedSource.object)
                lockedUnregister()
                lockedSource = source
                lockedRegister(&leftovers)
            }
            let now =
                change.source == nil ? oldNow : lockedSource.lockedUltimateClock.nanoseconds
            if let rate = change.rate { lockedRate = ClockRate(rate) }
            lockedAnchor = change.anchor ?? reading
            lockedSourceAnchor = change.sourceAnchor ?? lockedSource.lockedReading(now: now)
            lockedTell(
                isNewRate: lockedRate.value != oldRate, isJump: change.isJump, now: now, &leftovers)
        }
    }

    private func lockedCheckNoCycle(_ source: TimeSource) throws(MediaError) {
        var step = source
        while case .timebase(let timebase) = step {
            guard timebase !== self else { throw Error.invalidParameter }
            step = timebase.lockedSource
        }
    }

    /// Posts what has changed, and plans the timers anew, here and in all dependents.
    private func lockedTell(
        isNewRate: Bool, isJump: Bool, now: Int64, _ leftovers: inout TimebaseGraph.Leftovers
    ) {
        let effectiveRate = TimeSource.timebase(self).lockedEffectiveRate
        if isNewRate || effectiveRate != toldEffectiveRate {
            toldEffectiveRate = effectiveRate
            lockedPost(.effectiveRateChanged, now: now)
        }
        if isJump { lockedPost(.timeJumped, now: now) }
        lockedPlanTimers(now: now, &leftovers)
        for dependent in dependents.live(&leftovers) {
            dependent.lockedTell(
                isNewRate: false, isJump: isJump && !dependent.lockedRate.isZero, now: now,
                &leftovers)
        }
    }
}
