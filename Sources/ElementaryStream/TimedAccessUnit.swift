public import H264

/// An access unit with its place in the presentation.
public struct TimedAccessUnit {
    /// What stands in the bitstream.
    public var accessUnit: AccessUnit
    /// Rank in decoding order, from 0.
    public var decodeRank: Int
    /// Rank in presentation order, from 0.
    public var presentationRank: Int
    /// Presentation time, in ticks of the stream's time scale, from 0.
    public var presentationTicks: Int64
    /// Decode time, in the same ticks: not after the presentation time; negative at the start of a stream that reorders.
    public var decodeTicks: Int64
    /// How long the picture stays, in the same ticks.
    public var durationTicks: Int64
    /// False for what a start in mid-stream leaves undecodable.
    public var isShown: Bool
    /// Whether this picture or one it may be predicted from is lost or broken, as far as headers tell.
    public var isDamaged: Bool

    /// Whether it is incomplete or malformed itself, as far as headers tell.
    public var isBroken: Bool { !accessUnit.damage.isEmpty || (payload?.isIncomplete ?? false) }

    /// What a decoder needs of it, where it was asked for.
    package var payload: AccessUnitPayload?
}
