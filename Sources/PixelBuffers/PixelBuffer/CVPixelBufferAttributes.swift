/// Wishes about a pixel buffer's memory.
public struct CVPixelBufferAttributes: Hashable, Sendable {
    /// Every row starts at a multiple of so many bytes: a power of two up to 4096.
    ///
    /// 64 unless set.
    public var bytesPerRowAlignment = 64
    /// Every plane starts at a multiple of so many bytes: a power of two up to 4096.
    ///
    /// 64 unless set.
    public var planeAlignment = 64
    /// Columns of memory left of the picture.
    public var extendedPixelsLeft = 0
    /// Columns of memory right of the picture.
    public var extendedPixelsRight = 0
    /// Rows of memory above the picture.
    public var extendedPixelsTop = 0
    /// Rows of memory below the picture.
    public var extendedPixelsBottom = 0

    /// Creates the default attributes.
    public init() {}

    /// The first thing that is wrong, or nil.
    var fault: String? {
        for (name, alignment) in [
            ("row", bytesPerRowAlignment), ("plane", planeAlignment),
        ] where alignment < 1 || alignment > 4096 || alignment & (alignment - 1) != 0 {
            return "\(name) alignment \(alignment) is not a power of two up to 4096"
        }
        for pixels in [
            extendedPixelsLeft, extendedPixelsRight, extendedPixelsTop, extendedPixelsBottom,
        ] where pixels < 0 || pixels > 4096 {
            return "\(pixels) extended pixels: 0 to 4096 can be had"
        }
        return nil
    }
}
