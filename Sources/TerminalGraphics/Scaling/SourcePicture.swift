/// A picture's planes, lent for the time of one call, and what its samples mean.
package struct SourcePicture {
    /// FFmpeg's number of the pixel format.
    package var pixelFormat: Int32
    package var size: PixelSize
    /// Up to four planes; those the format does not have are nil.
    package var planes: InlineArray<4, UnsafePointer<UInt8>?>
    /// Bytes from row to row of each plane.
    package var strides: InlineArray<4, Int32>
    package var matrix: ColorMatrix
    package var range: ColorRange
    package var chromaSiting: ChromaSiting
    /// One field of an interlaced picture; nil: both woven.
    package var field: Field?

    package init(
        pixelFormat: Int32, size: PixelSize, planes: InlineArray<4, UnsafePointer<UInt8>?>,
        strides: InlineArray<4, Int32>, matrix: ColorMatrix, range: ColorRange,
        chromaSiting: ChromaSiting = .left
    ) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.planes = planes
        self.strides = strides
        self.matrix = matrix
        self.range = range
        self.chromaSiting = chromaSiting
    }
}
