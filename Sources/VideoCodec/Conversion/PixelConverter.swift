internal import CFFmpeg
internal import PixelBuffers

/// Scales and converts pictures by libswscale.
///
/// One caller at a time; keeps the tables of the last pair of formats.
final class PixelConverter {
    /// What the tables were made for.
    private struct Setup: Hashable {
        var sourceFormat: Int32
        var sourceWidth: Int
        var sourceHeight: Int
        var sourceIsFullRange: Bool
        var format: CVPixelFormatType
        var width: Int
        var height: Int
        var isFullRange: Bool
        var matrix: Int32
    }

    private var context: OpaquePointer?
    private var setup: Setup?

    private let smoothsChroma: Bool

    /// - Parameter smoothsChroma: Whether chroma between samples is interpolated where the size stays, in place of
    ///   repeated: for pictures that a person looks at.
    init(smoothsChroma: Bool = false) {
        self.smoothsChroma = smoothsChroma
        // libswscale logs as libavcodec does.
        _ = LibavLog.isSilenced
    }

    deinit { sws_freeContext(context) }

    /// Whether libswscale can write the format.
    static func canWrite(_ format: CVPixelFormatType) -> Bool {
        format.isKnown && sws_isSupportedOutput(format.avPixelFormat) > 0
    }

    /// Converts a picture.
    ///
    /// Between two Y'CbCr formats the matrix stays what it is and only the range changes; to RGB the source's
    /// matrix decides, or by its height BT.601 or BT.709 where it names none.
    ///
    /// - Parameters:
    ///   - source: The picture.
    ///   - destination: Where it goes; attachments are left alone.
    ///   - matrix: The matrix in place of what the source names.
    /// - Throws: `CVError.unsupported` for a pair that libswscale cannot convert.
    func convert(
        _ source: CVPixelBuffer, to destination: CVPixelBuffer, matrix: YCbCrMatrix? = nil
    ) throws(CVError) {
        let wanted = Setup(
            sourceFormat: source.pixelFormat.avPixelFormat.rawValue, sourceWidth: source.width,
            sourceHeight: source.height, sourceIsFullRange: source.isFullRange,
            format: destination.pixelFormat, width: destination.width, height: destination.height,
            isFullRange: destination.isFullRange,
            matrix: Self.matrix(
                of: matrix ?? source.attachments[.yCbCrMatrix], height: source.height))
        if setup != wanted { try prepare(wanted) }
        destination.lockBaseAddress()
        defer { destination.unlockBaseAddress() }
        let rows = source.withPlanes { from in
            destination.withPlanes { to in
                from.withUnsafePointers { data, strides in
                    to.addresses.span.withUnsafeBufferPointer { toData in
                        to.bytesPerRow.span.withUnsafeBufferPointer { toStrides in
                            sws_scale(
                                context, data, strides, 0, Int32(source.height),
                                toData.baseAddress, toStrides.baseAddress)
                        }
                    }
                }
            }
        }
        guard rows == destination.height else {
            throw CVError(code: CVError.unsupported.code, "libswscale wrote \(rows) rows")
        }
    }

    private func prepare(_ wanted: Setup) throws(CVError) {
        sws_freeContext(context)
        setup = nil
        let isScaled = wanted.width != wanted.sourceWidth || wanted.height != wanted.sourceHeight
        let shrinks = wanted.width * wanted.height < wanted.sourceWidth * wanted.sourceHeight
        var flags = SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
        let isExact = !isScaled && !smoothsChroma
        flags |= isExact ? SWS_POINT : shrinks ? SWS_AREA : SWS_BICUBIC
        if !isScaled { flags |= SWS_BITEXACT }
        // Step by step: the ranges must be known before libswscale chooses how to convert.
        context = sws_alloc_context()
        let options: [(String, Int)] = [
            ("srcw", wanted.sourceWidth), ("srch", wanted.sourceHeight),
            ("src_format", Int(wanted.sourceFormat)),
            ("src_range", wanted.sourceIsFullRange ? 1 : 0), ("dstw", wanted.width),
            ("dsth", wanted.height), ("dst_format", Int(wanted.format.avPixelFormat.rawValue)),
            ("dst_range", wanted.isFullRange ? 1 : 0), ("sws_flags", Int(flags)),
        ]
        for (name, value) in options {
            av_opt_set_int(UnsafeMutableRawPointer(context), name, Int64(value), 0)
        }
        guard let context, sws_init_context(context, nil, nil) >= 0 else {
            throw CVError(
                code: CVError.unsupported.code,
                "libswscale cannot make \(wanted.format) of AVPixelFormat \(wanted.sourceFormat)")
        }
        let coefficients = sws_getCoefficients(wanted.matrix)
        let unity: Int32 = 1 << 16
        // Fails for pairs that have no colours to convert, such as gray: nothing to set then.
        _ = sws_setColorspaceDetails(
            context, coefficients, wanted.sourceIsFullRange ? 1 : 0, coefficients,
            wanted.isFullRange ? 1 : 0, 0, unity, unity)
        setup = wanted
    }

    private static func matrix(of tag: YCbCrMatrix?, height: Int) -> Int32 {
        switch tag {
        case .itu_R_709_2?: SWS_CS_ITU709
        case .itu_R_601_4?: SWS_CS_ITU601
        case .smpte_240M_1995?: SWS_CS_SMPTE240M
        case .itu_R_2020?: SWS_CS_BT2020
        default: height < 720 ? SWS_CS_ITU601 : SWS_CS_ITU709
        }
    }
}
