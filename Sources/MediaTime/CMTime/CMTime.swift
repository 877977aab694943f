/// The number of ticks of a ``CMTime``.
public typealias CMTimeValue = Int64
/// The ticks in a second of a ``CMTime``.
public typealias CMTimeScale = Int32
/// The period a ``CMTime`` belongs to; see ``CMTime/epoch``.
public typealias CMTimeEpoch = Int64

/// The largest timescale, 0x7fffffff.
public var kCMTimeMaxTimescale: Int { Int(CMTimeScale.max) }

/// A time or a duration as an exact fraction of seconds, or one of the values that is no number.
///
/// `value / timescale` is in seconds. A time whose ``flags`` say that it is a number but whose
/// timescale is not positive compares and calculates as ``invalid`` does.
public struct CMTime: Sendable, BitwiseCopyable {
    /// The number of ticks.
    public var value: CMTimeValue

    /// The ticks in a second; positive.
    public var timescale: CMTimeScale

    /// Whether this is a number, and whether it was rounded.
    public var flags: CMTimeFlags

    /// The period the time belongs to, such as the round of a loop.
    ///
    /// Times of a later epoch are later; durations have epoch 0.
    public var epoch: CMTimeEpoch

    /// The invalid time: all fields 0.
    public init() {
        self.init(value: 0, timescale: 0, flags: [], epoch: 0)
    }

    /// A time from its fields, unchecked.
    public init(
        value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch
    ) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// The number `value / timescale` in seconds, of epoch 0.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
    }

    /// No time at all.
    public static var invalid: CMTime { CMTime() }
    /// A time that is not known.
    public static var indefinite: CMTime { CMTime(implied: .indefinite) }
    /// Later than every number.
    public static var positiveInfinity: CMTime { CMTime(implied: .positiveInfinity) }
    /// Earlier than every number.
    public static var negativeInfinity: CMTime { CMTime(implied: .negativeInfinity) }
    /// 0/1.
    public static var zero: CMTime { CMTime(value: 0, timescale: 1) }

    private init(implied flag: CMTimeFlags) {
        self.init(value: 0, timescale: 0, flags: [.valid, flag], epoch: 0)
    }

    /// Whether this is anything but invalid.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether this is the time later than all numbers.
    public var isPositiveInfinity: Bool { flags.isSuperset(of: [.valid, .positiveInfinity]) }
    /// Whether this is the time earlier than all numbers.
    public var isNegativeInfinity: Bool { flags.isSuperset(of: [.valid, .negativeInfinity]) }
    /// Whether this is the time that is not known.
    public var isIndefinite: Bool { flags.isSuperset(of: [.valid, .indefinite]) }
    /// Whether this is a number: valid, and neither infinite nor indefinite.
    public var isNumeric: Bool {
        flags.intersection([.valid, .impliedValueFlagsMask]) == .valid
    }
    /// Whether this is a number that is not exactly what was asked for.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

extension CMTime {
    /// The five kinds of times, in the order in which they compare.
    enum Kind: Int8 {
        case negativeInfinity, number, indefinite, positiveInfinity, invalid
    }

    /// What this time is in comparisons and arithmetic.
    @inline(__always)
    var kind: Kind {
        if isNumeric && timescale > 0 { return .number }
        if isPositiveInfinity { return .positiveInfinity }
        if isNegativeInfinity { return .negativeInfinity }
        if isIndefinite { return .indefinite }
        return .invalid
    }

    /// The infinity with a sign.
    static func infinity(isNegative: Bool) -> CMTime {
        isNegative ? .negativeInfinity : .positiveInfinity
    }

    /// The fraction `numerator / denominator` of seconds in a timescale.
    ///
    /// The timescale is halved until the value fits; an infinity results when it does not even in whole
    /// seconds. The denominator is not 0,
    /// the timescale positive; `wasRounded` tells that an operand was rounded already.
    init(
        isNegative: Bool, numerator: UInt128, denominator: UInt128, timescale: CMTimeScale,
        wasRounded: Bool, epoch: CMTimeEpoch = 0
    ) {
        var scale = timescale
        while true {
            if let (value, isExact) = Self.ticks(
                isNegative: isNegative, numerator: numerator, denominator: denominator,
                timescale: scale, method: .default)
            {
                let flags: CMTimeFlags =
                    isExact && !wasRounded ? .valid : [.valid, .hasBeenRounded]
                self.init(value: value, timescale: scale, flags: flags, epoch: epoch)
                return
            }
            guard scale > 1 else {
                self = .infinity(isNegative: isNegative)
                return
            }
            scale /= 2
        }
    }

    /// A fraction of seconds in ticks, nil when they do not fit.
    static func ticks(
        isNegative: Bool, numerator: UInt128, denominator: UInt128, timescale: CMTimeScale,
        method: CMTimeRoundingMethod
    ) -> (value: CMTimeValue, isExact: Bool)? {
        guard
            let (quotient, remainder) = multiplyDivide(
                numerator, UInt128(timescale.magnitude), by: denominator),
            quotient <= UInt128(UInt64.max)
        else { return nil }
        let raise = method.raises(
            remainder: remainder, divisor: denominator, isNegative: isNegative)
        guard
            let value = Int64(
                isNegative: isNegative, magnitude: raise ? quotient + 1 : quotient)
        else { return nil }
        return (value, remainder == 0)
    }
}
