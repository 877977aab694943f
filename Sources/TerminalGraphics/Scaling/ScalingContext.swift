internal import CFFmpeg

/// Owner of one libswscale context, made anew when what it was made for changes.
final class ScalingContext {
    /// Everything that a context is made for.
    struct Setup: Hashable {
        var sourceFormat: Int32
        var source: PixelSize
        var destinationFormat: Int32
        var destination: PixelSize
        var matrix: ColorMatrix
        var range: ColorRange
        var chromaSiting: ChromaSiting
    }

    /// The plane pointers of one conversion, in libswscale's order.
    struct Images {
        private(set) var source: InlineArray<4, UnsafePointer<UInt8>?> = .init(repeating: nil)
        private(set) var sourceStrides: InlineArray<4, Int32> = .init(repeating: 0)
        private(set) var destination: InlineArray<4, UnsafeMutablePointer<UInt8>?> = .init(
            repeating: nil)
        private(set) var destinationStrides: InlineArray<4, Int32> = .init(repeating: 0)

        /// Points at the first samples of a part of a picture, or of one field of it.
        mutating func setSource(
            _ picture: SourcePicture, _ description: UnsafePointer<AVPixFmtDescriptor>,
            _ part: PixelRectangle, _ field: Field?
        ) {
            // Bytes from sample to sample: of a pair of chroma samples in the second plane of biplanar formats.
            var steps: InlineArray<4, Int32> = .init(repeating: 0)
            withUnsafeMutableBytes(of: &steps) {
                av_image_fill_max_pixsteps(
                    $0.assumingMemoryBound(to: Int32.self).baseAddress, nil, description)
            }
            for plane in 0..<4 {
                guard let start = picture.planes[plane] else { continue }
                let isChroma = plane == 1 || plane == 2
                let stride = Int(picture.strides[plane])
                let x = isChroma ? part.x >> Int(description.pointee.log2_chroma_w) : part.x
                var y = isChroma ? part.y >> Int(description.pointee.log2_chroma_h) : part.y
                if let field { y = y & ~1 + (field == .bottom ? 1 : 0) }
                source[plane] = start + y * stride + x * max(Int(steps[plane]), 1)
                sourceStrides[plane] = Int32(field == nil ? stride : stride * 2)
            }
        }

        mutating func setSource(
            _ planes: InlineArray<3, UnsafeMutablePointer<UInt8>>, stride: Int
        ) {
            for plane in 0..<3 {
                source[plane] = UnsafePointer(planes[plane])
                sourceStrides[plane] = Int32(stride)
            }
        }

        mutating func setDestination(
            _ planes: InlineArray<3, UnsafeMutablePointer<UInt8>>, stride: Int
        ) {
            for plane in 0..<3 {
                destination[plane] = planes[plane]
                destinationStrides[plane] = Int32(stride)
            }
        }

        /// libswscale's planar RGB is in the order G, B, R.
        mutating func setDestination(_ planes: RGBPlanes) {
            setDestination([planes.green, planes.blue, planes.red], stride: planes.stride)
        }
    }

    private var context: OpaquePointer?
    private var setup: Setup?

    deinit { sws_freeContext(context) }

    func run(_ wanted: Setup, _ images: inout Images) throws(RenderError) {
        if wanted != setup { try prepare(wanted) }
        images.withUnsafePointers { source, sourceStrides, destination, destinationStrides in
            _ = sws_scale(
                context, source, sourceStrides, 0, Int32(wanted.source.height), destination,
                destinationStrides)
        }
    }

    private func prepare(_ wanted: Setup) throws(RenderError) {
        sws_freeContext(context)
        setup = nil
        context = sws_alloc_context()
        guard let context,
            let description = av_pix_fmt_desc_get(AVPixelFormat(rawValue: wanted.sourceFormat))
        else { throw .scalerFailed(code: CFF_AVERROR_ENOMEM) }

        let shrinks =
            wanted.destination.width <= wanted.source.width
            && wanted.destination.height <= wanted.source.height
        let object = UnsafeMutableRawPointer(context)
        func set(_ name: String, _ value: Int) { av_opt_set_int(object, name, Int64(value), 0) }
        set("srcw", wanted.source.width)
        set("srch", wanted.source.height)
        set("dstw", wanted.destination.width)
        set("dsth", wanted.destination.height)
        set("src_format", Int(wanted.sourceFormat))
        set("dst_format", Int(wanted.destinationFormat))
        set("sws_flags", Int((shrinks ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND))
        if description.pointee.log2_chroma_w > 0 {
            set("src_h_chr_pos", wanted.chromaSiting.horizontal)
        }
        if description.pointee.log2_chroma_h > 0 {
            set("src_v_chr_pos", wanted.chromaSiting.vertical)
        }
        let isToRGB = wanted.destinationFormat == AV_PIX_FMT_GBRP.rawValue
        let range: Int32 = wanted.range == .full ? 1 : 0
        // Before the initialisation, because it decides whether ranges are converted; and after it, because it sets its own
        // defaults where the destination is RGB.
        let coefficients = sws_getCoefficients(swscaleNumber(wanted.matrix))
        func setColors() {
            sws_setColorspaceDetails(
                context, coefficients, range, coefficients, isToRGB ? 1 : range, 0, 1 << 16, 1 << 16
            )
        }
        setColors()
        let code = sws_init_context(context, nil, nil)
        guard code >= 0 else {
            sws_freeContext(context)
            self.context = nil
            throw .scalerFailed(code: code)
        }
        setColors()
        setup = wanted
    }
}

extension ScalingContext.Images {
    fileprivate mutating func withUnsafePointers(
        _ body: (
            UnsafePointer<UnsafePointer<UInt8>?>?, UnsafePointer<Int32>?,
            UnsafePointer<UnsafeMutablePointer<UInt8>?>?, UnsafePointer<Int32>?
        ) -> Void
    ) {
        source.span.withUnsafeBufferPointer { source in
            sourceStrides.span.withUnsafeBufferPointer { sourceStrides in
                destination.span.withUnsafeBufferPointer { destination in
                    destinationStrides.span.withUnsafeBufferPointer { destinationStrides in
                        body(
                            source.baseAddress, sourceStrides.baseAddress, destination.baseAddress,
                            destinationStrides.baseAddress)
                    }
                }
            }
        }
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
