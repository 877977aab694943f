/// What the writer puts into a sequence parameter set.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.1.1, E.1.1.
package struct SequenceParameters: Hashable, Sendable {
    /// How picture order counts are coded: `pic_order_cnt_type`.
    package enum OrderCounting: Hashable, Sendable {
        /// Type 0: the low `log2Maximum` bits in each slice header.
        case leastSignificantBits(log2Maximum: Int)
        /// Type 1: expected steps, and what differs from them.
        case cycle(
            offsetForNonReference: Int, offsetForTopToBottom: Int, offsetsForReference: [Int],
            deltasAreZero: Bool)
        /// Type 2: the decoding order.
        case decodeOrder
    }

    package var id = 0
    package var format: PictureFormat
    /// `nil`: the least profile that has what the fields here need.
    package var profileIDC: Int?
    /// `constraint_set0_flag`… as the byte after `profile_idc`.
    package var constraintFlags = 0
    package var levelIDC = 30
    package var orderCounting = OrderCounting.leastSignificantBits(log2Maximum: 8)
    package var log2MaxFrameNum = 4
    package var maxReferenceFrames = 1
    package var allowsFrameNumGaps = false
    /// `frame_mbs_only_flag`: no fields.
    package var isFramesOnly = true
    /// `mb_adaptive_frame_field_flag`: frames are coded in macroblock pairs.
    package var isMacroblockAdaptive = false
    package var usability: VideoUsability?
    /// Cropping in luma samples beyond what the size needs.
    package var extraCrop: (left: Int, top: Int) {
        get { (cropLeft, cropTop) }
        set { (cropLeft, cropTop) = newValue }
    }
    private var cropLeft = 0
    private var cropTop = 0

    package init(_ format: PictureFormat) {
        self.format = format
    }

    /// Frame size in luma samples, whole macroblocks (and whole pairs where there are fields).
    package var codedWidth: Int { (format.width + cropLeft + 15) / 16 * 16 }
    package var codedHeight: Int {
        let unit = isFramesOnly ? 16 : 32
        return (format.height + cropTop + unit - 1) / unit * unit
    }

    /// The format of a frame before cropping.
    package var codedFormat: PictureFormat {
        var coded = format
        coded.width = codedWidth
        coded.height = codedHeight
        return coded
    }

    /// `MaxFrameNum`.
    package var maxFrameNum: Int { 1 << log2MaxFrameNum }

    /// The `profile_idc` that is written.
    package var effectiveProfileIDC: Int {
        if let profileIDC { return profileIDC }
        let depth = max(format.bitDepthLuma, format.bitDepthChroma)
        return switch format.chroma {
        case _ where depth > 10: 244
        case .yuv444: 244
        case .yuv422: 122
        case _ where depth > 8: 110
        case .monochrome: 100
        case .yuv420: 77
        }
    }

    private static let profilesWithChromaFormat: Set<Int> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    /// The NAL unit's payload after its header byte.
    package var rbsp: [UInt8] {
        var bits = BitWriter()
        bits.u(effectiveProfileIDC, bits: 8)
        bits.u(constraintFlags, bits: 8)
        bits.u(levelIDC, bits: 8)
        bits.ue(id)
        if Self.profilesWithChromaFormat.contains(effectiveProfileIDC) {
            bits.ue(format.chroma.rawValue)
            if format.chroma == .yuv444 { bits.flag(false) }  // separate_colour_plane_flag
            bits.ue(format.bitDepthLuma - 8)
            bits.ue(format.bitDepthChroma - 8)
            bits.flag(false)  // qpprime_y_zero_transform_bypass_flag
            bits.flag(false)  // seq_scaling_matrix_present_flag
        }
        bits.ue(log2MaxFrameNum - 4)
        switch orderCounting {
        case .leastSignificantBits(let log2Maximum):
            bits.ue(0)
            bits.ue(log2Maximum - 4)
        case .cycle(let nonReference, let topToBottom, let offsets, let deltasAreZero):
            bits.ue(1)
            bits.flag(deltasAreZero)
            bits.se(nonReference)
            bits.se(topToBottom)
            bits.ue(offsets.count)
            for offset in offsets { bits.se(offset) }
        case .decodeOrder:
            bits.ue(2)
        }
        bits.ue(maxReferenceFrames)
        bits.flag(allowsFrameNumGaps)
        bits.ue(codedWidth / 16 - 1)
        bits.ue(codedHeight / (isFramesOnly ? 16 : 32) - 1)
        bits.flag(isFramesOnly)
        if !isFramesOnly { bits.flag(isMacroblockAdaptive) }
        bits.flag(true)  // direct_8x8_inference_flag
        writeCropping(to: &bits)
        bits.flag(usability != nil)
        usability?.write(to: &bits)
        return bits.finish()
    }

    private func writeCropping(to bits: inout BitWriter) {
        let unitX = format.chromaStepX
        let unitY = format.chromaStepY * (isFramesOnly ? 1 : 2)
        let right = codedWidth - format.width - cropLeft
        let bottom = codedHeight - format.height - cropTop
        let isCropped = right != 0 || bottom != 0 || cropLeft != 0 || cropTop != 0
        bits.flag(isCropped)
        guard isCropped else { return }
        precondition(
            [right, cropLeft].allSatisfy { $0 % unitX == 0 }
                && [bottom, cropTop].allSatisfy { $0 % unitY == 0 },
            "cropping of \(format) in units of \(unitX) × \(unitY)")
        bits.ue(cropLeft / unitX)
        bits.ue(right / unitX)
        bits.ue(cropTop / unitY)
        bits.ue(bottom / unitY)
    }

    /// Where the displayed picture begins in the coded one.
    var cropOrigin: (x: Int, y: Int) { (cropLeft, cropTop) }
}
