/// A slice header.
///
/// Source: ITU-T H.264 (08/2021) 7.3.3, 7.4.3.
public struct SliceHeader: Hashable, Sendable {
    /// The first byte of the NAL unit.
    public private(set) var nalUnitHeader: NALUnitHeader
    /// The picture parameter set the slice refers to; it knows the sequence parameter set.
    public private(set) var pictureParameterSet: PictureParameterSet
    /// `first_mb_in_slice`, as coded: in MBAFF frames it counts macroblock pairs.
    public private(set) var firstMacroblock: Int
    /// `slice_type` modulo 5.
    public private(set) var sliceType: SliceType
    /// Whether `slice_type` promises that all slices of the picture are of this type.
    public private(set) var isSliceTypeForPicture: Bool
    /// `colour_plane_id`; 0 where there is none.
    public private(set) var colourPlaneID: UInt8 = 0
    /// `frame_num`.
    public private(set) var frameNum: Int = 0
    /// `field_pic_flag`.
    public private(set) var isField = false
    /// `bottom_field_flag`.
    public private(set) var isBottomField = false
    /// `idr_pic_id`; 0 in pictures that are not IDR.
    public private(set) var idrPictureID: Int = 0
    /// `pic_order_cnt_lsb`.
    public private(set) var pictureOrderCountLSB: Int = 0
    /// `delta_pic_order_cnt_bottom`.
    public private(set) var deltaPictureOrderCountBottom: Int32 = 0
    /// `delta_pic_order_cnt[0]`.
    public private(set) var deltaPictureOrderCount0: Int32 = 0
    /// `delta_pic_order_cnt[1]`.
    public private(set) var deltaPictureOrderCount1: Int32 = 0
    /// `redundant_pic_cnt`: not 0 in slices of redundant pictures.
    public private(set) var redundantPictureCount: Int = 0

    /// `direct_spatial_mv_pred_flag`.
    public private(set) var isDirectSpatial = false
    /// `num_ref_idx_l0_active_minus1` + 1, overridden or default; 0 in intra slices.
    public private(set) var referenceCount0: Int = 0
    /// `num_ref_idx_l1_active_minus1` + 1, overridden or default; 0 but in B slices.
    public private(set) var referenceCount1: Int = 0
    /// The modification of list 0.
    public private(set) var listModifications0: [ReferencePictureListModification] = []
    /// The modification of list 1.
    public private(set) var listModifications1: [ReferencePictureListModification] = []
    /// Explicit weights.
    public private(set) var predictionWeights: PredictionWeightTable?
    /// The marking of reference pictures; nil in pictures that are none.
    public private(set) var referenceMarking: DecodedReferencePictureMarking?
    /// `cabac_init_idc`.
    public private(set) var cabacInitIDC: UInt8 = 0
    /// 26 + `pic_init_qp_minus26` + `slice_qp_delta`.
    public private(set) var qp: Int = 0
    /// `sp_for_switch_flag`.
    public private(set) var isSPForSwitch = false
    /// 26 + `pic_init_qs_minus26` + `slice_qs_delta`; 0 but in SP and SI slices.
    public private(set) var qs: Int = 0
    /// `disable_deblocking_filter_idc`.
    public private(set) var disableDeblockingFilterIDC: UInt8 = 0
    /// `slice_alpha_c0_offset_div2`.
    public private(set) var deblockingAlphaOffsetDiv2: Int8 = 0
    /// `slice_beta_offset_div2`.
    public private(set) var deblockingBetaOffsetDiv2: Int8 = 0
    /// `slice_group_change_cycle`.
    public private(set) var sliceGroupChangeCycle: Int = 0

    /// The sequence parameter set.
    public var sequenceParameterSet: SequenceParameterSet {
        pictureParameterSet.sequenceParameterSet
    }

    /// `IdrPicFlag`.
    public var isIDR: Bool {
        nalUnitHeader.type == .sliceIDR
    }

    /// Whether the picture is an MBAFF frame: `MbaffFrameFlag`.
    public var isMBAFF: Bool {
        sequenceParameterSet.isMacroblockAdaptiveFrameField && !isField
    }

