extension CMTimebase {
    /// Sets the time now; the rate stays.
    ///
    /// Observers hear of a jump.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for what is no number,
    ///   ``CMTimebase/Error/readOnly``.
    public func setTime(_ time: CMTime) throws(MediaError) {
        try setTime(time, asOwner: false)
    }

    /// Sets the rate now; the time stays continuous.
    ///
    /// Any finite rate is good: 0, fractions, negative.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for a rate that is not finite,
    ///   ``CMTimebase/Error/readOnly``.
    public func setRate(_ rate: Double) throws(MediaError) {
        try setRate(rate, asOwner: false)
    }

    /// Sets the time to be `anchorTime` when the source's is `referenceTime`, past or future.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for what is no number,
    ///   ``CMTimebase/Error/readOnly``.
    public func setAnchorTime(
        _ anchorTime: CMTime, referenceTime: CMTime
    ) throws(MediaError) {
        try setAnchorTime(anchorTime, referenceTime: referenceTime, asOwner: false)
    }

    /// Sets rate and time as though the timebase had been at `anchorTime` when the source was at
    /// `referenceTime` and gone at `rate` ever since; also when that is in the future.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for what is no number or a rate that is not
    ///   finite, ``CMTimebase/Error/readOnly``.
    public func setRateAndAnchorTime(
        rate: Double, anchorTime: CMTime, referenceTime: CMTime
    ) throws(MediaError) {
        try setRateAndAnchorTime(
            rate: rate, anchorTime: anchorTime, referenceTime: referenceTime, asOwner: false)
    }

    /// Makes another clock or timebase the measure; time and rate stay as they are now.
    ///
    /// - Throws: ``CMTimebase/Error/invalidParameter`` for this timebase itself, one that follows it,
    ///   and what is neither clock nor timebase; ``CMTimebase/Error/readOnly``.
    public func setSource(_ source: any CMSyncProtocol) throws(MediaError) {
        try setSource(source, asOwner: false)
    }
}

// MARK: By whom

extension CMTimebase {
    fileprivate func setTime(_ time: CMTime, asOwner: Bool) throws(MediaError) {
        try apply(Change(anchor: reading(of: time), isJump: true), asOwner: asOwner)
    }

    fileprivate func setRate(_ rate: Double, asOwner: Bool) throws(MediaError) {
        try apply(Change(rate: finite(rate)), asOwner: asOwner)
    }

    fileprivate func setAnchorTime(
        _ anchorTime: CMTime, referenceTime: CMTime, asOwner: Bool
    ) throws(MediaError) {
        try apply(
            Change(
                anchor: reading(of: anchorTime), sourceAnchor: reading(of: referenceTime),
                isJump: true),
            asOwner: asOwner)
    }

    fileprivate func setRateAndAnchorTime(
        rate: Double, anchorTime: CMTime, referenceTime: CMTime, asOwner: Bool
    ) throws(MediaError) {
        try apply(
            Change(
                rate: finite(rate), anchor: reading(of: anchorTime),
                sourceAnchor: reading(of: referenceTime), isJump: true),
            asOwner: asOwner)
    }

    fileprivate func setSource(
        _ source: any CMSyncProtocol, asOwner: Bool
    ) throws(MediaError) {
        guard let source = TimeSource(source) else { throw Error.invalidParameter }
        try apply(Change(source: source), asOwner: asOwner)
    }

    fileprivate func follow(_ source: any CMSyncProtocol) throws(MediaError) {
        guard let source = TimeSource(source) else { throw Error.invalidParameter }
        let zero = TimelineReading(.zero)
        try apply(
            Change(source: source, rate: 1, anchor: zero, sourceAnchor: zero, isJump: true),
            asOwner: true)
    }

