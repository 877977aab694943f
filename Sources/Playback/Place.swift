public import MediaTime

/// A place in a stream: a picture by its number in presentation order, or a time.
public enum Place: Hashable, Sendable {
    /// A picture, from 0.
    case picture(Int)
    /// A time of the presentation, which begins at 0.
    case time(CMTime)

    /// How much nearer than this two times are one: what is written has six digits behind the point.
    public static let tolerance = CMTime(value: 1, timescale: 1_000_000)
}