    /// Parses the header of the slice in a whole NAL unit of type 1, 2 or 5.
    ///
    /// - Parameters:
    ///   - nalUnit: The NAL unit, header byte and emulation prevention included; a beginning of it is enough.
    ///   - pictureParameterSet: Returns the set with the id that the slice names.
    /// - Throws: Where a value is forbidden, the data too short or the set missing.
    public init(
        nalUnit: [UInt8], pictureParameterSet: (Int) -> PictureParameterSet?
    ) throws(BitstreamError) {
        guard let byte = nalUnit.first else { throw .truncated(bit: 0, needed: 8) }
        let header = NALUnitHeader(byte: byte)
        guard header.type.hasSliceHeader else { throw .unexpectedNALUnitType(header.type) }
        var reader = BitReader(nalUnit: nalUnit)
        let start = try Start(&reader)
        guard let set = pictureParameterSet(start.pictureParameterSetID) else {
            throw .missingParameterSet(
                element: "pic_parameter_set_id", id: UInt32(start.pictureParameterSetID))
        }
        try self.init(header, start, set, &reader)
        try readRest(&reader)
    }

    /// What can be read without parameter sets.
    struct Start {
        let firstMacroblock: Int
        let sliceTypeCode: Int
        let pictureParameterSetID: Int

        init(_ reader: inout BitReader) throws(BitstreamError) {
            // No picture has more macroblocks than the largest one accepted.
            let limit = UInt32(SequenceParameterSet.maximumDimension / 16)
            firstMacroblock = Int(try reader.readUE("first_mb_in_slice", 0...limit * limit - 1))
            sliceTypeCode = Int(try reader.readUE("slice_type", 0...9))
            pictureParameterSetID = Int(try reader.readUE("pic_parameter_set_id", 0...255))
        }
    }

    /// Reads on from ``Start`` to all that tells one picture from the next: up to `redundant_pic_cnt`.
    init(
        _ header: NALUnitHeader, _ start: Start, _ set: PictureParameterSet,
        _ reader: inout BitReader
    ) throws(BitstreamError) {
        let sequence = set.sequenceParameterSet
        nalUnitHeader = header
        pictureParameterSet = set
        firstMacroblock = start.firstMacroblock
        guard let type = SliceType(rawValue: UInt8(start.sliceTypeCode % 5)) else {
            throw .invalidValue(
                element: "slice_type", value: Int64(start.sliceTypeCode), bit: reader.bitPosition)
        }
        sliceType = type
        isSliceTypeForPicture = start.sliceTypeCode >= 5

        if sequence.isSeparateColourPlane {
            let plane = try reader.readBits(2)
            guard plane <= 2 else {
                throw .invalidValue(
                    element: "colour_plane_id", value: Int64(plane), bit: reader.bitPosition)
            }
            colourPlaneID = UInt8(plane)
        }
        frameNum = Int(try reader.readBits(sequence.frameNumBitCount))
        if !sequence.isFrameMacroblocksOnly {
            isField = try reader.readFlag()
            if isField { isBottomField = try reader.readFlag() }
        }
        if isIDR { idrPictureID = Int(try reader.readUE("idr_pic_id", 0...65535)) }
        let hasDelta = set.isBottomFieldPictureOrderInFramePresent && !isField
        switch sequence.pictureOrderCountType {
        case .leastSignificantBits(let bitCount):
            pictureOrderCountLSB = Int(try reader.readBits(bitCount))
            if hasDelta { deltaPictureOrderCountBottom = try reader.readSE() }
        case .cycle(let cycle):
            if !cycle.isDeltaAlwaysZero {
                deltaPictureOrderCount0 = try reader.readSE()
                if hasDelta { deltaPictureOrderCount1 = try reader.readSE() }
            }
        case .decodingOrder:
            break
        }
        if set.isRedundantPictureCountPresent {
            redundantPictureCount = Int(try reader.readUE("redundant_pic_cnt", 0...127))
        }
    }

    /// Reads the rest.
    mutating func readRest(_ reader: inout BitReader) throws(BitstreamError) {
        let sequence = sequenceParameterSet
        let macroblocks =
            sequence.widthInMacroblocks * sequence.frameHeightInMacroblocks
            / (isField || isMBAFF ? 2 : 1)
        guard firstMacroblock < macroblocks else {
            throw .invalidValue(
                element: "first_mb_in_slice", value: Int64(firstMacroblock),
                bit: reader.bitPosition)
        }
        try readReferences(&reader)
        if nalUnitHeader.referenceIDC != 0 {
            referenceMarking = try DecodedReferencePictureMarking(&reader, isIDR: isIDR)
        }
        if pictureParameterSet.isCABAC && !sliceType.isIntra {
            cabacInitIDC = UInt8(try reader.readUE("cabac_init_idc", 0...2))
        }
        try readQuantizers(&reader)
        if pictureParameterSet.isDeblockingFilterControlPresent {
            disableDeblockingFilterIDC = UInt8(
                try reader.readUE("disable_deblocking_filter_idc", 0...2))
            if disableDeblockingFilterIDC != 1 {
                deblockingAlphaOffsetDiv2 = Int8(
                    try reader.readSE("slice_alpha_c0_offset_div2", -6...6))
                deblockingBetaOffsetDiv2 = Int8(
                    try reader.readSE("slice_beta_offset_div2", -6...6))
            }
        }
        if case .changing(_, _, let rate) = pictureParameterSet.sliceGroupMap {
            // Ceil(Log2(PicSizeInMapUnits ÷ SliceGroupChangeRate + 1)) bits, the division exact: 7.4.3.
            let cycles = (sequence.sizeInMapUnits + rate - 1) / rate
            let bits = Int.bitWidth - cycles.leadingZeroBitCount
            sliceGroupChangeCycle = Int(try reader.readBits(bits))
            guard sliceGroupChangeCycle <= cycles else {
                throw .invalidValue(
                    element: "slice_group_change_cycle", value: Int64(sliceGroupChangeCycle),
                    bit: reader.bitPosition)
            }
        }
    }

