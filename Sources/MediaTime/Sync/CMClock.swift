internal import Glibc
internal import Synchronization

/// A source of time that cannot be stopped or set.
///
/// There is one real clock, ``hostTimeClock``, and for tests any number that are set by hand
/// (`CMClock.simulated`). A clock may be used from any thread.
public final class CMClock: CMSyncProtocol, @unchecked Sendable {
    enum Kind { case host, simulated }

    let kind: Kind

    /// The time of a simulated clock.
    let simulatedNanoseconds: Atomic<Int64>
    let isInvalid = Atomic<Bool>(false)

    // SAFETY: touched only with the lock of `TimebaseGraph` held. Empty for the host clock, which never
    // does anything that a timebase would have to hear of.
    var dependents = Dependents()

    init(kind: Kind, nanoseconds: Int64 = 0) {
        self.kind = kind
        simulatedNanoseconds = Atomic(nanoseconds)
    }

    /// The clock of this machine: `CLOCK_MONOTONIC`, in nanoseconds, always the same object.
    public static let hostTimeClock = CMClock(kind: .host)

    /// The time now, in nanoseconds; ``CMTime/invalid`` after ``invalidate()``.
    public var time: CMTime {
        isInvalid.load(ordering: .relaxed)
            ? .invalid : CMTime(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// The time now; that of an invalid clock stands still.
    var nanoseconds: Int64 {
        switch kind {
        case .host: Self.hostNanoseconds
        case .simulated: simulatedNanoseconds.load(ordering: .acquiring)
        }
    }

    /// The host clock's time now, in nanoseconds of `CLOCK_MONOTONIC`.
    package static var hostNanoseconds: Int64 {
        var time = timespec()
        // SAFETY: `time` outlives the call, which cannot fail for this clock.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A host time in the units of the system's own calls: nanoseconds of `CLOCK_MONOTONIC`.
    ///
    /// Rounded to the nearest; what is no number, or before 0, gives 0.
    public static func convertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
        guard hostTime.kind == .number else { return 0 }
        let time = hostTime.convertScale(1_000_000_000, method: .default)
        return time.isNumeric ? UInt64(max(0, time.value)) : time.isNegativeInfinity ? 0 : .max
    }

    /// A host time from nanoseconds of `CLOCK_MONOTONIC`.
    public static func convertSystemUnitsToHostTime(_ systemUnits: UInt64) -> CMTime {
        CMTime(
            isNegative: false, numerator: UInt128(systemUnits), denominator: 1_000_000_000,
            timescale: 1_000_000_000, wasRounded: false)
    }

    /// The time now, and the time of the host clock at that moment.
    ///
    /// - Throws: ``CMClock/Error/unsupportedOperation`` after ``invalidate()``.
    public func anchorTime() throws(MediaError) -> (anchorTime: CMTime, referenceTime: CMTime) {
        guard !isInvalid.load(ordering: .relaxed) else { throw Error.unsupportedOperation }
        let host = CMTime(value: Self.hostNanoseconds, timescale: 1_000_000_000)
        return kind == .host ? (host, host) : (time, host)
    }

    /// Ends a clock's work: its time is ``CMTime/invalid`` from now on and its timebases stand still.
    ///
    /// Does nothing to the host clock.
    public func invalidate() {
        guard kind != .host else { return }
        TimebaseGraph.read { isInvalid.store(true, ordering: .relaxed) }
    }
}
