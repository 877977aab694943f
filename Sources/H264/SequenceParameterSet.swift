/// A sequence parameter set: what holds for a whole coded video sequence.
///
/// Immutable and shared: a copy is a reference. Two are equal when their bytes are.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.1.1, 7.4.2.1.1.
public final class SequenceParameterSet: Sendable {
    /// The largest width and height accepted, in samples; no level comes near it.
    public static let maximumDimension = 16384

    /// The picture order count type and its parameters.
    public enum PictureOrderCountType: Hashable, Sendable {
        /// Type 0: `pic_order_cnt_lsb` with this many bits, 4...16, is in every slice header.
        case leastSignificantBits(bitCount: Int)
        /// Type 1: expected differences over a cycle of reference frames.
        case cycle(Cycle)
        /// Type 2: output order is decoding order.
        case decodingOrder
    }

    /// The parameters of picture order count type 1.
    public struct Cycle: Hashable, Sendable {
        /// `delta_pic_order_always_zero_flag`.
        public let isDeltaAlwaysZero: Bool
        /// `offset_for_non_ref_pic`.
        public let offsetForNonReferencePicture: Int32
        /// `offset_for_top_to_bottom_field`.
        public let offsetForTopToBottomField: Int32
        /// `offset_for_ref_frame`, at most 255.
        public let offsetsForReferenceFrames: [Int32]
    }

    /// Frame cropping offsets, in units of `CropUnitX` and `CropUnitY`.
    public struct CropOffsets: Hashable, Sendable {
        /// `frame_crop_left_offset`.
        public let left: Int
        /// `frame_crop_right_offset`.
        public let right: Int
        /// `frame_crop_top_offset`.
        public let top: Int
        /// `frame_crop_bottom_offset`.
        public let bottom: Int
    }

    /// The whole NAL unit, header byte and emulation prevention included.
    public let bytes: [UInt8]
    /// `profile_idc`.
    public let profileIDC: UInt8
    /// `constraint_set0_flag` in the top bit to `constraint_set5_flag`, and the two reserved bits.
    public let constraintFlags: UInt8
    /// `level_idc`.
    public let levelIDC: UInt8
    /// `seq_parameter_set_id`, 0...31.
    public let id: Int
    /// `chroma_format_idc`: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public let chromaFormatIDC: Int
    /// `separate_colour_plane_flag`.
    public let isSeparateColourPlane: Bool
    /// Bits of a luma sample, 8...14.
    public let bitDepthLuma: Int
    /// Bits of a chroma sample, 8...14.
    public let bitDepthChroma: Int
    /// `qpprime_y_zero_transform_bypass_flag`.
    public let isTransformBypass: Bool
    /// The scaling lists, 8 or 12 of them, or nil.
    public let scalingMatrix: [ScalingList]?
    /// Bits of `frame_num`, 4...16.
    public let frameNumBitCount: Int
    /// How picture order counts come about.
    public let pictureOrderCountType: PictureOrderCountType
    /// `max_num_ref_frames`, 0...16.
    public let maximumReferenceFrames: Int
    /// `gaps_in_frame_num_value_allowed_flag`.
    public let isFrameNumGapAllowed: Bool
    /// Macroblocks in a row.
    public let widthInMacroblocks: Int
    /// Map units in a column: macroblocks of a frame, or of a field where there may be fields.
    public let heightInMapUnits: Int
    /// `frame_mbs_only_flag`: no fields.
    public let isFrameMacroblocksOnly: Bool
    /// `mb_adaptive_frame_field_flag`.
    public let isMacroblockAdaptiveFrameField: Bool
    /// `direct_8x8_inference_flag`.
    public let isDirect8x8Inference: Bool
    /// The cropping offsets; zeros where there are none.
    public let cropOffsets: CropOffsets
    /// Video usability information; up to ``vuiError`` where it is broken.
    public let vui: VideoUsabilityInformation?
    /// Why the video usability information is not readable to its end.
    public let vuiError: BitstreamError?

