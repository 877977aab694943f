/// An instant or a distance on a timeline, in units of 2^-32 nanoseconds.
///
/// Clocks count nanoseconds, which these hold exactly, so rate 1 is exact for ever. Any `CMTime` fits,
/// and one that does not fall on a nanosecond is at least 2^-31 of one away from it (timescales have 31
/// bits), so it is on the right side of every nanosecond even after rounding to this unit. Sums
/// saturate at ±``limit`` (2^94 ns, longer than any `CMTime`).
struct FineTime: Comparable {
    var raw: Int128

    static let limit = Int128(1) << 126 - 1
    static let unitsInNanosecond = Int128(1) << 32

    init(raw: Int128) {
        self.raw = max(-Self.limit, min(Self.limit, raw))
    }

    init(nanoseconds: Int64) {
        raw = Int128(nanoseconds) << 32
    }

    /// The nearest instant to a number.
    init(_ time: CMTime) {
        if time.timescale == 1_000_000_000 {
            raw = Int128(time.value) << 32
            return
        }
        // 63 bits times 62 bits.
        let product = Int128(time.value) * (1_000_000_000 << 32)
        let scale = Int128(time.timescale)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: scale)
        let isNearerToNext = remainder.magnitude * 2 >= scale.magnitude
        raw = isNearerToNext ? quotient + remainder.signum() : quotient
    }

    static func < (a: FineTime, b: FineTime) -> Bool { a.raw < b.raw }

    static func + (a: FineTime, b: FineTime) -> FineTime { FineTime(raw: a.raw + b.raw) }
    static func - (a: FineTime, b: FineTime) -> FineTime { FineTime(raw: a.raw - b.raw) }

    /// The last whole nanosecond not after this, which need not fit `Int64`.
    var floorNanoseconds: Int128 { raw >> 32 }

    /// The first whole nanosecond not before this, which need not fit `Int64`.
    var ceilingNanoseconds: Int128 { -(-raw >> 32) }

    /// The time in nanoseconds, rounded up.
    ///
    /// Up, and not to the nearest, because a picture is shown when its time stamp is not after the
    /// timebase's time: a timebase started at 1/30 would read 33333333 ns, before 1/30, and take
    /// back the picture it stands on. For one rounding at every rate, changes of rate do not show.
    func time(epoch: CMTimeEpoch) -> CMTime {
        let nanoseconds = ceilingNanoseconds
        if let value = Int64(exactly: nanoseconds) {
            return CMTime(
                value: value, timescale: 1_000_000_000,
                flags: nanoseconds << 32 == raw ? .valid : [.valid, .hasBeenRounded], epoch: epoch)
        }
        // Beyond 292 years.
        return CMTime(
            isNegative: raw < 0, numerator: nanoseconds.magnitude, denominator: 1_000_000_000,
            timescale: 500_000_000, wasRounded: true, epoch: epoch)
    }
}
