/// A picture parameter set.
///
/// Immutable and shared: a copy is a reference. Two are equal when their bytes and those of their sequence parameter
/// sets are.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.2, 7.4.2.2.
public final class PictureParameterSet: Sendable {
    /// How the macroblocks of a picture are divided among slice groups.
    public enum SliceGroupMap: Hashable, Sendable {
        /// Type 0: runs of this many map units for each group in turn.
        case interleaved(runLengths: [Int])
        /// Type 1: a dispersed pattern.
        case dispersed
        /// Type 2: rectangles given by their corners, and the rest.
        case foreground(topLeft: [Int], bottomRight: [Int])
        /// Types 3, 4, 5: groups that grow by `changeRate` map units.
        case changing(type: Int, directionFlag: Bool, changeRate: Int)
        /// Type 6: a group for each map unit, not read.
        case explicit(mapUnitCount: Int)
    }

    /// The whole NAL unit, header byte and emulation prevention included.
    public let bytes: [UInt8]
    /// `pic_parameter_set_id`, 0...255.
    public let id: Int
    /// The sequence parameter set it was parsed against.
    public let sequenceParameterSet: SequenceParameterSet
    /// `entropy_coding_mode_flag`: CABAC, else CAVLC.
    public let isCABAC: Bool
    /// `bottom_field_pic_order_in_frame_present_flag`.
    public let isBottomFieldPictureOrderInFramePresent: Bool
    /// The number of slice groups, 1...8.
    public let sliceGroupCount: Int
    /// How they lie; nil where there is only one.
    public let sliceGroupMap: SliceGroupMap?
    /// `num_ref_idx_l0_default_active_minus1` + 1, 1...32.
    public let defaultReferenceCount0: Int
    /// `num_ref_idx_l1_default_active_minus1` + 1, 1...32.
    public let defaultReferenceCount1: Int
    /// `weighted_pred_flag`.
    public let isWeightedPrediction: Bool
    /// `weighted_bipred_idc`, 0...2.
    public let weightedBipredictionIDC: Int
    /// 26 + `pic_init_qp_minus26`.
    public let initialQP: Int
    /// 26 + `pic_init_qs_minus26`.
    public let initialQS: Int
    /// `chroma_qp_index_offset`.
    public let chromaQPIndexOffset: Int
    /// `second_chroma_qp_index_offset`.
    public let secondChromaQPIndexOffset: Int
    /// `deblocking_filter_control_present_flag`.
    public let isDeblockingFilterControlPresent: Bool
    /// `constrained_intra_pred_flag`.
    public let isConstrainedIntraPrediction: Bool
    /// `redundant_pic_cnt_present_flag`.
    public let isRedundantPictureCountPresent: Bool
    /// `transform_8x8_mode_flag`.
    public let isTransform8x8Mode: Bool
    /// The scaling lists, 6, 8 or 12 of them, or nil.
    public let scalingMatrix: [ScalingList]?

    /// Reads only the identifiers: the set's own and the sequence parameter set's.
    public static func identifiers(
        nalUnit: [UInt8]
    ) throws(BitstreamError) -> (id: Int, sequenceParameterSetID: Int) {
        guard let byte = nalUnit.first else { throw .truncated(bit: 0, needed: 8) }
        let type = NALUnitHeader(byte: byte).type
        guard type == .pps else { throw .unexpectedNALUnitType(type) }
        var reader = BitReader()
        unsafe nalUnit.withUnsafeBytes { unsafe reader.load(nalUnit: $0, limit: 16) }
        return (
            Int(try reader.readUE("pic_parameter_set_id", 0...255)),
            Int(try reader.readUE("seq_parameter_set_id", 0...31))
        )
    }

