/// The planes of a buffer as libav's functions take them, lent for the time of a call.
package struct PixelPlanes {
    /// Number of planes in memory, 1 for a format that is not planar.
    package let count: Int
    package let addresses: InlineArray<4, UnsafeMutablePointer<UInt8>?>
    package let bytesPerRow: InlineArray<4, Int32>

    /// Lends the two arrays in the form of `sws_scale` and `av_image_copy`.
    package func withUnsafePointers<R, E: Error>(
        _ body: (
            _ data: UnsafePointer<UnsafePointer<UInt8>?>, _ linesize: UnsafePointer<Int32>
        ) throws(E) -> R
    ) throws(E) -> R {
        var data: InlineArray<4, UnsafePointer<UInt8>?> = [nil, nil, nil, nil]
        for index in 0..<count { data[index] = addresses[index].map { UnsafePointer($0) } }
        return try data.span.withUnsafeBufferPointer { (data) throws(E) -> R in
            try bytesPerRow.span.withUnsafeBufferPointer { (strides) throws(E) -> R in
                // SAFETY: both have four elements, so their addresses are not nil.
                try body(data.baseAddress!, strides.baseAddress!)
            }
        }
    }
}

extension CVPixelBuffer {
    /// Lends the planes' memory, locked for reading.
    ///
    /// For scaling and hashing; writers lock for themselves.
    package func withPlanes<R, E: Error>(_ body: (PixelPlanes) throws(E) -> R) throws(E) -> R {
        lockBaseAddress(.readOnly)
        defer { unlockBaseAddress(.readOnly) }
        var addresses = InlineArray<4, UnsafeMutablePointer<UInt8>?>(repeating: nil)
        var bytesPerRow = InlineArray<4, Int32>(repeating: 0)
        for index in 0..<formatDescription.memoryPlaneCount {
            addresses[index] = planes[index].address?.assumingMemoryBound(to: UInt8.self)
            bytesPerRow[index] = Int32(planes[index].bytesPerRow)
        }
        return try body(
            PixelPlanes(
                count: formatDescription.memoryPlaneCount, addresses: addresses,
                bytesPerRow: bytesPerRow))
    }

    /// Lends the visible bytes of every row, plane by plane from the top, without padding.
    ///
    /// - Parameter body: Gets the plane's index, the row's index and the bytes.
    /// - Throws: What `body` throws.
    package func forEachRow<E: Error>(
        _ body: (_ plane: Int, _ row: Int, _ bytes: UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        try withPlanes { (lent) throws(E) in
            for plane in 0..<lent.count {
                let byteCount = formatDescription.rowByteCount(width, ofPlane: plane)
                for row in 0..<formatDescription.height(height, ofPlane: plane) {
                    let start = lent.addresses[plane].map { UnsafeRawPointer($0) }
                    let bytes = UnsafeRawBufferPointer(
                        start: start.map { $0 + row * Int(lent.bytesPerRow[plane]) },
                        count: byteCount)
                    try body(plane, row, bytes)
                }
            }
        }
    }
}
