internal import CFFmpeg

/// Why a libav call failed.
struct LibavError: Error, Hashable, Sendable {
    /// libav's negative code.
    let code: Int32
    /// The C function.
    let function: String

    /// Whether memory was short: no fault of the data, nor of the call.
    var isShortage: Bool { code == CFF_AVERROR_ENOMEM }

    /// libav's words for the code.
    var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, av_strerror(code, start, buffer.count) >= 0
            else { return "\(function): error \(code)" }
            return "\(function): \(String(cString: start))"
        }
    }

    static func outOfMemory(_ function: String) -> LibavError {
        LibavError(code: CFF_AVERROR_ENOMEM, function: function)
    }
}

/// Runs one libav call; a negative result becomes an error that names the C function.
@discardableResult
func libav(_ function: String, _ call: () -> Int32) throws(LibavError) -> Int32 {
    let code = call()
    guard code >= 0 else { throw LibavError(code: code, function: function) }
    return code
}
