/// Computes picture order counts of all three types, picture after picture in decoding order.
///
/// Arithmetic wraps: a hostile stream may make nonsense of its own order, not stop the program.
///
/// Source: ITU-T H.264 (08/2021) 8.2.1.
public struct PictureOrderCounter: Sendable {
    /// `prevPicOrderCntMsb` and `prevPicOrderCntLsb`.
    private var previousMSB = 0
    private var previousLSB = 0
    /// `prevFrameNumOffset` and `prevFrameNum`.
    private var previousFrameNumOffset = 0
    private var previousFrameNum = 0

    /// Starts as before an IDR picture.
    public init() {}

    /// Returns the picture order count of the picture with the first slice `header`.
    ///
    /// After memory management control operation 5 a picture counts as if it began the sequence: the value returned is
    /// `tempPicOrderCnt`'s, comparable with what follows and not with what precedes.
    public mutating func next(_ header: SliceHeader) -> PictureOrderCount {
        if header.isIDR { self = PictureOrderCounter() }
        let isReference = header.nalUnitHeader.referenceIDC != 0
        let sequence = header.sequenceParameterSet
        var top: Int
        var bottom: Int

        var offset = 0
        if case .leastSignificantBits = sequence.pictureOrderCountType {
        } else {
            offset = previousFrameNumOffset
            if previousFrameNum > header.frameNum { offset &+= sequence.maximumFrameNum }
        }
        var msb = 0

        switch sequence.pictureOrderCountType {
        case .leastSignificantBits(let bitCount):
            let range = 1 << bitCount
            let lsb = header.pictureOrderCountLSB
            msb = previousMSB
            if lsb < previousLSB && previousLSB &- lsb >= range / 2 {
                msb = previousMSB &+ range
            } else if lsb > previousLSB && lsb &- previousLSB > range / 2 {
                msb = previousMSB &- range
            }
            top = msb &+ lsb
            bottom = top &+ Int(header.deltaPictureOrderCountBottom)
        case .cycle(let cycle):
            let expected = Self.expected(cycle, offset, header.frameNum, isReference)
            top = expected &+ Int(header.deltaPictureOrderCount0)
            bottom = top &+ Int(cycle.offsetForTopToBottomField)
            if header.isField {
                bottom =
                    expected &+ Int(cycle.offsetForTopToBottomField)
                    &+ Int(header.deltaPictureOrderCount0)
            } else {
                bottom = bottom &+ Int(header.deltaPictureOrderCount1)
            }
        case .decodingOrder:
            let temporary =
                header.isIDR
                ? 0 : (offset &+ header.frameNum) &* 2 &- (isReference ? 0 : 1)
            top = temporary
            bottom = temporary
        }

        previousFrameNumOffset = offset
        previousFrameNum = header.frameNum
        if isReference {
            previousMSB = msb
            previousLSB = header.pictureOrderCountLSB
        }
        if header.referenceMarking?.hasUnmarkAll == true {
            let first =
                header.isField ? (header.isBottomField ? bottom : top) : min(top, bottom)
            top = top &- first
            bottom = bottom &- first
            previousFrameNumOffset = 0
            previousFrameNum = 0
            previousMSB = 0
            previousLSB = header.isBottomField ? 0 : top
        }
        guard header.isField else { return PictureOrderCount(top: top, bottom: bottom) }
        return PictureOrderCount(
            top: header.isBottomField ? nil : top, bottom: header.isBottomField ? bottom : nil)
    }

    /// `expectedPicOrderCnt`, 8.2.1.2.
    private static func expected(
        _ cycle: SequenceParameterSet.Cycle, _ offset: Int, _ frameNum: Int, _ isReference: Bool
    ) -> Int {
        let offsets = cycle.offsetsForReferenceFrames
        var absolute = offsets.isEmpty ? 0 : offset &+ frameNum
        if !isReference && absolute > 0 { absolute -= 1 }
        var expected = 0
        if absolute > 0 {
            // At most 255 values of 32 bits.
            let sum = offsets.reduce(0) { $0 + Int($1) }
            let (cycles, rest) = (absolute - 1).quotientAndRemainder(dividingBy: offsets.count)
            expected = cycles &* sum
            for index in 0...rest { expected = expected &+ Int(offsets[index]) }
        }
        return isReference ? expected : expected &+ Int(cycle.offsetForNonReferencePicture)
    }
}
