import CNcurses
import Glibc

/// What the terminfo database says of a `TERM`.
public struct Terminfo: Hashable, Sendable {
    /// Whether the database has the name.
    ///
    /// Terminals newer than this machine's database are common over SSH.
    public var isKnown: Bool
    /// Whether the cursor can be put anywhere (`cup`); true where the name is not known.
    public var canAddressCursor: Bool
    /// Whether there is an alternate screen (`smcup`); true where the name is not known.
    public var hasAlternateScreen: Bool
    /// The number of colours (`colors`); nil where not known.
    public var colors: Int?
    /// Whether colours are given directly (`RGB` or `Tc`).
    public var hasDirectColor: Bool

    /// An entry, for tests.
    public init(
        isKnown: Bool = false, canAddressCursor: Bool = true, hasAlternateScreen: Bool = true,
        colors: Int? = nil, hasDirectColor: Bool = false
    ) {
        self.isKnown = isKnown
        self.canAddressCursor = canAddressCursor
        self.hasAlternateScreen = hasAlternateScreen
        self.colors = colors
        self.hasDirectColor = hasDirectColor
    }

    /// Looks a name up.
    ///
    /// Not from two threads at once: ncurses keeps the entry in a global variable.
    public init(term: String) {
        self.init()
        var status: Int32 = 0
        guard !term.isEmpty, setupterm(term, STDOUT_FILENO, &status) == OK else {
            // 0 is also the answer for generic entries, "dumb" among them, of which nothing was read.
            if term == "dumb" || term == "unknown" || term.isEmpty {
                isKnown = !term.isEmpty
                canAddressCursor = false
                hasAlternateScreen = false
            }
            return
        }
        defer { _ = del_curterm(set_curterm(nil)) }
        isKnown = true
        canAddressCursor = Self.hasString("cup") && !Self.hasFlag("hc")
        hasAlternateScreen = Self.hasString("smcup")
        let number = tigetnum("colors")
        colors = number >= 0 ? Int(number) : nil
        hasDirectColor = Self.hasFlag("RGB") || Self.hasFlag("Tc") || tigetnum("RGB") > 0
    }

    private static func hasString(_ name: String) -> Bool {
        // Absent is nil; not a string capability is the pointer -1.
        guard let value = tigetstr(name) else { return false }
        return Int(bitPattern: value) != -1
    }

    private static func hasFlag(_ name: String) -> Bool { tigetflag(name) > 0 }
}
