/// Video usability information: `vui_parameters()`.
///
/// What is absent is nil.
///
/// Source: ITU-T H.264 (08/2021) Annex E.
public struct VideoUsabilityInformation: Hashable, Sendable {
    /// `num_units_in_tick`, `time_scale` and `fixed_frame_rate_flag`, as read: zeros are possible.
    public struct Timing: Hashable, Sendable {
        /// Units of the time scale in a tick, which is half a frame.
        public let unitsInTick: UInt32
        /// Units a second.
        public let timeScale: UInt32
        /// Whether every picture lasts equally long.
        public let isFixedFrameRate: Bool
    }

    /// The bounds a stream promises to keep.
    public struct BitstreamRestriction: Hashable, Sendable {
        /// `motion_vectors_over_pic_boundaries_flag`.
        public let motionVectorsOverPictureBoundaries: Bool
        /// `max_bytes_per_pic_denom`.
        public let maximumBytesPerPictureDenominator: UInt32
        /// `max_bits_per_mb_denom`.
        public let maximumBitsPerMacroblockDenominator: UInt32
        /// `log2_max_mv_length_horizontal`.
        public let log2MaximumMotionVectorLengthHorizontal: UInt32
        /// `log2_max_mv_length_vertical`.
        public let log2MaximumMotionVectorLengthVertical: UInt32
        /// `max_num_reorder_frames`, 0...16.
        public let maximumReorderFrames: Int
        /// `max_dec_frame_buffering`, 0...16.
        public let maximumDecodedFrameBuffering: Int
    }

    /// `aspect_ratio_idc`: 255 where the ratio is written out.
    public private(set) var aspectRatioIDC: UInt8?
    private var explicitRatio: [UInt16] = []
    /// `overscan_appropriate_flag`.
    public private(set) var overscanAppropriate: Bool?
    /// `video_format`: 5 is unspecified.
    public private(set) var videoFormat: UInt8?
    /// `video_full_range_flag`.
    public private(set) var isFullRange: Bool?
    /// `colour_primaries`: 2 is unspecified.
    public private(set) var colourPrimaries: UInt8?
    /// `transfer_characteristics`: 2 is unspecified.
    public private(set) var transferCharacteristics: UInt8?
    /// `matrix_coefficients`: 2 is unspecified.
    public private(set) var matrixCoefficients: UInt8?
    /// `chroma_sample_loc_type_top_field`, 0...5.
    public private(set) var chromaSampleLocationTopField: UInt8?
    /// `chroma_sample_loc_type_bottom_field`, 0...5.
    public private(set) var chromaSampleLocationBottomField: UInt8?
    /// Tick and time scale.
    public private(set) var timing: Timing?
    /// Where `timing_info_present_flag` stands, in bits of the RBSP behind the NAL unit's header byte.
    package private(set) var timingFlagPosition: Int?
    /// `nal_hrd_parameters()`.
    public private(set) var nalHRD: HRDParameters?
    /// `vcl_hrd_parameters()`.
    public private(set) var vclHRD: HRDParameters?
    /// `low_delay_hrd_flag`.
    public private(set) var isLowDelayHRD: Bool?
    /// `pic_struct_present_flag`: picture timing SEI messages carry `pic_struct`.
    public private(set) var isPictureStructurePresent = false
    /// The bitstream restriction; nil also where its values are impossible.
    public private(set) var bitstreamRestriction: BitstreamRestriction?

