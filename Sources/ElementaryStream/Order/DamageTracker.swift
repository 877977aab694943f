public import H264

/// Follows damage from the picture where it happens to the picture that mends it.
public struct DamageTracker: Sendable {
    private var isSpreading = false
    /// frame_num at which a recovery point under way is complete.
    private var recovery: Int?

    /// A stream from its start.
    public init() {}

    /// A stream from a place in its middle, where what came before is not known: nothing counts as whole before the next
    /// IDR picture or completed recovery point, and from there on it is as if the stream had been read from its start.
    public init(isEnteredInTheMiddle: Bool) { isSpreading = isEnteredInTheMiddle }

    /// Whether the access unit, the next in decoding order, is damaged.
    ///
    /// - Parameters:
    ///   - unit: The access unit.
    ///   - isBroken: Whether it is incomplete or malformed itself.
    /// - Returns: Whether it is, or may be predicted from one that is.
    public mutating func isDamaged(_ unit: AccessUnit, isBroken: Bool) -> Bool {
        if unit.isIDR {
            isSpreading = false
            recovery = nil
        } else if unit.lostFrameCount > 0 {
            isSpreading = true
            recovery = nil
        }
        if isSpreading {
            if let point = unit.recoveryPoint {
                // Of two under way the one that is complete first counts, so that an earlier start changes nothing.
                let modulus = unit.sequenceParameterSet.maximumFrameNum
                let left = recovery.map { ($0 - unit.frameNum + modulus) % modulus }
                if point.recoveryFrameCount < left ?? .max {
                    recovery = (unit.frameNum + point.recoveryFrameCount) % modulus
                }
            }
            if recovery == unit.frameNum, unit.referenceIDC != 0 {
                isSpreading = false
                recovery = nil
            }
        }
        defer {
            if isBroken, unit.referenceIDC != 0 {
                isSpreading = true
                recovery = nil
            }
        }
        return isBroken || isSpreading
    }
}
