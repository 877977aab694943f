internal import CFFmpeg
internal import PixelBuffers

/// Copies part of a picture to part of another.
struct PictureTransfer {
    /// What is wanted of the copy.
    struct Target {
        var mode: VTScalingMode
        var cleanAperture: CleanAperture?
        var pixelAspectRatio: PixelAspectRatio?
        var matrix: YCbCrMatrix?
    }

    /// A rectangle of whole pixels, from the top left corner.
    struct Area: Hashable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    private let converter = PixelConverter()

    /// Whether samples are Y, Cb and Cr, or Y alone.
    static func isYCbCr(_ picture: CVPixelBuffer) -> Bool {
        let descriptor = av_pix_fmt_desc_get(picture.pixelFormat.avPixelFormat)
        return (descriptor?.pointee.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_RGB) == 0
    }

    /// Copies; what of the destination is not covered becomes black.
    func copy(
        _ source: CVPixelBuffer, to destination: CVPixelBuffer, _ target: Target
    ) throws(CVError) {
        guard source.pixelFormat.isKnown, PixelConverter.canWrite(destination.pixelFormat) else {
            throw CVError(
                code: CVError.unsupported.code,
                "no conversion from \(source.pixelFormat) to \(destination.pixelFormat)")
        }
        let (from, to) = Self.areas(source, destination, target)
        let isWhole = to == Self.whole(destination)
        if !isWhole { BlackPicture.fill(destination) }
        try converter.convert(
            Self.view(source, from), to: Self.view(destination, to), matrix: target.matrix)
    }

    // MARK: Geometry

    static func areas(
        _ source: CVPixelBuffer, _ destination: CVPixelBuffer, _ target: Target
    ) -> (from: Area, to: Area) {
        let clean = area(of: source.attachments[.cleanAperture], in: source)
        switch target.mode {
        case .normal: return (whole(source), whole(destination))
        case .cropSourceToCleanAperture: return (clean, whole(destination))
        case .letterbox, .trim:
            let room = area(of: target.cleanAperture, in: destination)
            let sourceAspect = source.attachments[.pixelAspectRatio]?.ratio ?? 1
            let aspect = target.pixelAspectRatio?.ratio ?? 1
            // Width over height, as samples of the destination would show it.
            let shape = Double(clean.width) / Double(clean.height) * sourceAspect / aspect
            let roomShape = Double(room.width) / Double(room.height)
            if target.mode == .letterbox {
                return (clean, fitted(shape / roomShape, in: room, destination))
            }
            return (fitted(roomShape / shape, in: clean, source), room)
        }
    }

    static func whole(_ picture: CVPixelBuffer) -> Area {
        Area(x: 0, y: 0, width: picture.width, height: picture.height)
    }

    /// The largest centred part that is `ratio` times as wide, compared with the area's own shape.
    private static func fitted(_ ratio: Double, in area: Area, _ picture: CVPixelBuffer) -> Area {
        let width = Double(area.width) * min(ratio, 1)
        let height = Double(area.height) / max(ratio, 1)
        return snapped(
            x: Double(area.x) + (Double(area.width) - width) / 2,
            y: Double(area.y) + (Double(area.height) - height) / 2, width: width, height: height,
            in: picture)
    }

    private static func area(of aperture: CleanAperture?, in picture: CVPixelBuffer) -> Area {
        guard let aperture else { return whole(picture) }
        let rect = aperture.rect(
            inWidth: picture.width, height: picture.height, originIsAtTopLeft: true)
        return snapped(
            x: rect.x, y: rect.y, width: rect.width, height: rect.height, in: picture)
    }

    /// Whole pixels inside the picture; chroma begins where two columns and rows begin.
    private static func snapped(
        x: Double, y: Double, width: Double, height: Double, in picture: CVPixelBuffer
    ) -> Area {
        func span(_ start: Double, _ length: Double, _ limit: Int) -> (start: Int, length: Int) {
            guard start.isFinite, length.isFinite else { return (0, limit) }
            let first = min(max(Int(start.rounded()), 0), limit - 1) & ~1
            return (first, min(max(Int(length.rounded()), 1), limit - first))
        }
        let across = span(x, width, picture.width)
        let down = span(y, height, picture.height)
        return Area(x: across.start, y: down.start, width: across.length, height: down.length)
    }

    /// A part of a picture as a picture, by reference.
    private static func view(_ picture: CVPixelBuffer, _ area: Area) throws(CVError)
        -> CVPixelBuffer
    {
        if area == whole(picture) { return picture }
        guard let descriptor = av_pix_fmt_desc_get(picture.pixelFormat.avPixelFormat) else {
            throw CVError.invalidPixelFormat
        }
        let planes = picture.withPlanes { lent in
            (0..<lent.count).compactMap { plane -> CVPixelBufferPlane? in
                guard let base = lent.addresses[plane] else { return nil }
                let isChroma = plane > 0 && plane < 3
                let shiftX = isChroma ? Int(descriptor.pointee.log2_chroma_w) : 0
                let shiftY = isChroma ? Int(descriptor.pointee.log2_chroma_h) : 0
                let stride = Int(lent.bytesPerRow[plane])
                let offset =
                    (area.y >> shiftY) * stride
                    + picture.formatDescription.rowByteCount(area.x, ofPlane: plane)
                return CVPixelBufferPlane(
                    baseAddress: UnsafeMutableRawPointer(base + offset),
                    width: -(-area.width >> shiftX), height: -(-area.height >> shiftY),
                    bytesPerRow: stride)
            }
        }
        let part = try CVPixelBuffer(
            width: area.width, height: area.height, pixelFormat: picture.pixelFormat,
            borrowing: planes, releaseHandler: { _ = picture })
        part.attachments = picture.attachments
        return part
    }
}
