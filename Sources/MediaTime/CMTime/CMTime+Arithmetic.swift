extension CMTime {
    /// The sum, in the least common multiple of both timescales.
    ///
    /// Where that is above ``kCMTimeMaxTimescale`` it is that; where the value does not fit, the
    /// timescale is halved until it does. Infinities and indefinite times follow the usual rules;
    /// what has no answer is ``invalid``, as are operands of different epochs other than 0.
    public static func + (lhs: CMTime, rhs: CMTime) -> CMTime {
        sum(lhs, rhs, isDifference: false)
    }

    /// The difference; see ``+(_:_:)``.
    public static func - (lhs: CMTime, rhs: CMTime) -> CMTime {
        sum(lhs, rhs, isDifference: true)
    }

    private static func sum(_ lhs: CMTime, _ rhs: CMTime, isDifference: Bool) -> CMTime {
        let kinds = (lhs.kind, rhs.kind)
        guard kinds == (.number, .number) else {
            return sumOfNonNumbers(kinds.0, isDifference ? kinds.1.negated : kinds.1)
        }
        guard let epoch = epochOfSum(lhs.epoch, rhs.epoch) else { return .invalid }
        let wasRounded = lhs.hasBeenRounded || rhs.hasBeenRounded
        if lhs.timescale == rhs.timescale {
            let (value, overflow) =
                isDifference
                ? lhs.value.subtractingReportingOverflow(rhs.value)
                : lhs.value.addingReportingOverflow(rhs.value)
            if !overflow {
                return CMTime(
                    value: value, timescale: lhs.timescale,
                    flags: wasRounded ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
            }
        }
        // Timescales have 31 bits, so the multiple has 62 and each addend 94: nothing can overflow.
        let scales = (Int128(lhs.timescale), Int128(rhs.timescale))
        let divisor = Int128(
            greatestCommonDivisor(lhs.timescale.magnitude, rhs.timescale.magnitude))
        let multiple = scales.0 / divisor * scales.1
        let left = Int128(lhs.value) * (multiple / scales.0)
        let right = Int128(rhs.value) * (multiple / scales.1)
        let total = isDifference ? left - right : left + right
        return CMTime(
            isNegative: total < 0, numerator: total.magnitude, denominator: multiple.magnitude,
            timescale: CMTimeScale(clamping: multiple), wasRounded: wasRounded, epoch: epoch)
    }

    private static func sumOfNonNumbers(_ lhs: Kind, _ rhs: Kind) -> CMTime {
        guard lhs != .invalid, rhs != .invalid else { return .invalid }
        switch (lhs.isInfinite, rhs.isInfinite) {
        case (true, true): return lhs == rhs ? CMTime(lhs) : .invalid
        case (true, false): return CMTime(lhs)
        case (false, true): return CMTime(rhs)
        case (false, false): return .indefinite
        }
    }

    /// The epoch of a sum or a difference, nil when there is none.
    ///
    /// A time of epoch 0 is a duration and leaves the other's epoch; two times of the same epoch are
    /// a duration apart. Which epoch survives is inferred from the word "duration" in the headers.
    private static func epochOfSum(_ lhs: CMTimeEpoch, _ rhs: CMTimeEpoch) -> CMTimeEpoch? {
        if lhs == 0 { return rhs }
        if rhs == 0 { return lhs }
        return lhs == rhs ? 0 : nil
    }

    private init(_ kind: Kind) {
        switch kind {
        case .negativeInfinity: self = .negativeInfinity
        case .positiveInfinity: self = .positiveInfinity
        case .indefinite: self = .indefinite
        case .number, .invalid: self = .invalid
        }
    }

    /// The product with a whole number (`CMTimeMultiply`).
    ///
    /// It has the same timescale, halved where the value does not fit. Infinities take the sign of the
    /// product; 0 counts as positive.
    public func multiplied(by multiplier: Int32) -> CMTime {
        guard kind == .number else { return signed(by: multiplier < 0) }
        let product = Int128(value) * Int128(multiplier)
        return CMTime(
            isNegative: product < 0, numerator: product.magnitude,
            denominator: UInt128(timescale.magnitude), timescale: timescale,
            wasRounded: hasBeenRounded, epoch: epoch)
    }

    /// The product with a fraction (`CMTimeMultiplyByRatio`), exact whenever it can be represented.
    ///
    /// The timescale stays when it can; else it is the smallest multiple of it that is exact, else
    /// the denominator of the reduced fraction; else the result is rounded in the finest timescale
    /// in which it fits. A divisor of 0 gives the signed infinity, or ``invalid`` when the time or
    /// the multiplier is 0 too.
    public func multiplied(by multiplier: Int32, dividedBy divisor: Int32) -> CMTime {
        let isFlipped = (multiplier < 0) != (divisor < 0)
        guard kind == .number else {
            if divisor == 0 && multiplier == 0 { return .invalid }
            return signed(by: isFlipped)
        }
        let isNegative = (value < 0) != isFlipped
        let numerator = UInt128(value.magnitude) * UInt128(multiplier.magnitude)
        guard divisor != 0 else {
            return numerator == 0 ? .invalid : .infinity(isNegative: isNegative)
        }
        let scale = UInt128(timescale.magnitude)
        let denominator = scale * UInt128(divisor.magnitude)
        let common = greatestCommonDivisor(numerator, UInt128(divisor.magnitude))
        let candidates = [
            scale * (UInt128(divisor.magnitude) / common),
            denominator / greatestCommonDivisor(numerator, denominator),
        ]
        for candidate in candidates where candidate <= UInt128(CMTimeScale.max) {
            if let (value, isExact) = Self.ticks(
                isNegative: isNegative, numerator: numerator, denominator: denominator,
                timescale: CMTimeScale(candidate), method: .default), isExact
            {
                return CMTime(
                    value: value, timescale: CMTimeScale(candidate),
                    flags: hasBeenRounded ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
            }
        }
        return CMTime(
            isNegative: isNegative, numerator: numerator, denominator: denominator,
            timescale: CMTimeScale.max, wasRounded: hasBeenRounded, epoch: epoch)
    }

    /// The product with any number (`CMTimeMultiplyByFloat64`).
    ///
    /// The timescale is doubled until it is at least 65536, then the exact product is rounded, then
    /// the timescale is halved where the value does not fit. Not a number, and 0 times an infinite
    /// multiplier, give ``invalid``.
    public func scaled(by multiplier: Double) -> CMTime {
        guard !multiplier.isNaN else { return kind == .indefinite ? .indefinite : .invalid }
        guard kind == .number else { return signed(by: multiplier < 0) }
        let isNegative = (value < 0) != (multiplier < 0)
        guard multiplier.isFinite else {
            return value == 0 ? .invalid : .infinity(isNegative: isNegative)
        }
        var doublings = 0
        while timescale << doublings < 65536 { doublings += 1 }
        let scale = timescale << doublings

        // |multiplier| is significand * 2^exponent with a 53-bit significand, so the numerator has
        // at most 116 bits.
        let (significand, exponent) = multiplier.magnitude.wholeSignificand
        var numerator = UInt128(value.magnitude) * UInt128(significand)
        guard numerator != 0 else {
            return CMTime(
                isNegative: false, numerator: 0, denominator: 1, timescale: scale,
                wasRounded: hasBeenRounded, epoch: epoch)
        }
        var denominator = UInt128(timescale.magnitude)
        var isLossy = false
        if exponent > 0 {
            // Past 128 bits over a 31-bit timescale not even whole seconds fit.
            guard exponent <= numerator.leadingZeroBitCount else {
                return .infinity(isNegative: isNegative)
            }
            numerator <<= UInt128(exponent)
        } else {
            // Where the denominator has no room left, the numerator loses its low bits. The result is
            // then below 2^36, so its timescale is not halved and the quotient is a mere shift, whose
            // rounding to the nearest does not see the bits lost.
            let room = denominator.leadingZeroBitCount
            let lost = max(0, -exponent - room)
            denominator <<= UInt128(min(-exponent, room))
            isLossy = lost > numerator.trailingZeroBitCount
            numerator = lost < 128 ? numerator >> UInt128(lost) : 0
        }
        return CMTime(
            isNegative: isNegative, numerator: numerator, denominator: denominator,
            timescale: scale, wasRounded: hasBeenRounded || isLossy, epoch: epoch)
    }

    /// The time without its sign.
    public var absoluteValue: CMTime {
        switch kind {
        case .negativeInfinity: return .positiveInfinity
        case .number where value < 0: return multiplied(by: -1)
        default: return self
        }
    }

    /// What a product with a time that is no number is.
    private func signed(by isNegative: Bool) -> CMTime {
        CMTime(isNegative ? kind.negated : kind)
    }
}

extension CMTime.Kind {
    fileprivate var isInfinite: Bool { self == .positiveInfinity || self == .negativeInfinity }

    fileprivate var negated: CMTime.Kind {
        switch self {
        case .positiveInfinity: .negativeInfinity
        case .negativeInfinity: .positiveInfinity
        default: self
        }
    }
}

extension Double {
    /// A positive finite number as `significand * 2^exponent` in whole numbers.
    var wholeSignificand: (significand: UInt64, exponent: Int) {
        guard self != 0 else { return (0, 0) }
        let bits = significandBitPattern
        if isSubnormal { return (bits, -1074) }
        return (bits | 1 << 52, Int(exponentBitPattern) - 1075)
    }
}
