package import CFFmpeg

extension CVPixelBuffer {
    /// Wraps a decoder's frame without copying it.
    ///
    /// Cropping must have been applied (`av_frame_apply_cropping`).
    ///
    /// Nothing is attached: see ``CVBufferAttachments/init(tagsOf:)``.
    ///
    /// - Parameter frame: The frame, owned by the buffer from now on, also when this throws.
    /// - Throws: ``CVError/invalidPixelFormat``, ``CVError/invalidSize``, or ``CVError/invalidArgument`` for a
    ///   frame without data.
    package convenience init(wrapping frame: UnsafeMutablePointer<AVFrame>) throws(CVError) {
        do throws(CVError) {
            let contents = try Self.contents(of: frame)
            self.init(
                width: Int(frame.pointee.width), height: Int(frame.pointee.height),
                format: contents.format, planes: contents.planes, dataSize: contents.dataSize,
                backing: .frame(frame))
        } catch {
            var doomed: UnsafeMutablePointer<AVFrame>? = frame
            av_frame_free(&doomed)
            throw error
        }
    }

    private static func contents(
        of frame: UnsafeMutablePointer<AVFrame>
    ) throws(CVError) -> (
        format: PixelFormatDescription, planes: InlineArray<4, Plane>, dataSize: Int
    ) {
        let width = Int(frame.pointee.width)
        let height = Int(frame.pointee.height)
        let avPixelFormat = AVPixelFormat(rawValue: frame.pointee.format)
        guard
            let pixelFormat = CVPixelFormatType(
                avPixelFormat: avPixelFormat,
                isFullRange: frame.pointee.color_range == AVCOL_RANGE_JPEG)
        else {
            throw CVError.invalidPixelFormat.saying(
                "libavutil's pixel format \(frame.pointee.format)")
        }
        let format = try PixelBufferLayout.checked(
            width: width, height: height, pixelFormat: pixelFormat)
        let data = frame.pointee.data
        let strides = frame.pointee.linesize
        let given = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)]
        var planes = InlineArray<4, Plane>(repeating: Plane())
        var dataSize = 0
        for index in 0..<format.memoryPlaneCount {
            guard let address = given[index].0 else {
                throw CVError.invalidArgument.saying("the frame has no plane \(index)")
            }
            let stride = Int(given[index].1)
            guard stride >= format.rowByteCount(width, ofPlane: index) else {
                throw CVError.invalidArgument.saying("plane \(index) has a stride of \(stride)")
            }
            planes[index] = Plane(
                address: UnsafeMutableRawPointer(address), bytesPerRow: stride,
                width: format.width(width, ofPlane: index),
                height: format.height(height, ofPlane: index))
            dataSize += stride * planes[index].height
        }
        return (format, planes, dataSize)
    }

    /// Whether nobody else sees the pixels: false for a decoder's frame that is still a reference of others.
    ///
    /// Ours. Who is handed a buffer that is not modifiable must not write into it.
    public var isModifiable: Bool {
        guard case .frame(let frame) = backing else { return true }
        return av_frame_is_writable(frame) > 0
    }
}

extension CVBufferAttachments {
    /// What libavcodec says about a frame's colours and shape, as attachments that propagate.
    ///
    /// - Parameter frame: The frame.
    package init(tagsOf frame: UnsafePointer<AVFrame>) {
        self.init()
        let frame = frame.pointee
        self[.yCbCrMatrix] = YCbCrMatrix(codePoint: Int(frame.colorspace.rawValue))
        self[.colorPrimaries] = ColorPrimaries(codePoint: Int(frame.color_primaries.rawValue))
        self[.transferFunction] = TransferFunction(codePoint: Int(frame.color_trc.rawValue))
        self[.gammaLevel] = TransferFunction.gammaLevel(codePoint: Int(frame.color_trc.rawValue))
        // AVCHROMA_LOC_… is chroma_sample_loc_type plus one, 0 unspecified.
        let location = ChromaLocation(codePoint: Int(frame.chroma_location.rawValue) - 1)
        self[.chromaLocationTopField] = location
        self[.chromaLocationBottomField] = location
        if frame.color_range == AVCOL_RANGE_JPEG { self[.fullRange] = true }
        let ratio = frame.sample_aspect_ratio
        if ratio.num > 0, ratio.den > 0, ratio.num != ratio.den {
            self[.pixelAspectRatio] = PixelAspectRatio(
                horizontalSpacing: Int(ratio.num), verticalSpacing: Int(ratio.den))
        }
        if frame.interlaced_frame != 0 {
            self[.fieldCount] = 2
            self[.fieldDetail] =
                frame.top_field_first != 0 ? .spatialFirstLineEarly : .spatialFirstLineLate
        }
    }
}
