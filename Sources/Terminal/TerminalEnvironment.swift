import Glibc

/// What the environment says of the terminal.
public struct TerminalEnvironment: Hashable, Sendable {
    /// `TERM`; empty when not set.
    public var term: String
    /// `COLORTERM`.
    public var colorTerm: String
    /// Whether `TMUX` is set: the terminal is tmux, on this machine.
    public var isTmux: Bool
    /// Whether `STY` is set: the terminal is GNU screen, on this machine.
    public var isScreen: Bool
    /// Whether mosh-server has left its mark (`NCURSES_NO_UTF8_ACS=1`).
    public var hasMoshMark: Bool
    /// Whether the process runs at the far end of an SSH connection.
    public var isRemote: Bool
    /// Whether the locale's characters are UTF-8.
    public var isUTF8: Bool

    /// An environment, for tests.
    public init(
        term: String, colorTerm: String = "", isTmux: Bool = false, isScreen: Bool = false,
        hasMoshMark: Bool = false, isRemote: Bool = false, isUTF8: Bool = true
    ) {
        self.term = term
        self.colorTerm = colorTerm
        self.isTmux = isTmux
        self.isScreen = isScreen
        self.hasMoshMark = hasMoshMark
        self.isRemote = isRemote
        self.isUTF8 = isUTF8
    }

    /// That of the process.
    public static var current: TerminalEnvironment {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(value).first { !$0.isEmpty } ?? ""
        let folded = locale.lowercased()
        return TerminalEnvironment(
            term: value("TERM"), colorTerm: value("COLORTERM"), isTmux: !value("TMUX").isEmpty,
            isScreen: !value("STY").isEmpty, hasMoshMark: value("NCURSES_NO_UTF8_ACS") == "1",
            isRemote: !value("SSH_CONNECTION").isEmpty || !value("SSH_TTY").isEmpty,
            isUTF8: folded.hasPart("utf-8") || folded.hasPart("utf8"))
    }
}