    /// Parses a whole NAL unit of type 8, header byte and emulation prevention included.
    ///
    /// - Parameters:
    ///   - nalUnit: The NAL unit.
    ///   - sequenceParameterSet: The set it names: the number of scaling lists depends on it.
    /// - Throws: Where a value is forbidden or the data too short.
    public init(
        nalUnit: [UInt8], sequenceParameterSet: SequenceParameterSet
    ) throws(BitstreamError) {
        let (id, spsID) = try Self.identifiers(nalUnit: nalUnit)
        guard spsID == sequenceParameterSet.id else {
            throw .missingParameterSet(element: "seq_parameter_set_id", id: UInt32(spsID))
        }
        var reader = BitReader(nalUnit: nalUnit)
        _ = try reader.readUE()
        _ = try reader.readUE()

        bytes = nalUnit
        self.id = id
        self.sequenceParameterSet = sequenceParameterSet
        isCABAC = try reader.readFlag()
        isBottomFieldPictureOrderInFramePresent = try reader.readFlag()
        sliceGroupCount = Int(try reader.readUE("num_slice_groups_minus1", 0...7)) + 1
        sliceGroupMap =
            sliceGroupCount > 1
            ? try SliceGroupMap(
                &reader, count: sliceGroupCount, mapUnits: sequenceParameterSet.sizeInMapUnits)
            : nil
        defaultReferenceCount0 =
            Int(try reader.readUE("num_ref_idx_l0_default_active_minus1", 0...31)) + 1
        defaultReferenceCount1 =
            Int(try reader.readUE("num_ref_idx_l1_default_active_minus1", 0...31)) + 1
        isWeightedPrediction = try reader.readFlag()
        let bipredictionBit = reader.bitPosition
        weightedBipredictionIDC = Int(try reader.readBits(2))
        guard weightedBipredictionIDC <= 2 else {
            throw .invalidValue(element: "weighted_bipred_idc", value: 3, bit: bipredictionBit)
        }
        let qpBitDepthOffset = Int32(6 * (sequenceParameterSet.bitDepthLuma - 8))
        initialQP = 26 + Int(try reader.readSE("pic_init_qp_minus26", -26 - qpBitDepthOffset...25))
        initialQS = 26 + Int(try reader.readSE("pic_init_qs_minus26", -26...25))
        chromaQPIndexOffset = Int(try reader.readSE("chroma_qp_index_offset", -12...12))
        isDeblockingFilterControlPresent = try reader.readFlag()
        isConstrainedIntraPrediction = try reader.readFlag()
        isRedundantPictureCountPresent = try reader.readFlag()

        if reader.hasMoreRBSPData {
            isTransform8x8Mode = try reader.readFlag()
            let count8x8 =
                !isTransform8x8Mode ? 0 : sequenceParameterSet.chromaFormatIDC == 3 ? 6 : 2
            scalingMatrix =
                try reader.readFlag()
                ? try ScalingList.readMatrix(&reader, count: 6 + count8x8) : nil
            secondChromaQPIndexOffset = Int(
                try reader.readSE("second_chroma_qp_index_offset", -12...12))
        } else {
            isTransform8x8Mode = false
            scalingMatrix = nil
            secondChromaQPIndexOffset = chromaQPIndexOffset
        }
    }
}

extension PictureParameterSet.SliceGroupMap {
    init(_ reader: inout BitReader, count: Int, mapUnits: Int) throws(BitstreamError) {
        let limit = UInt32(mapUnits - 1)
        switch Int(try reader.readUE("slice_group_map_type", 0...6)) {
        case 0:
            var lengths: [Int] = []
            for _ in 0..<count {
                lengths.append(Int(try reader.readUE("run_length_minus1", 0...limit)) + 1)
            }
            self = .interleaved(runLengths: lengths)
        case 1:
            self = .dispersed
        case 2:
            var topLeft: [Int] = []
            var bottomRight: [Int] = []
            for _ in 0..<count - 1 {
                let first = try reader.readUE("top_left", 0...limit)
                topLeft.append(Int(first))
                bottomRight.append(Int(try reader.readUE("bottom_right", first...limit)))
            }
            self = .foreground(topLeft: topLeft, bottomRight: bottomRight)
        case 6:
            _ = try reader.readUE("pic_size_in_map_units_minus1", limit...limit)
            let bits = count > 4 ? 3 : count > 2 ? 2 : 1
            // Nobody here asks for the groups, and there may be a million: a set is parsed anew with every change of
            // its sequence parameter set.
            try reader.skipBits(bits * mapUnits)
            self = .explicit(mapUnitCount: mapUnits)
        case let type:
            self = .changing(
                type: type, directionFlag: try reader.readFlag(),
                changeRate: Int(try reader.readUE("slice_group_change_rate_minus1", 0...limit)) + 1)
        }
    }
}

extension PictureParameterSet: Hashable {
    /// Compares the bytes.
    public static func == (left: PictureParameterSet, right: PictureParameterSet) -> Bool {
        left === right
            || left.bytes == right.bytes && left.sequenceParameterSet == right.sequenceParameterSet
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}
