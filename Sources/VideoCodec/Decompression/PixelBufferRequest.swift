public import PixelBuffers

/// What pictures a session should give: Apple's image buffer attributes, typed.
public struct PixelBufferRequest: Hashable, Sendable {
    /// One pixel format that is asked for.
    public enum Format: Hashable, Sendable {
        /// The decoder's own planes, not copied: what the stream has. Ours.
        case native
        /// A format to convert to.
        case type(CVPixelFormatType)
    }

    /// What is wanted, best first; the first one that can be had is taken.
    ///
    /// Empty: '420v' or '420f' for 8-bit 4:2:0, `native` for anything else.
    public var formats: [Format]
    /// Columns, nil for the stream's own.
    public var width: Int?
    /// Rows, nil for the stream's own.
    public var height: Int?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - formats: What is wanted, best first.
    ///   - width: Columns, nil for the stream's own.
    ///   - height: Rows, nil for the stream's own.
    public init(formats: [Format] = [], width: Int? = nil, height: Int? = nil) {
        self.formats = formats
        self.width = width
        self.height = height
    }

    /// No wishes.
    public static let `default` = PixelBufferRequest()
    /// The decoder's own planes.
    public static let native = PixelBufferRequest(formats: [.native])

    /// One format.
    ///
    /// - Parameter type: The format.
    /// - Returns: The request.
    public static func format(_ type: CVPixelFormatType) -> PixelBufferRequest {
        PixelBufferRequest(formats: [.type(type)])
    }
}
