import H264

extension AccessUnit.Structure {
    /// As `--report` writes it.
    var reportName: String {
        switch self {
        case .frame: "frame"
        case .mbaff: "mbaff"
        case .fieldPair: "field_pair"
        case .topField: "top"
        case .bottomField: "bottom"
        }
    }
}

extension AccessUnit.RandomAccess {
    /// As `--report` writes it.
    var reportName: String {
        switch self {
        case .idr: "idr"
        case .recoveryPoint: "recovery_point"
        case .intra: "intra"
        case .none: "none"
        }
    }
}

extension SequenceParameterSet {
    /// FFmpeg's name for the format its decoder gives pictures of this sequence in.
    var pixelFormatName: String {
        let isFullRange = vui?.isFullRange ?? false
        let depth = max(bitDepthLuma, bitDepthChroma)
        if chromaFormatIDC == 3, vui?.matrixCoefficients == 0 {
            return depth > 8 ? "gbrp\(depth)le" : "gbrp"
        }
        // libavcodec decodes monochrome as 4:2:0 with grey chroma.
        let chroma = ["420", "420", "422", "444"][min(Int(chromaFormatIDC), 3)]
        if depth > 8 { return "yuv\(chroma)p\(depth)le" }
        return (isFullRange ? "yuvj" : "yuv") + chroma + "p"
    }
}
