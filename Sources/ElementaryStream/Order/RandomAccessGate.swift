package import H264

/// Decides which pictures are whole enough to show after a start in the middle of things.
///
/// A stream may begin anywhere. Pictures before its first IDR picture or recovery point, those up to
/// that recovery point's recovery_frame_cnt (D.2.8), and those that follow it in decoding order
/// but precede it in presentation order need pictures that were never received.
package struct RandomAccessGate {
    private enum State {
        case closed
        /// Open from the reference picture with this frame_num on.
        case recovering(frameNum: Int)
        /// Open for this presentation rank and later ones.
        case open(fromRank: Int)
    }

    private var state = State.closed

    /// The gate at the start of a stream.
    package init() {}

    /// Whether the access unit, the next in decoding order, is shown.
    package mutating func shows(_ unit: AccessUnit, presentationRank: Int) -> Bool {
        switch state {
        case .open(let rank): return presentationRank >= rank
        case .closed, .recovering: break
        }
        if unit.isIDR {
            state = .open(fromRank: presentationRank)
            return true
        }
        if let point = unit.recoveryPoint {
            let modulus = unit.sequenceParameterSet.maximumFrameNum
            let target = (unit.frameNum + point.recoveryFrameCount) % modulus
            if case .recovering(let earlier) = state,
                (earlier - unit.frameNum + modulus) % modulus <= point.recoveryFrameCount
            {
                // The earlier point is reached first.
            } else {
                state = .recovering(frameNum: target)
            }
        }
        if case .recovering(unit.frameNum) = state, unit.referenceIDC != 0 {
            state = .open(fromRank: presentationRank)
            return true
        }
        return false
    }
}
