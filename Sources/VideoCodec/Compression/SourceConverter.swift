internal import MediaTime
internal import PixelBuffers

/// Brings pictures into the size and format that the encoder takes.
struct SourceConverter {
    private let width: Int
    private let height: Int
    private let converter = PixelConverter()
    private var pool: CVPixelBufferPool?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Formats of pictures that can be compressed (E-5), best first; 'f420' is ours.
    static let formats: [CVPixelFormatType] = [
        .yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange, .yCbCr420Planar, .bgra32, .argb32,
        .yCbCr420PlanarFullRange,
    ]

    /// Whether pictures of the format can be compressed.
    static func accepts(_ format: CVPixelFormatType) -> Bool { formats.contains(format) }

    /// The picture itself where it fits, else a converted copy.
    ///
    /// - Parameters:
    ///   - source: The picture.
    ///   - format: What the encoder takes.
    ///   - matrix: The matrix that the stream names, for pictures of red, green and blue; nil: by the stream's height,
    ///     as decoders guess.
    /// - Returns: A picture of the encoder's size and format.
    /// - Throws: ``VTError/pixelTransferNotSupported`` or ``VTError/allocationFailed``.
    mutating func picture(
        _ source: CVPixelBuffer, as format: CVPixelFormatType, matrix: YCbCrMatrix?
    ) throws(MediaError) -> CVPixelBuffer {
        if source.width == width, source.height == height, source.pixelFormat == format,
            source.isFullRange == format.isFullRange
        {
            return source
        }
        do throws(CVError) {
            if pool?.pixelFormat != format {
                pool = try CVPixelBufferPool(width: width, height: height, pixelFormat: format)
            }
            guard let pool else { throw CVError.poolAllocationFailed }
            let converted = try pool.makePixelBuffer()
            try converter.convert(
                source, to: converted,
                matrix: matrix ?? (height < 720 ? .itu_R_601_4 : .itu_R_709_2))
            return converted
        } catch {
            throw error.code == CVError.unsupported.code
                ? VTError.pixelTransferNotSupported.saying(error.text)
                : VTError.allocationFailed.saying(error.text)
        }
    }
}