    private mutating func readReferences(_ reader: inout BitReader) throws(BitstreamError) {
        let set = pictureParameterSet
        if sliceType == .b { isDirectSpatial = try reader.readFlag() }
        guard !sliceType.isIntra else { return }
        referenceCount0 = set.defaultReferenceCount0
        referenceCount1 = sliceType == .b ? set.defaultReferenceCount1 : 0
        let limit: UInt32 = isField ? 31 : 15
        if try reader.readFlag() {
            referenceCount0 =
                Int(try reader.readUE("num_ref_idx_l0_active_minus1", 0...limit)) + 1
            if sliceType == .b {
                referenceCount1 =
                    Int(try reader.readUE("num_ref_idx_l1_active_minus1", 0...limit)) + 1
            }
        }
        guard max(referenceCount0, referenceCount1) <= Int(limit) + 1 else {
            throw .invalidValue(
                element: "num_ref_idx_active_minus1",
                value: Int64(max(referenceCount0, referenceCount1)) - 1, bit: reader.bitPosition)
        }
        listModifications0 = try ReferencePictureListModification.readList(&reader)
        if sliceType == .b {
            listModifications1 = try ReferencePictureListModification.readList(&reader)
        }
        if sliceType == .b ? set.weightedBipredictionIDC == 1 : set.isWeightedPrediction {
            predictionWeights = try PredictionWeightTable(
                &reader, chromaArrayType: sequenceParameterSet.chromaArrayType,
                count0: referenceCount0, count1: referenceCount1)
        }
    }

    private mutating func readQuantizers(_ reader: inout BitReader) throws(BitstreamError) {
        let lowest = -6 * (sequenceParameterSet.bitDepthLuma - 8)
        let bit = reader.bitPosition
        let delta = try reader.readSE("slice_qp_delta", -200...200)
        qp = pictureParameterSet.initialQP + Int(delta)
        guard qp >= lowest && qp <= 51 else {
            throw .invalidValue(element: "slice_qp_delta", value: Int64(delta), bit: bit)
        }
        guard sliceType == .sp || sliceType == .si else { return }
        if sliceType == .sp { isSPForSwitch = try reader.readFlag() }
        let switchDelta = try reader.readSE("slice_qs_delta", -51...51)
        qs = pictureParameterSet.initialQS + Int(switchDelta)
        guard qs >= 0 && qs <= 51 else {
            throw .invalidValue(
                element: "slice_qs_delta", value: Int64(switchDelta), bit: reader.bitPosition)
        }
    }

    /// Whether the slice is of another primary coded picture than `other`: any one difference is enough.
    ///
    /// Both must have `redundant_pic_cnt` 0.
    ///
    /// Source: ITU-T H.264 (08/2021) 7.4.1.2.4.
    public func beginsNewPicture(after other: SliceHeader) -> Bool {
        frameNum != other.frameNum
            || pictureParameterSet.id != other.pictureParameterSet.id
            || isField != other.isField
            || isBottomField != other.isBottomField
            || (nalUnitHeader.referenceIDC == 0) != (other.nalUnitHeader.referenceIDC == 0)
            || pictureOrderCountLSB != other.pictureOrderCountLSB
            || deltaPictureOrderCountBottom != other.deltaPictureOrderCountBottom
            || deltaPictureOrderCount0 != other.deltaPictureOrderCount0
            || deltaPictureOrderCount1 != other.deltaPictureOrderCount1
            || isIDR != other.isIDR
            || idrPictureID != other.idrPictureID
            || sequenceParameterSet.id != other.sequenceParameterSet.id
    }
}
