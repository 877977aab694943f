import Glibc

/// Why there is no terminal to play on.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Standard output is not a terminal.
    case outputIsNoTerminal
    /// Neither standard input nor the controlling terminal gives keys.
    case noKeyboard
    /// `TERM` names a terminal without cursor addressing.
    case dumb(term: String)
    /// A call of the system failed.
    case system(function: String, code: Int32)

    /// One phrase, for after `tplay: `.
    public var description: String {
        switch self {
        case .outputIsNoTerminal: "standard output is not a terminal"
        case .noKeyboard: "there is no terminal to read keys from"
        case .dumb(let term):
            term.isEmpty
                ? "TERM is not set: the terminal is unknown"
                : "TERM=\(term) cannot address the cursor"
        case .system(let function, let code): "\(function): \(String(cString: strerror(code)))"
        }
    }
}
