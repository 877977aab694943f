internal import CFFmpeg

/// Owner of libswscale's context: any picture, scaled and converted to red, green and blue planes.
///
/// Shrinking averages areas, growing is bicubic. One thread at a time.
package final class PictureScaler {
    /// Everything that a context is made for.
    private struct Setup: Hashable {
        var pixelFormat: Int32
        var source: PixelSize
        var destination: PixelSize
        var matrix: ColorMatrix
        var range: ColorRange
        var chromaSiting: ChromaSiting
    }

    private var context: OpaquePointer?
    private var setup: Setup?

    package init() {}

    deinit { sws_freeContext(context) }

    /// Scales a part of a picture to the size that `planes` has.
    ///
    /// - Parameters:
    ///   - source: The picture.
    ///   - crop: Its part, with even `x` and `y`; nil for all of it.
    ///   - field: One field only, stretched to the frame's height.
    ///   - planes: Where the result goes.
    /// - Throws: ``RenderError`` when libswscale does not know the format or refuses the sizes.
    package func scale(
        _ source: SourcePicture, crop: PixelRectangle? = nil, field: Field? = nil,
        into planes: RGBPlanes
    ) throws(RenderError) {
        let part =
            crop ?? PixelRectangle(x: 0, y: 0, width: source.size.width, height: source.size.height)
        let format = AVPixelFormat(rawValue: source.pixelFormat)
        guard let description = av_pix_fmt_desc_get(format), sws_isSupportedInput(format) != 0
        else {
            throw .unsupportedPixelFormat(name(of: format))
        }

        var steps: InlineArray<4, Int32> = [0, 0, 0, 0]
        withUnsafeMutableBytes(of: &steps) { steps in
            av_image_fill_max_pixsteps(
                steps.assumingMemoryBound(to: Int32.self).baseAddress, nil, description)
        }

        // Plane pointers moved to the part's first sample.
        var pointers = (
            source.planes[0], source.planes[1], source.planes[2], source.planes[3]
        )
        var strides = (source.strides[0], source.strides[1], source.strides[2], source.strides[3])
        withUnsafeMutableBytes(of: &pointers) { pointers in
            let pointers = pointers.assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
            withUnsafeMutableBytes(of: &strides) { strides in
                let strides = strides.assumingMemoryBound(to: Int32.self)
                for plane in 0..<4 where pointers[plane] != nil {
                    let isChroma = plane == 1 || plane == 2
                    let x = isChroma ? part.x >> Int(description.pointee.log2_chroma_w) : part.x
                    var y = isChroma ? part.y >> Int(description.pointee.log2_chroma_h) : part.y
                    if let field {
                        y = y & ~1 + (field == .bottom ? 1 : 0)
                    }
                    // Bytes from sample to sample: of a pair of chroma samples in the second plane of biplanar formats.
                    let step = max(Int(steps[plane]), 1)
                    pointers[plane] = pointers[plane]! + y * Int(strides[plane]) + x * step
                    if field != nil { strides[plane] *= 2 }
                }
            }
        }
        let height =
            field == nil ? part.height : max((part.height + (field == .top ? 1 : 0)) / 2, 1)
        let wanted = Setup(
            pixelFormat: source.pixelFormat, source: PixelSize(width: part.width, height: height),
            destination: planes.size, matrix: source.matrix, range: source.range,
            chromaSiting: source.chromaSiting)
        if wanted != setup { try prepare(wanted, description: description) }
        convert(pointers, strides, rows: Int32(height), into: planes)
    }

    private func convert(
        _ pointers: (
            UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?,
            UnsafePointer<UInt8>?
        ), _ strides: (Int32, Int32, Int32, Int32), rows: Int32, into planes: RGBPlanes
    ) {
        let stride = Int32(planes.stride)
        // libswscale's planar RGB is in the order G, B, R.
        let destination: InlineArray<4, UnsafeMutablePointer<UInt8>?> = [
            planes.green, planes.blue, planes.red, nil,
        ]
        let destinationStrides: InlineArray<4, Int32> = [stride, stride, stride, 0]
        withUnsafeBytes(of: pointers) { pointers in
            withUnsafeBytes(of: strides) { strides in
                withUnsafeBytes(of: destination) { destination in
                    withUnsafeBytes(of: destinationStrides) { destinationStrides in
                        _ = sws_scale(
                            context,
                            pointers.assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
                                .baseAddress,
                            strides.assumingMemoryBound(to: Int32.self).baseAddress, 0, rows,
                            destination.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
                                .baseAddress,
                            destinationStrides.assumingMemoryBound(to: Int32.self).baseAddress)
                    }
                }
            }
        }
    }

    private func prepare(
        _ wanted: Setup, description: UnsafePointer<AVPixFmtDescriptor>
    ) throws(RenderError) {
        sws_freeContext(context)
        setup = nil
        context = sws_alloc_context()
        guard let context else { throw .scalerFailed(code: CFF_AVERROR_ENOMEM) }

        let shrinks =
            wanted.destination.width <= wanted.source.width
            && wanted.destination.height <= wanted.source.height
        let options: [(String, Int)] = [
            ("srcw", wanted.source.width), ("srch", wanted.source.height),
            ("dstw", wanted.destination.width), ("dsth", wanted.destination.height),
            ("src_format", Int(plainFormat(wanted.pixelFormat))),
            ("dst_format", Int(AV_PIX_FMT_GBRP.rawValue)),
            ("sws_flags", Int((shrinks ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND)),
        ]
        let object = UnsafeMutableRawPointer(context)
        for (name, value) in options { av_opt_set_int(object, name, Int64(value), 0) }
        if description.pointee.log2_chroma_w > 0 {
            av_opt_set_int(object, "src_h_chr_pos", Int64(wanted.chromaSiting.horizontal), 0)
        }
        if description.pointee.log2_chroma_h > 0 {
            av_opt_set_int(object, "src_v_chr_pos", Int64(wanted.chromaSiting.vertical), 0)
        }
        let code = sws_init_context(context, nil, nil)
        guard code >= 0 else {
            sws_freeContext(context)
            self.context = nil
            throw .scalerFailed(code: code)
        }
        // After the initialisation, which sets its own defaults for the planar RGB side.
        let coefficients = sws_getCoefficients(swscaleNumber(wanted.matrix))
        sws_setColorspaceDetails(
            context, coefficients, wanted.range == .full ? 1 : 0, coefficients, 1, 0, 1 << 16,
            1 << 16)
        setup = wanted
    }
}

private func swscaleNumber(_ matrix: ColorMatrix) -> Int32 {
    switch matrix {
    case .bt601: SWS_CS_ITU601
    case .bt709: SWS_CS_ITU709
    case .bt2020: SWS_CS_BT2020
    case .smpte240: SWS_CS_SMPTE240M
    }
}

/// The format without the full range that the `yuvj` ones imply: the range is told to libswscale apart.
private func plainFormat(_ format: Int32) -> Int32 {
    switch AVPixelFormat(rawValue: format) {
    case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P.rawValue
    case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P.rawValue
    case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P.rawValue
    case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P.rawValue
    default: format
    }
}

private func name(of format: AVPixelFormat) -> String {
    av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(format.rawValue)"
}