    /// Parses a whole NAL unit of type 7 (or the first part of one of type 15), header byte and emulation prevention
    /// included.
    ///
    /// Every limit of the standard is checked; only broken video usability information is forgiven.
    public init(nalUnit: [UInt8]) throws(BitstreamError) {
        guard let byte = nalUnit.first else { throw .truncated(bit: 0, needed: 8) }
        let type = NALUnitHeader(byte: byte).type
        guard type == .sps || type == .subsetSPS else { throw .unexpectedNALUnitType(type) }
        var reader = BitReader(nalUnit: nalUnit)

        bytes = nalUnit
        profileIDC = UInt8(try reader.readBits(8))
        constraintFlags = UInt8(try reader.readBits(8))
        levelIDC = UInt8(try reader.readBits(8))
        id = Int(try reader.readUE("seq_parameter_set_id", 0...31))

        if Self.hasChromaFormat(profileIDC) {
            chromaFormatIDC = Int(try reader.readUE("chroma_format_idc", 0...3))
            isSeparateColourPlane = chromaFormatIDC == 3 ? try reader.readFlag() : false
            bitDepthLuma = 8 + Int(try reader.readUE("bit_depth_luma_minus8", 0...6))
            bitDepthChroma = 8 + Int(try reader.readUE("bit_depth_chroma_minus8", 0...6))
            isTransformBypass = try reader.readFlag()
            scalingMatrix =
                try reader.readFlag()
                ? try ScalingList.readMatrix(&reader, count: chromaFormatIDC == 3 ? 12 : 8) : nil
        } else {
            chromaFormatIDC = 1
            isSeparateColourPlane = false
            bitDepthLuma = 8
            bitDepthChroma = 8
            isTransformBypass = false
            scalingMatrix = nil
        }

        frameNumBitCount = 4 + Int(try reader.readUE("log2_max_frame_num_minus4", 0...12))
        pictureOrderCountType = try PictureOrderCountType(&reader)
        maximumReferenceFrames = Int(try reader.readUE("max_num_ref_frames", 0...16))
        isFrameNumGapAllowed = try reader.readFlag()

        let limit = UInt32(Self.maximumDimension / 16)
        widthInMacroblocks = Int(try reader.readUE("pic_width_in_mbs_minus1", 0...limit - 1)) + 1
        let heightMinus1 = try reader.readUE("pic_height_in_map_units_minus1", 0...limit - 1)
        heightInMapUnits = Int(heightMinus1) + 1
        isFrameMacroblocksOnly = try reader.readFlag()
        guard isFrameMacroblocksOnly || heightInMapUnits * 2 <= Int(limit) else {
            throw .invalidValue(
                element: "pic_height_in_map_units_minus1", value: Int64(heightMinus1),
                bit: reader.bitPosition)
        }
        isMacroblockAdaptiveFrameField = isFrameMacroblocksOnly ? false : try reader.readFlag()
        isDirect8x8Inference = try reader.readFlag()

        cropOffsets =
            try reader.readFlag()
            ? try CropOffsets(&reader) : CropOffsets(left: 0, right: 0, top: 0, bottom: 0)
        if try reader.readFlag() {
            (vui, vuiError) = VideoUsabilityInformation.readLeniently(&reader)
        } else {
            vui = nil
            vuiError = nil
        }

        // Sizes first, so that nobody computes with a crop larger than the picture.
        guard
            (cropOffsets.left + cropOffsets.right) * cropUnit.x < codedSize.width,
            (cropOffsets.top + cropOffsets.bottom) * cropUnit.y < codedSize.height
        else {
            throw .invalidValue(
                element: "frame_crop_offsets",
                value: Int64(max(cropOffsets.left, cropOffsets.right)), bit: reader.bitPosition)
        }
    }

    /// Whether the profile's parameter sets carry `chroma_format_idc` and what follows it.
    static func hasChromaFormat(_ profileIDC: UInt8) -> Bool {
        switch profileIDC {
        case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135: true
        default: false
        }
    }
}

extension SequenceParameterSet.PictureOrderCountType {
    init(_ reader: inout BitReader) throws(BitstreamError) {
        switch try reader.readUE("pic_order_cnt_type", 0...2) {
        case 0:
            let bits = try reader.readUE("log2_max_pic_order_cnt_lsb_minus4", 0...12)
            self = .leastSignificantBits(bitCount: 4 + Int(bits))
        case 1:
            let isDeltaAlwaysZero = try reader.readFlag()
            let nonReference = try reader.readSE()
            let topToBottom = try reader.readSE()
            let count = try reader.readUE("num_ref_frames_in_pic_order_cnt_cycle", 0...255)
            var offsets: [Int32] = []
            for _ in 0..<count { offsets.append(try reader.readSE()) }
            self = .cycle(
                .init(
                    isDeltaAlwaysZero: isDeltaAlwaysZero,
                    offsetForNonReferencePicture: nonReference,
                    offsetForTopToBottomField: topToBottom, offsetsForReferenceFrames: offsets))
        default:
            self = .decodingOrder
        }
    }

    /// `pic_order_cnt_type`.
    public var number: Int {
        switch self {
        case .leastSignificantBits: 0
        case .cycle: 1
        case .decodingOrder: 2
        }
    }
}

extension SequenceParameterSet.CropOffsets {
    init(_ reader: inout BitReader) throws(BitstreamError) {
        let limit = UInt32(SequenceParameterSet.maximumDimension)
        left = Int(try reader.readUE("frame_crop_left_offset", 0...limit))
        right = Int(try reader.readUE("frame_crop_right_offset", 0...limit))
        top = Int(try reader.readUE("frame_crop_top_offset", 0...limit))
        bottom = Int(try reader.readUE("frame_crop_bottom_offset", 0...limit))
    }
}

extension SequenceParameterSet: Hashable {
    /// Compares the bytes.
    public static func == (left: SequenceParameterSet, right: SequenceParameterSet) -> Bool {
        left === right || left.bytes == right.bytes
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}