    /// A parameter that must be a number.
    ///
    /// A read-only timebase says so even of a bad one: its users can do nothing right.
    private func reading(of time: CMTime) throws(MediaError) -> TimelineReading {
        guard time.kind == .number else {
            throw isReadOnly ? Error.readOnly : Error.invalidParameter
        }
        return TimelineReading(time)
    }

    private func finite(_ rate: Double) throws(MediaError) -> Double {
        guard rate.isFinite else { throw isReadOnly ? Error.readOnly : Error.invalidParameter }
        return rate
    }
}

// Not Apple's: read-only timebases, and the hand of those who own them.
extension CMTimebase {
    /// A timebase that reads what another reads: rate 1, the same times.
    ///
    /// - Parameters:
    ///   - source: What it follows.
    ///   - readOnly: Whether only ``owner`` may set it.
    package convenience init(following source: CMTimebase, readOnly: Bool) {
        self.init(following: .timebase(source), isReadOnly: readOnly)
    }

    /// A timebase that reads what a clock reads: rate 1, the same times.
    ///
    /// - Parameters:
    ///   - clock: What it follows.
    ///   - readOnly: Whether only ``owner`` may set it.
    package convenience init(following clock: CMClock, readOnly: Bool) {
        self.init(following: .clock(clock), isReadOnly: readOnly)
    }

    /// A timebase at rate 0 and time 0 that only ``owner`` may set.
    package convenience init(readOnlyWithSourceClock clock: CMClock) {
        self.init(source: .clock(clock), isReadOnly: true)
    }

    private convenience init(following source: TimeSource, isReadOnly: Bool) {
        self.init(source: source, isReadOnly: isReadOnly)
        do throws(MediaError) { try follow(source.object) } catch {
            preconditionFailure("a new timebase cannot be its own source: \(error)")
        }
    }

    /// The setters of a read-only timebase, for the object that it belongs to.
    package var owner: Owner { Owner(timebase: self) }

    /// The setters of ``CMTimebase`` without the question whether it is read-only.
    package struct Owner {
        fileprivate let timebase: CMTimebase

        /// See ``CMTimebase/setTime(_:)``.
        package func setTime(_ time: CMTime) throws(MediaError) {
            try timebase.setTime(time, asOwner: true)
        }

        /// See ``CMTimebase/setRate(_:)``.
        package func setRate(_ rate: Double) throws(MediaError) {
            try timebase.setRate(rate, asOwner: true)
        }

        /// See ``CMTimebase/setAnchorTime(_:referenceTime:)``.
        package func setAnchorTime(
            _ anchorTime: CMTime, referenceTime: CMTime
        ) throws(MediaError) {
            try timebase.setAnchorTime(
                anchorTime, referenceTime: referenceTime, asOwner: true)
        }

        /// See ``CMTimebase/setRateAndAnchorTime(rate:anchorTime:referenceTime:)``.
        package func setRateAndAnchorTime(
            rate: Double, anchorTime: CMTime, referenceTime: CMTime
        ) throws(MediaError) {
            try timebase.setRateAndAnchorTime(
                rate: rate, anchorTime: anchorTime, referenceTime: referenceTime, asOwner: true)
        }

        /// See ``CMTimebase/setSource(_:)``.
        package func setSource(_ source: any CMSyncProtocol) throws(MediaError) {
            try timebase.setSource(source, asOwner: true)
        }

        /// Makes the timebase read what a clock or another timebase reads: rate 1, the same times.
        package func follow(_ source: any CMSyncProtocol) throws(MediaError) {
            try timebase.follow(source)
        }

        /// Puts the timebase back as a fresh one: a clock, rate 0, time 0.
        package func reset(to clock: CMClock = .hostTimeClock) {
            let start = TimelineReading(.zero)
            do throws(MediaError) {
                try timebase.apply(
                    Change(source: .clock(clock), rate: 0, anchor: start, isJump: true),
                    asOwner: true)
            } catch {
                preconditionFailure("a clock is always a good source: \(error)")
            }
        }
    }
}
