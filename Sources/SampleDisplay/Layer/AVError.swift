public import MediaTime

/// An error of the renderers, in `AVFoundationErrorDomain`.
public struct AVError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// A struct, so that unknown codes survive.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: Int
        /// Takes any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The media could not be decoded.
        public static let decodeFailed = Code(rawValue: -11821)
        /// There is no decoder for the media.
        public static let decoderNotFound = Code(rawValue: -11833)
        /// There is a decoder, but not now.
        public static let decoderTemporarilyUnavailable = Code(rawValue: -11839)
    }

    /// What went wrong.
    public let code: Code
    /// The decoder's own error.
    public let underlyingError: MediaError?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - underlyingError: The decoder's own error.
    public init(_ code: Code, underlyingError: MediaError? = nil) {
        self.code = code
        self.underlyingError = underlyingError
    }

    /// Read by the standard library when the error becomes an `NSError`.
    public var _domain: String { "AVFoundationErrorDomain" }
    /// Read by the standard library when the error becomes an `NSError`.
    public var _code: Int { code.rawValue }
}

extension AVError: CustomStringConvertible {
    /// What went wrong, and the decoder's own error.
    public var description: String {
        let text =
            switch code {
            case .decodeFailed: "the media cannot be decoded"
            case .decoderNotFound: "there is no decoder for the media"
            case .decoderTemporarilyUnavailable: "no decoder is free"
            default: "error"
            }
        return "\(text) (\(code.rawValue))" + (underlyingError.map { ": \($0)" } ?? "")
    }
}
