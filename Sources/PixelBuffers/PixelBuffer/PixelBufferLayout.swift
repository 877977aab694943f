/// Where each plane of a buffer lies within one block of memory.
struct PixelBufferLayout: Sendable {
    struct Plane: Sendable {
        /// Of the visible picture's first byte.
        var offset = 0
        var bytesPerRow = 0
        var width = 0
        var height = 0
    }

    let format: PixelFormatDescription
    let width: Int
    let height: Int
    let attributes: CVPixelBufferAttributes
    private(set) var planes = InlineArray<4, Plane>(repeating: Plane())
    /// Bytes of all planes, extended pixels and row padding included.
    private(set) var byteCount = 0

    init(
        width: Int, height: Int, pixelFormat: CVPixelFormatType, attributes: CVPixelBufferAttributes
    ) throws(CVError) {
        format = try PixelBufferLayout.checked(
            width: width, height: height, pixelFormat: pixelFormat)
        if let fault = attributes.fault {
            throw CVError.invalidPixelBufferAttributes.saying(fault)
        }
        self.width = width
        self.height = height
        self.attributes = attributes
        // Chroma planes get as many extended pixels as the luma's cover, rounded up: left and top in whole
        // chroma samples, so that the planes stay in register.
        let left = attributes.extendedPixelsLeft
        let top = attributes.extendedPixelsTop
        for index in 0..<format.memoryPlaneCount {
            let leftColumns = format.width(left, ofPlane: index)
            let topRows = format.height(top, ofPlane: index)
            let row =
                format.rowByteCount(
                    leftColumns << shift(index, format.log2ChromaWidth), ofPlane: index)
                + format.rowByteCount(width + attributes.extendedPixelsRight, ofPlane: index)
            let bytesPerRow = row.rounded(upTo: attributes.bytesPerRowAlignment)
            let rows =
                topRows + format.height(height + attributes.extendedPixelsBottom, ofPlane: index)
            byteCount = byteCount.rounded(upTo: attributes.planeAlignment)
            planes[index] = Plane(
                offset: byteCount + topRows * bytesPerRow
                    + leftColumns * format.elementByteCounts[index],
                bytesPerRow: bytesPerRow,
                width: format.width(width, ofPlane: index),
                height: format.height(height, ofPlane: index))
            byteCount += rows * bytesPerRow
        }
        // libavutil and libswscale count bytes of a picture in 32 bits.
        guard byteCount < Int(Int32.max) else {
            throw CVError.invalidSize.saying("\(width)x\(height) needs \(byteCount) bytes")
        }
    }

    private func shift(_ plane: Int, _ log2: Int) -> Int { plane == 0 ? 0 : log2 }

    /// The format's description, if format and size are possible.
    static func checked(
        width: Int, height: Int, pixelFormat: CVPixelFormatType
    ) throws(CVError) -> PixelFormatDescription {
        guard let format = PixelFormatDescription.of(pixelFormat) else {
            throw CVError.invalidPixelFormat.saying("unknown pixel format \(pixelFormat)")
        }
        guard (1...65535).contains(width), (1...65535).contains(height) else {
            throw CVError.invalidSize.saying("\(width)x\(height): 1 to 65535 each can be had")
        }
        return format
    }
}

extension Int {
    /// The next multiple of a power of two.
    func rounded(upTo alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
