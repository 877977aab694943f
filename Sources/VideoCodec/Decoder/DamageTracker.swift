internal import MediaTime

/// Follows, in decode order, which pictures can be right: libavcodec's flags do not say it.
///
/// A picture is damaged that is broken itself, and every later one until an IDR picture or a completed recovery point;
/// a broken picture that is no reference harms only itself. Pictures before the first such point are damaged, and so
/// are leading pictures: those that follow a recovery point in decode order and precede it in presentation order, when
/// something was wrong before it.
struct DamageTracker {
    /// What a sample's slice headers say.
    struct Facts {
        var isIDR: Bool
        var isReference: Bool
        var isIntra: Bool
        var frameNum: Int
        var maximumFrameNum: Int
        var areGapsAllowed: Bool
        /// `recovery_frame_cnt` of a recovery point message with the picture.
        var recoveryFrameCount: Int?
        /// Whether marking ends with everything unmarked (operation 5): `frame_num` counts from 0 again.
        var resetsFrameNum: Bool
        /// Whether the slices' NAL units already show that something is lost or broken.
        var isBroken: Bool
        var presentationTimeStamp: CMTime
    }

    /// What is wrong with a picture.
    struct Verdict {
        /// Whether the picture cannot be trusted.
        var isDamaged: Bool
        /// Whether it is a leading picture of a recovery point, and what it needs came before that.
        var isSkippedLeading: Bool
        /// Whether pictures that it may need were missing or wrong.
        var lacksReferences: Bool
    }

    /// Whether what later pictures are predicted from is wrong.
    ///
    /// So it is at the start.
    private var isBroken = true
    private var previousReferenceFrameNum: Int?
    /// What completes the recovery point under way: so many increments of `frame_num` after this value of it.
    private var recovery: (remaining: Int, frameNum: Int)?
    /// Where output was right again; earlier pictures that come later are not.
    private var leadingLimit: CMTime?

    /// Judges the next picture in decode order.
    ///
    /// - Parameters:
    ///   - facts: About the picture.
    ///   - isLost: Whether the decoder gave no picture, or a broken one.
    /// - Returns: What is wrong with it.
    mutating func judge(_ facts: Facts, isBroken isLost: Bool) -> Verdict {
        if facts.isIDR {
            isBroken = false
            recovery = nil
            leadingLimit = nil
        } else {
            noticeGap(facts)
            recover(facts)
        }
        previousReferenceFrameNum = next(facts)
        let broken = facts.isBroken || isLost
        let isLeading = leadingLimit.map { facts.presentationTimeStamp < $0 } ?? false
        let lacksReferences = isBroken || isLeading
        // Nothing from a recovery point on, in presentation order, is predicted from its leading pictures.
        if broken && facts.isReference && !isLeading {
            isBroken = true
            recovery = nil
        }
        return Verdict(
            isDamaged: broken || lacksReferences, isSkippedLeading: isLeading,
            lacksReferences: lacksReferences)
    }

    /// Judges a sample whose slice headers cannot be read.
    ///
    /// - Parameters:
    ///   - presentationTimeStamp: Of the sample.
    ///   - isReference: What its NAL unit headers say.
    /// - Returns: What is wrong with it.
    mutating func lose(presentationTimeStamp: CMTime, isReference: Bool) -> Verdict {
        let isLeading = leadingLimit.map { presentationTimeStamp < $0 } ?? false
        let lacksReferences = isBroken || isLeading
        if isReference && !isLeading {
            isBroken = true
            recovery = nil
        }
        return Verdict(
            isDamaged: true, isSkippedLeading: isLeading, lacksReferences: lacksReferences)
    }

    /// `frame_num` must be that of the last reference picture or one more (7.4.3), unless the stream may leave some out.
    private mutating func noticeGap(_ facts: Facts) {
        guard let previous = previousReferenceFrameNum, facts.frameNum != previous,
            facts.frameNum != (previous + 1) % facts.maximumFrameNum, !facts.areGapsAllowed
        else { return }
        isBroken = true
        recovery = nil
    }

    private mutating func recover(_ facts: Facts) {
        guard isBroken else { return }
        if let (remaining, frameNum) = recovery {
            recovery = (remaining - distance(frameNum, facts.frameNum, facts), facts.frameNum)
        }
        if let count = facts.recoveryFrameCount, count < recovery?.remaining ?? .max {
            recovery = (count, facts.frameNum)
        }
        // D.2.8 counts to a reference picture. Passed is as good as reached: the picture itself may be missing.
        guard let (remaining, _) = recovery, remaining <= 0,
            facts.isReference || facts.recoveryFrameCount == 0
        else {
            if facts.resetsFrameNum { recovery?.frameNum = 0 }
            return
        }
        isBroken = false
        recovery = nil
        leadingLimit = facts.presentationTimeStamp
    }

    private func distance(_ from: Int, _ to: Int, _ facts: Facts) -> Int {
        let difference = (to - from) % facts.maximumFrameNum
        return difference < 0 ? difference + facts.maximumFrameNum : difference
    }

    private func next(_ facts: Facts) -> Int? {
        if facts.resetsFrameNum { return 0 }
        if facts.isReference { return facts.frameNum }
        // After a gap that is allowed the missing ones count as decoded.
        guard let previous = previousReferenceFrameNum, facts.frameNum != previous else {
            return previousReferenceFrameNum
        }
        return (facts.frameNum + facts.maximumFrameNum - 1) % facts.maximumFrameNum
    }
}
