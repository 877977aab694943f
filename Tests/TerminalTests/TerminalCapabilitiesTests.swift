import Terminal
import Testing

@Suite("Terminal capabilities")
struct TerminalCapabilitiesTests {
    static func found(
        _ replies: TerminalReply..., term: String = "xterm-256color", color: String = "",
        tmux: Bool = false, screen: Bool = false, mosh: Bool = false, terminfo: Terminfo? = nil
    ) -> TerminalCapabilities {
        var result = TerminalCapabilities(
            environment: TerminalEnvironment(
                term: term, colorTerm: color, isTmux: tmux, isScreen: screen, hasMoshMark: mosh),
            terminfo: terminfo ?? Terminfo(isKnown: true, colors: 256))
        for reply in replies { result.take(reply) }
        return result
    }

    @Test func `sixel is extension 4, not class 4`() {
        #expect(Self.found(.primaryAttributes([62, 4, 22])).hasSixel)
        #expect(!Self.found(.primaryAttributes([4, 6])).hasSixel)
        #expect(!Self.found(.primaryAttributes([62, 22])).hasSixel)
        #expect(!Self.found().hasSixel)
    }

    @Test("mode 2026", arguments: [(0, false), (1, true), (2, true), (3, true), (4, false)])
    func synchronized(value: Int, expected: Bool) {
        #expect(Self.found(.mode(2026, value: value)).hasSynchronizedOutput == expected)
        #expect(!Self.found(.mode(7, value: value)).hasSynchronizedOutput)
    }

    @Test func `kitty graphics need an OK to our own question`() {
        #expect(Self.found(.kittyGraphics(keys: "i=31", message: "OK")).hasKittyGraphics)
        #expect(!Self.found(.kittyGraphics(keys: "i=31", message: "EINVAL")).hasKittyGraphics)
        #expect(!Self.found(.kittyGraphics(keys: "i=1", message: "OK")).hasKittyGraphics)
    }

    @Test func `multiplexers are known by their own answer, then by names`() {
        #expect(Self.found(tmux: true).multiplexer == .tmux)
        #expect(Self.found(term: "tmux-256color").multiplexer == .tmux)
        #expect(Self.found(.version("tmux 3.3a"), term: "screen-256color").multiplexer == .tmux)
        #expect(Self.found(term: "screen-256color").multiplexer == .screen)
        #expect(Self.found(screen: true).multiplexer == .screen)
        #expect(Self.found(.primaryAttributes([62]), mosh: true).multiplexer == .mosh)
        #expect(
            Self.found(.version("kitty(1)"), .primaryAttributes([62]), mosh: true).multiplexer
                == .none)
        #expect(Self.found().multiplexer == .none)
    }

    @Test func `colours by proof, then names, then terminfo`() {
        #expect(Self.found(.setting("48:2:1:2:3m")).colorDepth == .trueColor)
        #expect(Self.found(.setting("0;48:2::1:2:3m")).colorDepth == .trueColor)
        #expect(Self.found(.setting("48:5:16m")).colorDepth == .palette256)
        #expect(Self.found(color: "truecolor").colorDepth == .trueColor)
        #expect(Self.found(.version("foot(1.16)")).colorDepth == .trueColor)
        #expect(
            Self.found(term: "xterm-kitty", terminfo: Terminfo(isKnown: false)).colorDepth
                == .trueColor)
        #expect(
            Self.found(term: "nobody", terminfo: Terminfo(isKnown: false)).colorDepth == .palette256
        )
        #expect(
            Self.found(term: "linux", terminfo: Terminfo(isKnown: true, colors: 8)).colorDepth
                == .ansi16)
        #expect(Self.found(term: "vt100", terminfo: Terminfo(isKnown: true)).colorDepth == .mono)
        #expect(Self.found(term: "screen", color: "truecolor").colorDepth == .palette256)
    }

    @Test func `limits of sixel count only when told with success`() {
        let found = Self.found(
            .graphics(item: 1, status: 0, values: [256]),
            .graphics(item: 2, status: 0, values: [1000, 800]))
        #expect(found.sixelRegisters == 256)
        #expect(found.sixelLimit == TerminalPixelSize(width: 1000, height: 800))
        let failed = Self.found(
            .graphics(item: 1, status: 3, values: [0]),
            .graphics(item: 2, status: 0, values: [0, 0]))
        #expect(failed.sixelRegisters == nil && failed.sixelLimit == nil)
    }

    @Test func `the cell is the terminal's own word unless the kernel's newer one contradicts`() {
        let plain = TerminalSize(columns: 100, rows: 50)
        let pixels = TerminalSize(
            columns: 100, rows: 50, pixels: TerminalPixelSize(width: 1000, height: 1000))
        let cell = TerminalPixelSize(width: 9, height: 18)
        #expect(Self.found().cellSize(at: plain) == nil)
        #expect(Self.found().cellSize(at: pixels) == TerminalPixelSize(width: 10, height: 20))
        #expect(Self.found(.cellSize(cell)).cellSize(at: plain) == cell)
        #expect(
            Self.found(.cellSize(cell)).cellSize(at: pixels)
                == TerminalPixelSize(width: 10, height: 20))
        let exact = TerminalPixelSize(width: 10, height: 21)
        #expect(Self.found(.cellSize(exact)).cellSize(at: pixels) == exact)
        #expect(
            Self.found(.areaSize(TerminalPixelSize(width: 800, height: 800))).cellSize(at: plain)
                == TerminalPixelSize(width: 8, height: 16))
        #expect(
            Self.found(.cellSize(TerminalPixelSize(width: 0, height: 0))).cellSize(at: plain) == nil
        )
    }

    @Test(
        "pixel sizes that cannot be",
        arguments: [
            (0, 0), (80, 24), (1, 1), (65535, 65535), (8000, 384), (640, 0),
        ])
    func implausible(width: Int, height: Int) {
        let size = TerminalSize(
            columns: 80, rows: 24, pixels: TerminalPixelSize(width: width, height: height))
        #expect(size.pixels == nil)
        #expect(size.cellSize == nil)
    }

    @Test func `terminfo knows who cannot address the cursor`() {
        #expect(!Terminfo(term: "dumb").canAddressCursor)
        #expect(!Terminfo(term: "").canAddressCursor)
        let xterm = Terminfo(term: "xterm-256color")
        #expect(xterm.isKnown && xterm.canAddressCursor && xterm.hasAlternateScreen)
        #expect(xterm.colors == 256)
        let unknown = Terminfo(term: "no-such-terminal")
        #expect(!unknown.isKnown && unknown.canAddressCursor)
        #expect(!Terminfo(term: "linux").hasAlternateScreen)
    }
}