    /// Table E-1, `aspect_ratio_idc` 1...16.
    private static let ratios: [(width: Int, height: Int)] = [
        (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33),
        (18, 11), (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]

    /// Width and height of a sample; nil where unspecified, reserved or with a zero in it.
    public var sampleAspectRatio: (width: Int, height: Int)? {
        guard let aspectRatioIDC else { return nil }
        if aspectRatioIDC == 255 {
            guard explicitRatio.count == 2, explicitRatio[0] > 0, explicitRatio[1] > 0 else {
                return nil
            }
            return (Int(explicitRatio[0]), Int(explicitRatio[1]))
        }
        guard aspectRatioIDC >= 1, Int(aspectRatioIDC) <= Self.ratios.count else { return nil }
        return Self.ratios[Int(aspectRatioIDC) - 1]
    }

    private mutating func read(_ reader: inout BitReader) throws(BitstreamError) {
        if try reader.readFlag() {
            aspectRatioIDC = UInt8(try reader.readBits(8))
            if aspectRatioIDC == 255 {
                explicitRatio = [UInt16(try reader.readBits(16)), UInt16(try reader.readBits(16))]
            }
        }
        if try reader.readFlag() {
            overscanAppropriate = try reader.readFlag()
        }
        if try reader.readFlag() {
            videoFormat = UInt8(try reader.readBits(3))
            isFullRange = try reader.readFlag()
            if try reader.readFlag() {
                colourPrimaries = UInt8(try reader.readBits(8))
                transferCharacteristics = UInt8(try reader.readBits(8))
                matrixCoefficients = UInt8(try reader.readBits(8))
            }
        }
        if try reader.readFlag() {
            chromaSampleLocationTopField = UInt8(
                try reader.readUE("chroma_sample_loc_type_top_field", 0...5))
            chromaSampleLocationBottomField = UInt8(
                try reader.readUE("chroma_sample_loc_type_bottom_field", 0...5))
        }
        timingFlagPosition = reader.bitPosition
        if try reader.readFlag() {
            timing = Timing(
                unitsInTick: try reader.readBits(32), timeScale: try reader.readBits(32),
                isFixedFrameRate: try reader.readFlag())
        }
        if try reader.readFlag() { nalHRD = try HRDParameters(&reader) }
        if try reader.readFlag() { vclHRD = try HRDParameters(&reader) }
        if nalHRD != nil || vclHRD != nil { isLowDelayHRD = try reader.readFlag() }
        isPictureStructurePresent = try reader.readFlag()
        if try reader.readFlag() { try readRestriction(&reader) }
    }

    private mutating func readRestriction(_ reader: inout BitReader) throws(BitstreamError) {
        let overBoundaries = try reader.readFlag()
        let bytesDenominator = try reader.readUE("max_bytes_per_pic_denom", 0...16)
        let bitsDenominator = try reader.readUE("max_bits_per_mb_denom", 0...16)
        // Old encoders write 16 here, where today's text ends at 15.
        let horizontal = try reader.readUE("log2_max_mv_length_horizontal", 0...16)
        let vertical = try reader.readUE("log2_max_mv_length_vertical", 0...16)
        let reorder = try reader.readUE("max_num_reorder_frames", 0...16)
        let buffering = try reader.readUE("max_dec_frame_buffering", 0...16)
        guard reorder <= buffering else {
            throw .invalidValue(
                element: "max_num_reorder_frames", value: Int64(reorder), bit: reader.bitPosition)
        }
        bitstreamRestriction = BitstreamRestriction(
            motionVectorsOverPictureBoundaries: overBoundaries,
            maximumBytesPerPictureDenominator: bytesDenominator,
            maximumBitsPerMacroblockDenominator: bitsDenominator,
            log2MaximumMotionVectorLengthHorizontal: horizontal,
            log2MaximumMotionVectorLengthVertical: vertical,
            maximumReorderFrames: Int(reorder), maximumDecodedFrameBuffering: Int(buffering))
    }

    /// Reads what there is: everything up to the first error is kept.
    ///
    /// Some cameras cut this structure short; FFmpeg plays them too.
    static func readLeniently(
        _ reader: inout BitReader
    ) -> (VideoUsabilityInformation, BitstreamError?) {
        var information = VideoUsabilityInformation()
        do {
            try information.read(&reader)
            return (information, nil)
        } catch {
            return (information, error)
        }
    }

    private init() {}
}
