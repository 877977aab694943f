/// Follows `frame_num` and tells when reference pictures are missing.
///
/// Source: ITU-T H.264 (08/2021) 7.4.3, 8.2.5.2.
public struct FrameNumTracker: Sendable {
    /// Frames missing before a picture.
    public struct Gap: Hashable, Sendable {
        /// The number of frames.
        public let frameCount: Int
        /// `gaps_in_frame_num_value_allowed_flag`: the encoder left them out on purpose.
        public let isAllowed: Bool
    }

    /// `PrevRefFrameNum`; nil before the first picture.
    private var previousReference: Int?

    /// Starts without a previous picture, so that the first one has no gap before it.
    public init() {}

    /// Takes the next picture in decoding order and returns the gap before it.
    ///
    /// - Parameters:
    ///   - header: The first slice of the picture.
    ///   - isSecondField: Whether the picture completes a frame with the one before.
    /// - Returns: The gap, or nil.
    public mutating func next(_ header: SliceHeader, isSecondField: Bool = false) -> Gap? {
        let maximum = header.sequenceParameterSet.maximumFrameNum
        var gap: Gap?
        if header.isIDR {
            previousReference = 0
        } else if let previous = previousReference, !isSecondField,
            header.frameNum != previous % maximum
        {
            let missing = (header.frameNum - previous - 1) & (maximum - 1)
            if missing > 0 {
                gap = Gap(
                    frameCount: missing,
                    isAllowed: header.sequenceParameterSet.isFrameNumGapAllowed)
                previousReference = (header.frameNum - 1) & (maximum - 1)
            }
        }
        if header.referenceMarking?.hasUnmarkAll == true {
            previousReference = 0
        } else if header.nalUnitHeader.referenceIDC != 0 {
            previousReference = header.frameNum
        } else if previousReference == nil {
            // A picture nothing refers to has the number after that of the last reference frame.
            previousReference = (header.frameNum - 1) & (maximum - 1)
        }
        return gap
    }
}
