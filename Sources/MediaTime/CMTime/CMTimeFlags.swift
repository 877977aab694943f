/// What a ``CMTime`` is: a number, an infinity, indefinite or nothing at all.
public struct CMTimeFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt32

    /// A set of flags from its bits; unknown bits survive.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Must be set, whatever else is; without it the time is invalid.
    public static let valid = CMTimeFlags(rawValue: 1 << 0)
    /// The value is not exactly what was asked for.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
    /// Later than every number; the other fields mean nothing.
    public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
    /// Earlier than every number; the other fields mean nothing.
    public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
    /// Not known, as the duration of live input; the other fields mean nothing.
    public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
    /// The flags that make value and timescale meaningless.
    public static let impliedValueFlagsMask: CMTimeFlags = [
        .positiveInfinity, .negativeInfinity, .indefinite,
    ]
}
