package import CFFmpeg

/// What is known about one pixel format, joined from our table and libavutil's.
package struct PixelFormatDescription: Sendable {
    package let format: CVPixelFormatType
    package let avPixelFormat: AVPixelFormat
    /// FFmpeg's name.
    package let name: String
    /// Planes in memory, 1...3.
    ///
    /// Core Video counts a single plane as none.
    package let memoryPlaneCount: Int
    package let isFullRange: Bool
    package let bitDepth: Int
    let log2ChromaWidth: Int
    let log2ChromaHeight: Int
    /// Bytes from one element of a plane to the next (the pair CbCr of a bi-planar format is one element),
    /// plane by plane.
    ///
    /// A packed 4:2:2 pixel counts as one element.
    let elementByteCounts: [Int]

    package var isPlanar: Bool { memoryPlaneCount > 1 }

    /// The table's entry, nil for a code the stack does not know.
    package static func of(_ format: CVPixelFormatType) -> PixelFormatDescription? {
        byCode[format.rawValue]
    }

    /// Columns of a plane of a picture `width` wide.
    func width(_ width: Int, ofPlane plane: Int) -> Int {
        plane == 0 ? width : (width + (1 << log2ChromaWidth) - 1) >> log2ChromaWidth
    }

    /// Rows of a plane of a picture `height` high.
    func height(_ height: Int, ofPlane plane: Int) -> Int {
        plane == 0 ? height : (height + (1 << log2ChromaHeight) - 1) >> log2ChromaHeight
    }

    /// Bytes of a row of a plane without padding, for a picture `width` wide.
    package func rowByteCount(_ width: Int, ofPlane plane: Int) -> Int {
        // '2vuy' stores pairs of pixels: an odd width is rounded up, as av_image_get_linesize does.
        let columns = self.width(width, ofPlane: plane)
        let rounded = memoryPlaneCount == 1 && log2ChromaWidth > 0 ? (columns + 1) & ~1 : columns
        return rounded * elementByteCounts[plane]
    }

    private static let byCode: [UInt32: PixelFormatDescription] = {
        var entries: [UInt32: PixelFormatDescription] = [:]
        for (format, avPixelFormat, isFullRange) in table {
            let entry = PixelFormatDescription(format, avPixelFormat, isFullRange)
            entries[format.rawValue] = entry
        }
        return entries
    }()

    private init?(_ format: CVPixelFormatType, _ avPixelFormat: AVPixelFormat, _ isFullRange: Bool)
    {
        guard let descriptor = av_pix_fmt_desc_get(avPixelFormat)?.pointee else { return nil }
        self.format = format
        self.avPixelFormat = avPixelFormat
        self.isFullRange = isFullRange
        name = String(cString: descriptor.name)
        memoryPlaneCount = Int(av_pix_fmt_count_planes(avPixelFormat))
        log2ChromaWidth = Int(descriptor.log2_chroma_w)
        log2ChromaHeight = Int(descriptor.log2_chroma_h)
        bitDepth = Int(descriptor.comp.0.depth)
        let components = [
            descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3,
        ].prefix(Int(descriptor.nb_components))
        var byteCounts = (0..<memoryPlaneCount).map { plane in
            components.filter { $0.plane == plane }.map { Int($0.step) }.max() ?? 0
        }
        // Cb Y Cr Y: libavutil's largest step is that of chroma, which comes once in two pixels.
        if memoryPlaneCount == 1, log2ChromaWidth > 0 {
            byteCounts[0] = Int(descriptor.comp.0.step)
        }
        elementByteCounts = byteCounts
    }

    static let table: [(CVPixelFormatType, AVPixelFormat, isFullRange: Bool)] = [
        (.yCbCr420BiPlanarVideoRange, AV_PIX_FMT_NV12, false),
        (.yCbCr420BiPlanarFullRange, AV_PIX_FMT_NV12, true),
        (.yCbCr422BiPlanarVideoRange, AV_PIX_FMT_NV16, false),
        (.yCbCr422BiPlanarFullRange, AV_PIX_FMT_NV16, true),
        (.yCbCr444BiPlanarVideoRange, AV_PIX_FMT_NV24, false),
        (.yCbCr444BiPlanarFullRange, AV_PIX_FMT_NV24, true),
        (.yCbCr420BiPlanar10VideoRange, AV_PIX_FMT_P010LE, false),
        (.yCbCr420BiPlanar10FullRange, AV_PIX_FMT_P010LE, true),
        (.yCbCr422BiPlanar10VideoRange, AV_PIX_FMT_P210LE, false),
        (.yCbCr422BiPlanar10FullRange, AV_PIX_FMT_P210LE, true),
        (.yCbCr444BiPlanar10VideoRange, AV_PIX_FMT_P410LE, false),
        (.yCbCr444BiPlanar10FullRange, AV_PIX_FMT_P410LE, true),
        (.yCbCr420Planar, AV_PIX_FMT_YUV420P, false),
        (.yCbCr420PlanarFullRange, AV_PIX_FMT_YUVJ420P, true),
        (.yCbCr422Packed, AV_PIX_FMT_UYVY422, false),
        (.bgra32, AV_PIX_FMT_BGRA, true),
        (.argb32, AV_PIX_FMT_ARGB, true),
        (.rgba32, AV_PIX_FMT_RGBA, true),
        (.oneComponent8, AV_PIX_FMT_GRAY8, false),
        (.yuv422p, AV_PIX_FMT_YUV422P, false),
        (.yuvj422p, AV_PIX_FMT_YUVJ422P, true),
        (.yuv444p, AV_PIX_FMT_YUV444P, false),
        (.yuvj444p, AV_PIX_FMT_YUVJ444P, true),
        (.yuv420p9, AV_PIX_FMT_YUV420P9LE, false),
        (.yuv422p9, AV_PIX_FMT_YUV422P9LE, false),
        (.yuv444p9, AV_PIX_FMT_YUV444P9LE, false),
        (.yuv420p10, AV_PIX_FMT_YUV420P10LE, false),
        (.yuv422p10, AV_PIX_FMT_YUV422P10LE, false),
        (.yuv444p10, AV_PIX_FMT_YUV444P10LE, false),
        (.yuv420p12, AV_PIX_FMT_YUV420P12LE, false),
        (.yuv422p12, AV_PIX_FMT_YUV422P12LE, false),
        (.yuv444p12, AV_PIX_FMT_YUV444P12LE, false),
        (.yuv420p14, AV_PIX_FMT_YUV420P14LE, false),
        (.yuv422p14, AV_PIX_FMT_YUV422P14LE, false),
        (.yuv444p14, AV_PIX_FMT_YUV444P14LE, false),
        (.gray9, AV_PIX_FMT_GRAY9LE, false),
        (.gray10, AV_PIX_FMT_GRAY10LE, false),
        (.gray12, AV_PIX_FMT_GRAY12LE, false),
        (.gray14, AV_PIX_FMT_GRAY14LE, false),
        (.gbrp, AV_PIX_FMT_GBRP, true),
        (.gbrp9, AV_PIX_FMT_GBRP9LE, true),
        (.gbrp10, AV_PIX_FMT_GBRP10LE, true),
        (.gbrp12, AV_PIX_FMT_GBRP12LE, true),
        (.gbrp14, AV_PIX_FMT_GBRP14LE, true),
    ]
}

extension CVPixelFormatType {
    /// The code for a format of libavutil, nil when the stack has none.
    ///
    /// - Parameters:
    ///   - avPixelFormat: libavutil's format.
    ///   - isFullRange: Decides between two codes for the same memory, such as '420v' and '420f'.
    package init?(avPixelFormat: AVPixelFormat, isFullRange: Bool = false) {
        var found: CVPixelFormatType?
        for (format, candidate, range) in PixelFormatDescription.table
        where candidate == avPixelFormat {
            if found == nil || range == isFullRange { found = format }
        }
        guard let found else { return nil }
        self = found
    }

    /// libavutil's format; `AV_PIX_FMT_NONE` for an unknown code.
    package var avPixelFormat: AVPixelFormat {
        PixelFormatDescription.of(self)?.avPixelFormat ?? AV_PIX_FMT_NONE
    }
}
