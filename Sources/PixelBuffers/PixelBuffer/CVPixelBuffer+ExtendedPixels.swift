import Glibc

extension CVPixelBuffer {
    /// The memory around the picture that the attributes asked for, in pixels.
    public var extendedPixels: (left: Int, right: Int, top: Int, bottom: Int) {
        (
            attributes.extendedPixelsLeft, attributes.extendedPixelsRight,
            attributes.extendedPixelsTop, attributes.extendedPixelsBottom
        )
    }

    /// Repeats the picture's edge samples over the extended pixels.
    ///
    /// - Returns: 0.
    @discardableResult
    public func fillExtendedPixels() -> CVReturn {
        let format = formatDescription
        for index in 0..<format.memoryPlaneCount {
            let plane = planes[index]
            guard let start = plane.address else { continue }
            let element = format.elementByteCounts[index]
            let left = format.width(attributes.extendedPixelsLeft, ofPlane: index)
            let right =
                format.width(width + attributes.extendedPixelsRight, ofPlane: index) - plane.width
            for row in 0..<plane.height {
                let first = start + row * plane.bytesPerRow
                let last = first + (plane.width - 1) * element
                for column in 0..<left { memcpy(first - (column + 1) * element, first, element) }
                for column in 0..<right { memcpy(last + (column + 1) * element, last, element) }
            }
            let rowStart = start - left * element
            let rowBytes = (left + plane.width + right) * element
            for row in 0..<format.height(attributes.extendedPixelsTop, ofPlane: index) {
                memcpy(rowStart - (row + 1) * plane.bytesPerRow, rowStart, rowBytes)
            }
            let bottom =
                format.height(height + attributes.extendedPixelsBottom, ofPlane: index)
                - plane.height
            let lastRow = rowStart + (plane.height - 1) * plane.bytesPerRow
            for row in 0..<bottom {
                memcpy(lastRow + (row + 1) * plane.bytesPerRow, lastRow, rowBytes)
            }
        }
        return CVError.success
    }
}
