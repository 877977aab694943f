/// A plane of memory that a pixel buffer borrows.
public struct CVPixelBufferPlane {
    /// The first byte.
    public var baseAddress: UnsafeMutableRawPointer
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int

    /// Describes a plane.
    ///
    /// - Parameters:
    ///   - baseAddress: The first byte.
    ///   - width: Columns.
    ///   - height: Rows.
    ///   - bytesPerRow: Bytes from one row to the next.
    public init(baseAddress: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int) {
        self.baseAddress = baseAddress
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
    }
}

extension CVPixelBuffer {
    /// Borrows the memory of a picture that is not planar.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - height: Rows.
    ///   - pixelFormat: A format that is not planar.
    ///   - baseAddress: The first byte; it must stay valid until `releaseHandler` runs.
    ///   - bytesPerRow: Bytes from one row to the next.
    ///   - releaseHandler: Runs once, on any thread, when the buffer goes; not when this throws.
    /// - Throws: ``CVError/invalidArgument`` for a planar format or a short row; else as for a buffer of its own.
    public convenience init(
        width: Int, height: Int, pixelFormat: CVPixelFormatType,
        borrowing baseAddress: UnsafeMutableRawPointer, bytesPerRow: Int,
        releaseHandler: (@Sendable () -> Void)? = nil
    ) throws(CVError) {
        try self.init(
            width: width, height: height, pixelFormat: pixelFormat,
            borrowing: [
                CVPixelBufferPlane(
                    baseAddress: baseAddress, width: width, height: height, bytesPerRow: bytesPerRow
                )
            ], releaseHandler: releaseHandler)
    }

    /// Borrows the memory of a picture, plane by plane.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - height: Rows.
    ///   - pixelFormat: The format, with as many planes as are given (one when not planar).
    ///   - borrowed: The planes; their memory must stay valid until `releaseHandler` runs.
    ///   - dataSize: Bytes of all planes; by default what the rows take.
    ///   - releaseHandler: Runs once, on any thread, when the buffer goes; not when this throws.
    /// - Throws: ``CVError/invalidArgument`` when planes are missing, too many or too small; else as for a buffer
    ///   of its own.
    public convenience init(
        width: Int, height: Int, pixelFormat: CVPixelFormatType,
        borrowing borrowed: [CVPixelBufferPlane], dataSize: Int? = nil,
        releaseHandler: (@Sendable () -> Void)? = nil
    ) throws(CVError) {
        let format = try PixelBufferLayout.checked(
            width: width, height: height, pixelFormat: pixelFormat)
        guard borrowed.count == format.memoryPlaneCount else {
            throw CVError.invalidArgument.saying(
                "\(pixelFormat) has \(format.memoryPlaneCount) planes, \(borrowed.count) given")
        }
        var planes = InlineArray<4, Plane>(repeating: Plane())
        for (index, plane) in borrowed.enumerated() {
            guard
                plane.width >= format.width(width, ofPlane: index),
                plane.height >= format.height(height, ofPlane: index),
                plane.bytesPerRow >= format.rowByteCount(width, ofPlane: index),
                plane.bytesPerRow <= Int(Int32.max)
            else {
                throw CVError.invalidArgument.saying("plane \(index) is too small: \(plane)")
            }
            planes[index] = Plane(
                address: plane.baseAddress, bytesPerRow: plane.bytesPerRow, width: plane.width,
                height: plane.height)
        }
        self.init(
            width: width, height: height, format: format, planes: planes,
            dataSize: dataSize ?? borrowed.reduce(0) { $0 + $1.height * $1.bytesPerRow },
            backing: .borrowed(release: releaseHandler))
    }
}
