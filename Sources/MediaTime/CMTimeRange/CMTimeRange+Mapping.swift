extension CMTime {
    /// The nearest time in a range (`CMTimeClampToRange`): itself inside, else the range's start or end.
    ///
    /// ``invalid`` when the time or the range is, or the range is empty.
    public func clamped(to range: CMTimeRange) -> CMTime {
        guard isValid, range.isValid, !range.isEmpty else { return .invalid }
        return max(range.start, min(self, range.end))
    }

    /// The time carried linearly from one range to another (`CMTimeMapTimeFromRangeToRange`):
    /// `(t - from.start) * (to.duration / from.duration) + to.start`.
    ///
    /// Times outside the range are carried too. With both durations infinite the time is only offset.
    /// ``invalid`` when a range is invalid or empty, or the time's epoch is not that of `from.start`.
    public func mapped(from: CMTimeRange, to: CMTimeRange) -> CMTime {
        guard from.isMappable, to.isMappable, isValid else { return .invalid }
        guard kind != .number || epoch == from.start.epoch else { return .invalid }
        // Same epochs leave a duration; for the sake of `to.start`'s epoch it must have none.
        let offset = self - from.start
        return offset.scaled(from: from.duration, to: to.duration) + to.start
    }

    /// The duration scaled as one range is to another (`CMTimeMapDurationFromRangeToRange`):
    /// `duration * (to.duration / from.duration)`.
    ///
    /// ``invalid`` when a range is invalid or empty, or the duration has an epoch.
    public func mappedDuration(from: CMTimeRange, to: CMTimeRange) -> CMTime {
        guard from.isMappable, to.isMappable, isValid, epoch == 0 else { return .invalid }
        return scaled(from: from.duration, to: to.duration)
    }

    /// The time brought into a range by whole durations of it (`CMTimeFoldIntoRange`), for loops.
    ///
    /// The result is in `start ..< end`. A range without end folds nothing. ``invalid`` when the range
    /// is invalid or empty, or the time is no number of the epoch of its start.
    public func folded(into range: CMTimeRange) -> CMTime {
        guard range.isMappable, kind == .number, range.start.kind == .number else {
            return .invalid
        }
        guard epoch == range.start.epoch else { return .invalid }
        if range.duration.kind == .positiveInfinity { return self }
        guard range.duration.kind == .number else { return .invalid }

        // Three timescales of 31 bits: the multiple has 93, each time in it 125, their sum 127.
        let (start, duration) = (range.start, range.duration)
        var multiple = UInt128(timescale)
        for scale in [start.timescale, duration.timescale] {
            multiple *= UInt128(scale) / greatestCommonDivisor(multiple, UInt128(scale))
        }
        let ticks = { (time: CMTime) in
            Int128(time.value) * Int128(multiple / UInt128(time.timescale))
        }
        var offset = (ticks(self) - ticks(start)) % ticks(duration)
        if offset < 0 { offset += ticks(duration) }
        let total = ticks(start) + offset
        let rounded = CMTime(
            isNegative: total < 0, numerator: total.magnitude, denominator: multiple,
            timescale: CMTimeScale(clamping: multiple),
            wasRounded: hasBeenRounded || start.hasBeenRounded || duration.hasBeenRounded,
            epoch: start.epoch)
        if range.containsTime(rounded) { return rounded }
        // Rounded past an edge: the end is the start of the next round.
        return CMTime(
            value: start.value, timescale: start.timescale, flags: [.valid, .hasBeenRounded],
            epoch: start.epoch)
    }

    /// The time multiplied by the quotient of two durations that are not 0.
    private func scaled(from: CMTime, to: CMTime) -> CMTime {
        if from.kind == .positiveInfinity && to.kind == .positiveInfinity { return self }
        guard kind == .number, from.kind == .number, to.kind == .number else {
            return kind == .number || from.kind != .number || to.kind != .number ? .invalid : self
        }
        // value * to / from: 126 bits times 62 bits over 125 bits.
        let numerator = UInt128(value.magnitude) * UInt128(to.value.magnitude)
        let scale = UInt128(from.timescale.magnitude)
        let denominator =
            UInt128(from.value.magnitude) * UInt128(to.timescale.magnitude)
            * UInt128(timescale.magnitude)
        return CMTime(
            isNegative: value < 0, numerator: numerator, times: scale, over: denominator,
            preferring: [timescale, to.timescale],
            wasRounded: hasBeenRounded || from.hasBeenRounded || to.hasBeenRounded)
    }

    /// The number `numerator * factor / denominator` of seconds, exact when it can be: in the first of
    /// the preferred timescales that hold it, else in the reduced denominator, else rounded in the
    /// finest timescale in which it fits.
    private init(
        isNegative: Bool, numerator: UInt128, times factor: UInt128, over denominator: UInt128,
        preferring scales: [CMTimeScale], wasRounded: Bool
    ) {
        var (numerator, factor, denominator) = (numerator, factor, denominator)
        let common = greatestCommonDivisor(factor, denominator)
        (factor, denominator) = (factor / common, denominator / common)
        let second = greatestCommonDivisor(numerator, denominator)
        (numerator, denominator) = (numerator / second, denominator / second)

        // `denominator` is now that of the reduced fraction.
        for scale in scales + [CMTimeScale(exactly: denominator) ?? .max] {
            let divides = UInt128(scale.magnitude) % denominator == 0
            guard divides else { continue }
            let (quotient, overflow) = (UInt128(scale.magnitude) / denominator)
                .multipliedReportingOverflow(by: factor)
            let (magnitude, isTooMuch) = numerator.multipliedReportingOverflow(by: quotient)
            if !overflow, !isTooMuch,
                let value = Int64(isNegative: isNegative, magnitude: magnitude)
            {
                self.init(
                    value: value, timescale: scale,
                    flags: wasRounded ? [.valid, .hasBeenRounded] : .valid, epoch: 0)
                return
            }
        }
        var scale = CMTimeScale.max
        while true {
            // The factor has 31 bits and so has the scale: their product is no trouble.
            if let (quotient, remainder) = multiplyDivide(
                numerator, factor * UInt128(scale.magnitude), by: denominator),
                quotient < UInt128(UInt64.max),
                let value = Int64(
                    isNegative: isNegative,
                    magnitude: remainder >= denominator - remainder ? quotient + 1 : quotient)
            {
                self.init(
                    value: value, timescale: scale, flags: [.valid, .hasBeenRounded], epoch: 0)
                return
            }
            guard scale > 1 else {
                self = .infinity(isNegative: isNegative)
                return
            }
            scale /= 2
        }
    }
}

extension CMTimeRange {
    /// Whether times can be carried from and to this range.
    fileprivate var isMappable: Bool { isValid && !isEmpty }
}
