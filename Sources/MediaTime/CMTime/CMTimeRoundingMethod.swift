/// How a value that does not fall on a tick of the new timescale is brought onto one.
public enum CMTimeRoundingMethod: UInt32, Sendable, CaseIterable {
    /// To the nearest tick; from the middle, away from zero.
    case roundHalfAwayFromZero = 1
    /// To the tick nearer to zero.
    case roundTowardZero = 2
    /// To the tick farther from zero.
    case roundAwayFromZero = 3
    /// Toward zero when going to a smaller timescale, away from zero when going to a larger one;
    /// a negative value never becomes 0 but -1.
    case quickTime = 4
    /// To the later tick.
    case roundTowardPositiveInfinity = 5
    /// To the earlier tick.
    case roundTowardNegativeInfinity = 6

    /// ``roundHalfAwayFromZero``.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}
