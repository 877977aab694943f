extension SequenceParameterSet {
    /// `ChromaArrayType`: 0 also where the colour planes are coded separately.
    public var chromaArrayType: Int {
        isSeparateColourPlane ? 0 : chromaFormatIDC
    }

    /// `SubWidthC`: luma samples to a chroma sample across; 1 where there is no chroma.
    public var subWidthC: Int {
        chromaFormatIDC == 1 || chromaFormatIDC == 2 ? 2 : 1
    }

    /// `SubHeightC`: luma samples to a chroma sample down; 1 where there is no chroma.
    public var subHeightC: Int {
        chromaFormatIDC == 1 ? 2 : 1
    }

    /// `CropUnitX` and `CropUnitY`, in luma samples.
    ///
    /// Source: ITU-T H.264 (08/2021) 7.4.2.1.1.
    public var cropUnit: (x: Int, y: Int) {
        let fields = isFrameMacroblocksOnly ? 1 : 2
        return chromaArrayType == 0 ? (1, fields) : (subWidthC, subHeightC * fields)
    }

    /// `FrameHeightInMbs`.
    public var frameHeightInMacroblocks: Int {
        isFrameMacroblocksOnly ? heightInMapUnits : heightInMapUnits * 2
    }

    /// `PicSizeInMapUnits`.
    public var sizeInMapUnits: Int {
        widthInMacroblocks * heightInMapUnits
    }

    /// Width and height of the decoded frame before cropping, in luma samples.
    public var codedSize: (width: Int, height: Int) {
        (widthInMacroblocks * 16, frameHeightInMacroblocks * 16)
    }

    /// Width and height of the frame after cropping, in luma samples.
    public var croppedSize: (width: Int, height: Int) {
        (croppingRectangle.width, croppingRectangle.height)
    }

    /// What remains of the coded frame after cropping, in luma samples.
    public var croppingRectangle: (x: Int, y: Int, width: Int, height: Int) {
        let (unitX, unitY) = cropUnit
        let (width, height) = codedSize
        return (
            cropOffsets.left * unitX, cropOffsets.top * unitY,
            width - (cropOffsets.left + cropOffsets.right) * unitX,
            height - (cropOffsets.top + cropOffsets.bottom) * unitY
        )
    }

    /// `MaxFrameNum`.
    public var maximumFrameNum: Int {
        1 << frameNumBitCount
    }

    /// `frame_mbs_only_flag`, under the name ffprobe users know.
    public var isFrameMbsOnly: Bool {
        isFrameMacroblocksOnly
    }

    /// Width and height of a sample; nil where the stream does not say.
    public var sampleAspectRatio: (width: Int, height: Int)? {
        vui?.sampleAspectRatio
    }

    /// Frames a second as `timeScale` over `unitsInFrame`; nil where the stream does not say or says nonsense.
    ///
    /// A tick is a field, so `unitsInFrame` is twice `num_units_in_tick`. Rates above 1000 or below 1/100 are nonsense.
    public var frameRate: (timeScale: Int64, unitsInFrame: Int64)? {
        guard let timing = vui?.timing, timing.unitsInTick > 0, timing.timeScale > 0 else {
            return nil
        }
        let scale = Int64(timing.timeScale)
        let units = Int64(timing.unitsInTick) * 2
        guard scale <= units * 1000, scale * 100 >= units else { return nil }
        return (scale, units)
    }

    private func hasConstraint(_ number: UInt8) -> Bool {
        constraintFlags & (0x80 >> number) != 0
    }

    /// Whether the level is 1b, which has no number of its own in the older profiles.
    public var isLevel1b: Bool {
        switch profileIDC {
        case 66, 77, 88: levelIDC == 11 && hasConstraint(3) || levelIDC == 9
        default: levelIDC == 9
        }
    }

    /// The level as it is written: "4.1", "1b".
    public var levelName: String {
        isLevel1b
            ? "1b" : levelIDC % 10 == 0 ? "\(levelIDC / 10)" : "\(levelIDC / 10).\(levelIDC % 10)"
    }

    /// The profile as ffprobe names it: "High", "Constrained Baseline"; a number where unknown.
    public var profileName: String {
        switch profileIDC {
        case 44: "CAVLC 4:4:4"
        case 66: hasConstraint(1) ? "Constrained Baseline" : "Baseline"
        case 77: "Main"
        case 83: "Scalable Baseline"
        case 86: "Scalable High"
        case 88: "Extended"
        case 100: "High"
        case 110: hasConstraint(3) ? "High 10 Intra" : "High 10"
        case 118: "Multiview High"
        case 122: hasConstraint(3) ? "High 4:2:2 Intra" : "High 4:2:2"
        case 128: "Stereo High"
        case 138: "Multiview Depth High"
        case 139: "Enhanced Multiview Depth High"
        case 144: "High 4:4:4"
        case 244: hasConstraint(3) ? "High 4:4:4 Intra" : "High 4:4:4 Predictive"
        default: "\(profileIDC)"
        }
    }

    /// `MaxDpbMbs` of table A-1; the largest for levels that are not in it.
    private var maximumDecodedPictureBufferMacroblocks: Int {
        if isLevel1b { return 396 }
        return switch levelIDC {
        case ...10: 396
        case 11: 900
        case 12, 13, 20: 2376
        case 21: 4752
        case 22, 30: 8100
        case 31: 18000
        case 32: 20480
        case 40, 41: 32768
        case 42: 34816
        case 50: 110_400
        case 51, 52: 184_320
        default: 696_320
        }
    }

    /// `MaxDpbFrames`: frames in the decoded picture buffer, 1...16.
    ///
    /// At least the reference frames the stream asks for: some streams understate their level.
    ///
    /// Source: ITU-T H.264 (08/2021) A.3.1.
    public var maximumDecodedPictureBufferFrames: Int {
        let size = widthInMacroblocks * frameHeightInMacroblocks
        return max(
            1, maximumReferenceFrames, min(maximumDecodedPictureBufferMacroblocks / size, 16))
    }

    /// The most frames that precede any frame in decoding order and follow it in output order.
    ///
    /// Source: ITU-T H.264 (08/2021) E.2.1, `max_num_reorder_frames` and its inferred values.
    public var maximumReorderDepth: Int {
        if let restriction = vui?.bitstreamRestriction { return restriction.maximumReorderFrames }
        if case .decodingOrder = pictureOrderCountType { return 0 }
        switch profileIDC {
        case 44, 86, 100, 110, 122, 244:
            if hasConstraint(3) { return 0 }
        default: break
        }
        return maximumDecodedPictureBufferFrames
    }
}
