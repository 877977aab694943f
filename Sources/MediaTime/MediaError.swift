/// A result code of the media stack; 0 is success.
public typealias OSStatus = Int32

/// The result code of success.
public let noErr: OSStatus = 0

/// Why a call into the media stack failed: Apple's result code, and what was wrong in words.
///
/// Two errors are equal when their ``status`` is; ``text`` is for people. Where Foundation is loaded,
/// `error as NSError` has the domain `NSOSStatusErrorDomain` and the status as its code.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The result code that Apple documents for this failure; never 0.
    public let status: OSStatus

    /// What was wrong, in a few words, without the code.
    public let text: String

    /// An error with a result code and its explanation.
    public init(status: OSStatus, _ text: String) {
        self.status = status
        self.text = text
    }

    /// The text, followed by the code.
    public var description: String { "\(text) (\(status))" }

    /// The domain under which Foundation shows the error.
    public var _domain: String { "NSOSStatusErrorDomain" }

    /// The code under which Foundation shows the error.
    public var _code: Int { Int(status) }

    /// Whether both carry the same result code.
    public static func == (a: MediaError, b: MediaError) -> Bool {
        a.status == b.status
    }

    /// Feeds the result code, and only that, to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
    }
}
