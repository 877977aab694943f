/// A half-open range of time: from ``start`` up to, but without, ``end``.
public struct CMTimeRange: Hashable, Codable, Sendable, BitwiseCopyable {
    /// The first time of the range.
    public var start: CMTime

    /// How long the range is; of epoch 0 and not negative, else the range is not valid.
    public var duration: CMTime

    /// The invalid range.
    public init() {
        start = .invalid
        duration = .invalid
    }

    /// A range from its start and duration; ``invalid`` when the duration has an epoch.
    public init(start: CMTime, duration: CMTime) {
        let isSound = duration.epoch == 0
        self.start = isSound ? start : .invalid
        self.duration = isSound ? duration : .invalid
    }

    /// The range between two times; ``invalid`` when they are of different epochs.
    public init(start: CMTime, end: CMTime) {
        // A duration has no epoch, so a start of epoch 0 and an end of another are not a range.
        self.init(start: start, duration: end - start)
    }

    /// The empty range at 0.
    public static var zero: CMTimeRange { CMTimeRange(start: .zero, duration: .zero) }

    /// No range at all.
    public static var invalid: CMTimeRange { CMTimeRange() }

    /// Whether start and duration are valid, and the duration is of epoch 0 and not negative.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration.value >= 0
    }

    /// Whether the range is valid and its start or duration is not known.
    public var isIndefinite: Bool {
        isValid && (start.isIndefinite || duration.isIndefinite)
    }

    /// Whether the range is valid and has no times.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// The first time after the range; ``CMTime/invalid`` when the range is.
    public var end: CMTime { start + duration }

    /// Whether a time is in the range: `start <= time < end`.
    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.isValid && start <= time && time < end
    }

    /// Whether all of another range is in this one.
    ///
    /// An empty range contains nothing, not even itself; a range that is not empty contains an empty
    /// one that starts inside it.
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        guard range.isValid, containsTime(range.start) else { return false }
        return range.isEmpty || range.end <= end
    }

    /// The largest range that is in both; ``zero`` when they have no time in common, ``invalid`` when
    /// either is.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        let start = max(start, otherRange.start)
        let end = min(end, otherRange.end)
        return start < end ? CMTimeRange(start: start, end: end) : .zero
    }

    /// The smallest range that covers both; an empty range takes part with its start.
    ///
    /// ``invalid`` when either is, and when they are of different epochs.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        return CMTimeRange(
            start: min(start, otherRange.start), end: max(end, otherRange.end))
    }
}

extension CMTimeRange: CustomStringConvertible {
    /// The range as `CMTimeRangeShow` prints it: start and duration, or `{INVALID}`.
    public var description: String {
        isValid ? "{\(start), \(duration)}" : "{INVALID}"
    }
}
