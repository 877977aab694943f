internal import CFFmpeg

/// Any picture, scaled and converted to red, green and blue planes by libswscale.
///
/// Shrinking averages areas, growing is bicubic. One thread at a time.
package final class PictureScaler {
    /// What is wanted of the small differences between pictures that look the same.
    package enum Precision: Sendable {
        /// Every bit that the source has.
        case exact
        /// Luma and chroma in 8 bits that follow the picture with a little play: a code stays until the scaled value is more than
        /// 0.75 from it. Coding noise that nobody sees then changes no cell: on still1080, whose B pictures differ in
        /// some samples by 1, nothing; on bbb1080 a fifth fewer bytes than with every bit.
        case stable
    }

    private let precision: Precision
    private let scaling = ScalingContext()
    private let conversion = ScalingContext()
    private let scaled = PlaneMemory()
    private let settled = SettledPlanes()

    package init(precision: Precision = .exact) {
        self.precision = precision
    }

    /// Has the next picture come out as if it were the first.
    package func forgetPrevious() { settled.forget() }

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
        let format = AVPixelFormat(rawValue: source.pixelFormat)
        guard let description = av_pix_fmt_desc_get(format), sws_isSupportedInput(format) != 0
        else { throw .unsupportedPixelFormat(name(of: format)) }
        let part =
            crop
            ?? PixelRectangle(x: 0, y: 0, width: source.size.width, height: source.size.height)
        let height =
            field == nil ? part.height : max((part.height + (field == .top ? 1 : 0)) / 2, 1)
        var images = ScalingContext.Images()
        images.setSource(source, description, part, field)
        var setup = ScalingContext.Setup(
            sourceFormat: plainFormat(source.pixelFormat),
            source: PixelSize(width: part.width, height: height),
            destinationFormat: AV_PIX_FMT_GBRP.rawValue, destination: planes.size,
            matrix: source.matrix, range: source.range, chromaSiting: source.chromaSiting)
        let isLumaChroma =
            description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) == 0
            && description.pointee.nb_components >= 3
        guard precision == .stable, isLumaChroma else {
            images.setDestination(planes)
            try scaling.run(setup, &images)
            return
        }

        setup.destinationFormat = AV_PIX_FMT_YUV444P10LE.rawValue
        scaled.resize(to: PixelSize(width: planes.size.width * 2, height: planes.size.height))
        images.setDestination(scaled.planes, stride: scaled.stride)
        try scaling.run(setup, &images)
        settled.follow(scaled, size: planes.size)

        setup.sourceFormat = AV_PIX_FMT_YUV444P.rawValue
        setup.source = planes.size
        setup.destinationFormat = AV_PIX_FMT_GBRP.rawValue
        var small = ScalingContext.Images()
        small.setSource(settled.memory.planes, stride: settled.memory.stride)
        small.setDestination(planes)
        try conversion.run(setup, &small)
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
