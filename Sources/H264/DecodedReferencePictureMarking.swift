/// What becomes of reference pictures once a picture is decoded: `dec_ref_pic_marking()`.
///
/// Source: ITU-T H.264 (08/2021) 7.3.3.3, 7.4.3.3.
public enum DecodedReferencePictureMarking: Hashable, Sendable {
    /// A memory management control operation.
    public enum Operation: Hashable, Sendable {
        /// 1: a short-term picture is not used any more; `difference_of_pic_nums_minus1`.
        case unmarkShortTerm(differenceOfPictureNumbersMinus1: UInt32)
        /// 2: a long-term picture is not used any more.
        case unmarkLongTerm(longTermPictureNumber: UInt32)
        /// 3: a short-term picture becomes a long-term one.
        case assignLongTerm(
            differenceOfPictureNumbersMinus1: UInt32, longTermFrameIndex: UInt32)
        /// 4: `max_long_term_frame_idx_plus1`.
        case setMaximumLongTermFrameIndex(plus1: UInt32)
        /// 5: no picture is used any more, and counting starts again.
        case unmarkAll
        /// 6: the current picture becomes a long-term one.
        case assignLongTermToCurrent(longTermFrameIndex: UInt32)
    }

    /// An IDR picture's.
    case idr(noOutputOfPriorPictures: Bool, isLongTerm: Bool)
    /// The oldest goes first.
    case slidingWindow
    /// Operations, in order.
    case adaptive([Operation])

    /// The operations a picture can have at most: more cannot have an effect on 16 frames.
    static let maximumOperationCount = 66

    /// Whether operation 5 is among them.
    public var hasUnmarkAll: Bool {
        guard case .adaptive(let operations) = self else { return false }
        return operations.contains(.unmarkAll)
    }

    init(_ reader: inout BitReader, isIDR: Bool) throws(BitstreamError) {
        if isIDR {
            let noOutput = try reader.readFlag()
            self = .idr(noOutputOfPriorPictures: noOutput, isLongTerm: try reader.readFlag())
            return
        }
        guard try reader.readFlag() else {
            self = .slidingWindow
            return
        }
        var operations: [Operation] = []
        while let operation = try Self.readOperation(&reader) {
            operations.append(operation)
            guard operations.count <= Self.maximumOperationCount else {
                throw .invalidValue(
                    element: "memory_management_control_operation",
                    value: Int64(operations.count), bit: reader.bitPosition)
            }
        }
        self = .adaptive(operations)
    }

    private static func readOperation(
        _ reader: inout BitReader
    ) throws(BitstreamError) -> Operation? {
        switch try reader.readUE("memory_management_control_operation", 0...6) {
        case 0: nil
        case 1: .unmarkShortTerm(differenceOfPictureNumbersMinus1: try reader.readUE())
        case 2:
            .unmarkLongTerm(longTermPictureNumber: try reader.readUE("long_term_pic_num", 0...31))
        case 3:
            .assignLongTerm(
                differenceOfPictureNumbersMinus1: try reader.readUE(),
                longTermFrameIndex: try reader.readUE("long_term_frame_idx", 0...15))
        case 4:
            .setMaximumLongTermFrameIndex(
                plus1: try reader.readUE("max_long_term_frame_idx_plus1", 0...16))
        case 5: .unmarkAll
        default:
            .assignLongTermToCurrent(
                longTermFrameIndex: try reader.readUE("long_term_frame_idx", 0...15))
        }
    }
}
