/// What stands between the program and the screen that people see.
public enum TerminalMultiplexer: Hashable, Sendable {
    /// Nothing known.
    case none
    /// tmux.
    case tmux
    /// GNU screen.
    case screen
    /// mosh, which sends states of the screen, not bytes.
    case mosh
}

/// How colours can be given to a terminal.
public enum TerminalColorDepth: Int, Hashable, Sendable, Comparable {
    /// Not at all.
    case mono
    /// The 16 of the ANSI sequences.
    case ansi16
    /// The 256 of xterm's palette.
    case palette256
    /// Red, green and blue.
    case trueColor

    /// Fewer colours come first.
    public static func < (left: TerminalColorDepth, right: TerminalColorDepth) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What a terminal was found to be, by its own answers first and by names where it gives none.
///
/// Pure: environment, terminfo and answers go in.
public struct TerminalCapabilities: Hashable, Sendable {
    /// What the environment says.
    public var environment: TerminalEnvironment
    /// What the terminfo database says of `TERM`.
    public var terminfo: Terminfo
    /// Whether the terminal has answered DA1, the last of the queries: nothing more will come.
    public private(set) var hasAnswered = false
    /// From the queries to the answer of the last; nil while there is none.
    public internal(set) var roundTrip: Duration?
    /// DA1: the class, then the extensions.
    public private(set) var attributes: [Int] = []
    /// DA2: type, version, and something.
    public private(set) var secondaryAttributes: [Int] = []
    /// XTVERSION: name and version in the terminal's own words.
    public private(set) var version: String?
    /// Whether the terminal knows synchronized output (mode 2026).
    public private(set) var hasSynchronizedOutput = false
    /// Whether the terminal understands kitty's graphics protocol.
    public private(set) var hasKittyGraphics = false
    /// Colour registers for sixel; nil where the terminal does not say.
    public private(set) var sixelRegisters: Int?
    /// The largest sixel picture; nil where the terminal does not say.
    public private(set) var sixelLimit: TerminalPixelSize?
    /// A cell in pixels as told by `CSI 16 t`.
    public private(set) var reportedCellSize: TerminalPixelSize?
    /// The text area in pixels as told by `CSI 14 t`.
    public private(set) var reportedAreaSize: TerminalPixelSize?
    /// The text area in cells as told by `CSI 18 t`.
    public private(set) var reportedCells: TerminalSize?
    /// Whether a direct colour was set and read back.
    public private(set) var hasProvenTrueColor = false

    /// What is known before the terminal has said anything.
    public init(environment: TerminalEnvironment, terminfo: Terminfo) {
        self.environment = environment
        self.terminfo = terminfo
    }

    /// Takes an answer of the terminal into account.
    public mutating func take(_ reply: TerminalReply) {
        switch reply {
        case .primaryAttributes(let numbers):
            attributes = numbers
            hasAnswered = true
        case .secondaryAttributes(let numbers): secondaryAttributes = numbers
        case .version(let text): version = text
        case .mode(2026, let value): hasSynchronizedOutput = (1...3).contains(value)
        case .kittyGraphics(let keys, let message):
            if keys.split(separator: ",").contains("i=31") { hasKittyGraphics = message == "OK" }
        case .graphics(item: 1, status: 0, let values):
            if let count = values.first, count >= 2 { sixelRegisters = count }
        case .graphics(item: 2, status: 0, let values):
            if values.count >= 2, values[0] > 0, values[1] > 0 {
                sixelLimit = TerminalPixelSize(width: values[0], height: values[1])
            }
        case .cellSize(let size): reportedCellSize = size.isPlausibleCell ? size : nil
        case .areaSize(let size):
            reportedAreaSize = size.width > 0 && size.height > 0 ? size : nil
        case .areaCells(let rows, let columns):
            guard rows > 0, columns > 0 else { break }
            reportedCells = TerminalSize(columns: columns, rows: rows)
        case .setting(let text):
            if text.hasPart("48:2") || text.hasPart("48;2") {
                hasProvenTrueColor = text.hasSuffix("1:2:3m") || text.hasSuffix("1;2;3m")
            }
        default: break
        }
    }

    /// What stands between.
    ///
    /// tmux names itself; over SSH its `TERM` may be screen's.
    public var multiplexer: TerminalMultiplexer {
        let term = environment.term
        if let version {
            return version.hasPrefix("tmux") ? .tmux : environment.isScreen ? .screen : .none
        }
        if environment.isTmux || term.hasPrefix("tmux") { return .tmux }
        if environment.isScreen || term.hasPrefix("screen") { return .screen }
        // mosh's own answers: a VT220 without extensions, an xterm of version 10.
        if environment.hasMoshMark, attributes.isEmpty || attributes == [62] { return .mosh }
        return .none
    }

    /// Whether sixel pictures are shown: DA1 lists extension 4.
    ///
    /// The first number is the class, not an extension.
    public var hasSixel: Bool { attributes.dropFirst().contains(4) }

    /// How colours can be given.
    public var colorDepth: TerminalColorDepth {
        if hasProvenTrueColor || terminfo.hasDirectColor { return .trueColor }
        let colors = terminfo.colors ?? (terminfo.isKnown ? 0 : 256)
        let byTerminfo: TerminalColorDepth =
            colors >= 1 << 24
            ? .trueColor : colors >= 256 ? .palette256 : colors >= 8 ? .ansi16 : .mono
        // Screen hands COLORTERM through to what runs in it, and takes no direct colours before version 5.
        if multiplexer == .screen { return min(byTerminfo, .palette256) }
        if environment.colorTerm == "truecolor" || environment.colorTerm == "24bit" {
            return .trueColor
        }
        if let version, Self.directColorNames.contains(where: { version.hasPrefix($0) }) {
            return .trueColor
        }
        if Self.directColorTerms.contains(where: { environment.term.hasPrefix($0) }) {
            return .trueColor
        }
        return byTerminfo
    }

    /// A cell in pixels at a size of the terminal; nil where nothing plausible was told.
    ///
    /// The terminal's own word on its cells is exact; the kernel's size is newer after a change of font, so it wins
    /// where both cannot be true.
    public func cellSize(at size: TerminalSize) -> TerminalPixelSize? {
        let derived = size.cellSize
        if let reported = reportedCellSize {
            guard let derived else { return reported }
            // Dividing rounds down, and some count margins in: a pixel either way is the same cell.
            let agrees =
                abs(reported.width - derived.width) <= 1
                && abs(reported.height - derived.height) <= 1
            return agrees ? reported : derived
        }
        if let derived { return derived }
        guard let area = reportedAreaSize else { return nil }
        return TerminalSize(columns: size.columns, rows: size.rows, pixels: area).cellSize
    }

    /// Terminals that take direct colours and answer XTVERSION.
    ///
    /// `COLORTERM` does not cross SSH; this does.
    private static let directColorNames = [
        "kitty", "WezTerm", "ghostty", "foot", "iTerm2", "Konsole", "VTE", "contour", "mintty",
        "mlterm", "XTerm", "xterm.js", "tmux", "Rio", "rio", "WindowsTerminal", "Black Box",
    ]

    /// Names of `TERM` that only terminals with direct colours have.
    private static let directColorTerms = [
        "alacritty", "xterm-kitty", "xterm-ghostty", "ghostty", "foot", "wezterm", "contour",
        "mintty", "iterm2", "konsole-direct", "rio",
    ]
}
