/// A result code of the Core Video part of the stack; 0 is success.
public typealias CVReturn = Int32

/// Why a call on a pixel buffer or a pool failed.
///
/// Two errors are equal when their codes are; the text is for people.
public struct CVError: Error, Sendable {
    /// The `kCVReturn…` value.
    public let code: CVReturn
    /// What was wrong, with the offending value.
    public let text: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The `kCVReturn…` value.
    ///   - text: What was wrong, with the offending value.
    public init(code: CVReturn, _ text: String) {
        self.code = code
        self.text = text
    }

    /// `kCVReturnSuccess`.
    public static let success: CVReturn = 0
    /// `kCVReturnError`: a failure without a code of its own.
    public static let error = CVError(code: -6660, "error")
    /// `kCVReturnInvalidArgument`.
    public static let invalidArgument = CVError(code: -6661, "invalid argument")
    /// `kCVReturnAllocationFailed`.
    public static let allocationFailed = CVError(code: -6662, "out of memory")
    /// `kCVReturnUnsupported`.
    public static let unsupported = CVError(code: -6663, "unsupported")
    /// `kCVReturnInvalidPixelFormat`.
    public static let invalidPixelFormat = CVError(code: -6680, "invalid pixel format")
    /// `kCVReturnInvalidSize`.
    public static let invalidSize = CVError(code: -6681, "invalid size")
    /// `kCVReturnInvalidPixelBufferAttributes`.
    public static let invalidPixelBufferAttributes = CVError(
        code: -6682, "invalid pixel buffer attributes")
    /// `kCVReturnWouldExceedAllocationThreshold`.
    public static let wouldExceedAllocationThreshold = CVError(
        code: -6689, "as many buffers are out as the threshold allows")
    /// `kCVReturnPoolAllocationFailed`.
    public static let poolAllocationFailed = CVError(code: -6690, "pool allocation failed")
    /// `kCVReturnInvalidPoolAttributes`.
    public static let invalidPoolAttributes = CVError(code: -6691, "invalid pool attributes")
    /// `kCVReturnRetry`.
    public static let retry = CVError(code: -6692, "retry")

    /// The same error with a text that tells more.
    func saying(_ text: String) -> CVError { CVError(code: code, text) }
}

extension CVError: Hashable {
    /// Whether the codes are the same.
    public static func == (first: CVError, second: CVError) -> Bool { first.code == second.code }

    /// Feeds the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CVError: CustomStringConvertible {
    /// The text and the code.
    public var description: String { "\(text) (\(code))" }
}
