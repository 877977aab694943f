extension CMTime {
    /// A number of seconds, truncated toward zero to a tick of `preferredTimescale`.
    ///
    /// If the value does not fit, the timescale is halved until it does; an infinity results when it
    /// does not fit even in whole seconds. Not a number, or a timescale that is not positive, gives
    /// ``invalid``. ``hasBeenRounded`` tells whether ``seconds`` would give back another number.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        var scale = preferredTimescale
        while true {
            if let value = Self.ticks(of: seconds, timescale: scale) {
                self.init(value: value, timescale: scale)
                if self.seconds != seconds { flags.insert(.hasBeenRounded) }
                return
            }
            guard scale > 1, seconds.isFinite else {
                self = .infinity(isNegative: seconds < 0)
                return
            }
            scale /= 2
        }
    }

    /// The whole ticks in a number of seconds, nil when they do not fit.
    ///
    /// The Double product is truncated as it is: 0.29 * 100 is 28.99… and gives 28. No source says
    /// that Apple nudges it.
    private static func ticks(of seconds: Double, timescale: CMTimeScale) -> CMTimeValue? {
        CMTimeValue(exactly: (seconds * Double(timescale)).rounded(.towardZero))
    }

    /// The time in seconds: `value / timescale`, the epoch ignored.
    ///
    /// Infinities are those of Double; invalid and indefinite times are not a number.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return .nan
    }

    /// The time in another timescale.
    ///
    /// What is no number stays as it is, as does a time of that timescale. A new timescale that is not
    /// positive gives ``invalid``; a value that does not fit gives the infinity of its sign.
    ///
    /// - Returns: A time of the same epoch, with ``hasBeenRounded`` if rounded now or before.
    public func convertScale(_ newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric else { return self }
        guard newTimescale > 0, timescale > 0 else { return .invalid }
        guard newTimescale != timescale else { return self }
        let isQuickTime = method == .quickTime
        let ticks = Self.ticks(
            isNegative: value < 0, numerator: UInt128(value.magnitude),
            denominator: UInt128(timescale.magnitude), timescale: newTimescale,
            method: !isQuickTime
                ? method : newTimescale < timescale ? .roundTowardZero : .roundAwayFromZero)
        guard let ticks else { return .infinity(isNegative: value < 0) }
        let isVanished = isQuickTime && ticks.value == 0 && value < 0
        return CMTime(
            value: isVanished ? -1 : ticks.value, timescale: newTimescale,
            flags: ticks.isExact ? flags : flags.union(.hasBeenRounded), epoch: epoch)
    }
}
