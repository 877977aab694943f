/// The rate of a timebase, as the fraction that its arithmetic is done with.
///
/// A `Double` such as 0.1 stands for the simplest fraction that reads as that `Double`, 1/10: ten
/// seconds at rate 0.1 are one second, and not 55 attoseconds more. The difference is below 2^-53 of
/// the distance; a rate that no simple fraction gives is taken for what the `Double` is.
struct ClockRate {
    let value: Double
    private let isNegative: Bool
    /// numerator / denominator = |value|, both at most 2^126, the denominator at least 1.
    private let numerator: UInt128
    private let denominator: UInt128

    /// A finite rate.
    init(_ value: Double) {
        self.value = value
        isNegative = value < 0
        let magnitude = value.magnitude
        if let (n, d) = Self.simpleFraction(magnitude) {
            numerator = UInt128(n)
            denominator = UInt128(d)
            return
        }
        // Rates beyond 2^±64 move nothing or saturate at once: what the shifts lose does not matter.
        let (significand, exponent) = magnitude.wholeSignificand
        numerator =
            exponent >= 0
            ? UInt128(significand) << UInt128(min(exponent, 73))
            : UInt128(significand) >> UInt128(max(0, -exponent - 126))
        denominator = 1 << UInt128(max(0, min(-exponent, 126)))
    }

    /// The simplest fraction that reads as `x`, when its terms are below 2^20.
    ///
    /// It is the first such convergent of the continued fraction. A fraction of such terms that reads
    /// as `x` always is a convergent, for it is closer than 1 / (2 d^2).
    private static func simpleFraction(_ x: Double) -> (Int64, Int64)? {
        let limit: Int64 = 1 << 20
        guard x < Double(limit) else { return nil }
        var (n, d): (Int64, Int64) = (1, 0)
        var (lastN, lastD): (Int64, Int64) = (0, 1)
        var rest = x
        for _ in 0..<32 {
            guard rest < Double(limit) else { return nil }
            let whole = Int64(rest)
            (n, lastN) = (whole * n + lastN, n)
            (d, lastD) = (whole * d + lastD, d)
            guard n < limit, d < limit else { return nil }
            if Double(n) / Double(d) == x { return (n, d) }
            let fraction = rest - Double(whole)
            guard fraction > 0 else { return nil }
            rest = 1 / fraction
        }
        return nil
    }

    var isZero: Bool { numerator == 0 || value == 0 }

    /// How far the timebase goes while its source goes `distance`: to the nearest unit, from the
    /// middle towards the future.
    func applied(to distance: FineTime) -> FineTime {
        if numerator == denominator { return isNegative ? FineTime(raw: -distance.raw) : distance }
        guard distance.raw != 0, numerator != 0 else { return FineTime(raw: 0) }
        let isNegative = (distance.raw < 0) != isNegative
        guard
            let (quotient, remainder) = multiplyDivide(
                distance.raw.magnitude, numerator, by: denominator),
            quotient < FineTime.limit.magnitude
        else { return FineTime(raw: isNegative ? -FineTime.limit : FineTime.limit) }
        let rest = denominator - remainder
        let raise = isNegative ? remainder > rest : remainder >= rest
        let magnitude = Int128(raise ? quotient + 1 : quotient)
        return FineTime(raw: isNegative ? -magnitude : magnitude)
    }

    /// The rate of the source by the measure of the timebase; not of rate 0.
    var reciprocal: ClockRate {
        ClockRate(
            value: 1 / value, isNegative: isNegative, numerator: denominator,
            denominator: numerator)
    }

    private init(value: Double, isNegative: Bool, numerator: UInt128, denominator: UInt128) {
        self.value = value
        self.isNegative = isNegative
        self.numerator = numerator
        self.denominator = denominator
    }
}

extension ClockRate {
    /// All distances on one side of a bound, which is one of them.
    enum HalfLine: Equatable {
        case atLeast(FineTime)
        case atMost(FineTime)

        /// The same half of a timeline whose zero is at `origin` of this one.
        func relative(to origin: FineTime) -> HalfLine {
            switch self {
            case .atLeast(let bound): .atLeast(bound - origin)
            case .atMost(let bound): .atMost(bound - origin)
            }
        }

        /// The same half of a timeline in which this one's zero is at `origin`.
        func offset(by origin: FineTime) -> HalfLine {
            switch self {
            case .atLeast(let bound): .atLeast(bound + origin)
            case .atMost(let bound): .atMost(bound + origin)
            }
        }
    }

    /// Exactly the source's distances for which ``applied(to:)`` is in `half`; nil at rate 0.
    func preimage(of half: HalfLine) -> HalfLine? {
        guard !isZero else { return nil }
        // With r = |rate|, applied(x) = floor(±x * r + 1/2), so that
        //   applied(x) >= k  is  ±x >= (2k - 1) / 2r
        //   applied(x) <= k  is  ±x <  (2k + 1) / 2r.
        switch half {
        case .atLeast(let k):
            let bound = -floor(of: -(2 * k.raw - 1))
            return isNegative
                ? .atMost(FineTime(raw: -bound)) : .atLeast(FineTime(raw: bound))
        case .atMost(let k):
            let bound = -floor(of: -(2 * k.raw + 1)) - 1
            return isNegative
                ? .atLeast(FineTime(raw: -bound)) : .atMost(FineTime(raw: bound))
        }
    }

    /// floor(x / 2r), saturated.
    private func floor(of x: Int128) -> Int128 {
        guard
            let (quotient, remainder) = multiplyDivide(x.magnitude, denominator, by: 2 * numerator),
            quotient < FineTime.limit.magnitude
        else { return x < 0 ? -FineTime.limit : FineTime.limit }
        let magnitude = Int128(quotient)
        return x >= 0 ? magnitude : remainder == 0 ? -magnitude : -magnitude - 1
    }
}
