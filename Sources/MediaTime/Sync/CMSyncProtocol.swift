/// A clock or a timebase: something that has a time, and a relation to others of its kind.
///
/// Only ``CMClock`` and ``CMTimebase`` adopt it; anything else is refused as a source and related to nothing.
public protocol CMSyncProtocol: AnyObject, Sendable {
    /// The time now.
    var time: CMTime { get }
}

extension CMSyncProtocol {
    /// How fast this goes by the measure of another.
    ///
    /// - Parameter clockOrTimebase: The measure.
    /// - Returns: The quotient of both effective rates; 1 for the same object; not a number when the
    ///   measure stands still or has another ultimate clock.
    public func rate<T: CMSyncProtocol>(relativeTo clockOrTimebase: T) -> Double {
        guard let of = TimeSource(self), let measure = TimeSource(clockOrTimebase) else {
            return .nan
        }
        return TimebaseGraph.read { of.lockedRate(relativeTo: measure) }
    }

    /// How fast this goes by the measure of another, with a time of each that belong together.
    ///
    /// - Parameter clockOrTimebase: The measure.
    /// - Returns: The relative rate; a time of this one, and the other's time at that moment. For a
    ///   timebase and its own source these are its anchor, else the times now.
    /// - Throws: ``CMSyncError/invalidParameter`` without a common ultimate clock,
    ///   ``CMSyncError/rateMustBeNonZero`` when the measure stands still and this does not.
    public func rateAndAnchorTime<T: CMSyncProtocol>(
        relativeTo clockOrTimebase: T
    ) throws(MediaError) -> (rate: Double, anchorTime: CMTime, referenceTime: CMTime) {
        guard let of = TimeSource(self), let measure = TimeSource(clockOrTimebase) else {
            throw CMSyncError.invalidParameter
        }
        return try TimebaseGraph.read { () throws(MediaError) in
            try of.lockedRateAndAnchor(relativeTo: measure)
        }
    }

    /// The time of another at the moment when this one's is `time`.
    ///
    /// - Parameters:
    ///   - time: A time of this one, past or future.
    ///   - clockOrTimebase: Whose time is asked for.
    /// - Returns: `time` itself for the same object. ``CMTime/invalid`` without a common ultimate clock,
    ///   for a time that is no number, and when a timebase that stands still is on the way up to the
    ///   common source. One on the way down gives its standing time.
    public func convertTime<T: CMSyncProtocol>(_ time: CMTime, to clockOrTimebase: T) -> CMTime {
        guard let from = TimeSource(self), let to = TimeSource(clockOrTimebase) else {
            return .invalid
        }
        return TimebaseGraph.read { from.lockedConversion(of: time, to: to) }
    }

    /// Whether the relation to another can change by itself: whether they have different ultimate clocks.
    public func mightDrift<T: CMSyncProtocol>(relativeTo clockOrTimebase: T) -> Bool {
        guard let one = TimeSource(self), let other = TimeSource(clockOrTimebase) else {
            return true
        }
        return TimebaseGraph.read { one.lockedUltimateClock !== other.lockedUltimateClock }
    }
}
