import Glibc
import Playback
import Terminal
import TerminalGraphics

/// `--probe-terminal`: what the terminal was found to be, and what that means for pictures.
enum ProbeCommand {
    /// - Returns: The exit status.
    static func run(_ options: Options) -> Int32 {
        guard isatty(STDOUT_FILENO) == 1 else {
            Output.complain("--probe-terminal: standard output is no terminal; run it on one")
            return 1
        }
        do throws(TerminalError) {
            let lines = lines(try FoundTerminal.ask(), options)
            var output = Output(descriptor: STDOUT_FILENO)
            for (name, value) in lines {
                let space = String(repeating: " ", count: max(1, 16 - name.utf8.count))
                output.append("\(name)\(space)\(Printable.text(value))\n")
            }
            output.flush()
            return 0
        } catch {
            Output.complain("--probe-terminal: \(error)")
            return 1
        }
    }

    private static func lines(
        _ found: FoundTerminal, _ options: Options
    ) -> [(name: String, value: String)] {
        let capabilities = found.capabilities
        let environment = capabilities.environment
        let term = environment.term.isEmpty ? "not set" : environment.term
        let known = capabilities.terminfo.isKnown ? "" : " (not in this machine's terminfo)"
        return [
            ("terminal", capabilities.version ?? "does not tell its name (XTVERSION)"),
            ("TERM", term + known),
            ("behind", behind(capabilities)),
            ("answers", answers(capabilities)),
            ("size", "\(found.size.columns) x \(found.size.rows) cells"),
            ("cell", cell(found, options)),
            ("colors", colors(capabilities, options)),
            ("synchronized", capabilities.hasSynchronizedOutput ? "yes (mode 2026)" : "no"),
            ("sixel", sixel(capabilities)),
            ("kitty", capabilities.hasKittyGraphics ? "yes" : "no"),
            ("renderer", renderer(capabilities, options)),
        ]
    }

    private static func behind(_ capabilities: TerminalCapabilities) -> String {
        var names: [String] = []
        switch capabilities.multiplexer {
        case .none: break
        case .tmux: names.append("tmux")
        case .screen: names.append("GNU screen")
        case .mosh: names.append("mosh")
        }
        if capabilities.environment.isRemote { names.append("SSH") }
        return names.isEmpty ? "nothing known of" : names.joined(separator: ", ")
    }

    private static func answers(_ capabilities: TerminalCapabilities) -> String {
        guard capabilities.hasAnswered else { return "none within 1 s: names alone decide" }
        let attributes = capabilities.attributes.map(String.init).joined(separator: ";")
        guard let time = capabilities.roundTrip else { return "DA1 \(attributes)" }
        let microseconds = time / .microseconds(1)
        let text =
            microseconds < 10_000
            ? "\((microseconds / 100).rounded() / 10) ms" : "\(Int(microseconds / 1000)) ms"
        return "DA1 \(attributes), after \(text)"
    }

    private static func cell(_ found: FoundTerminal, _ options: Options) -> String {
        if let asked = options.cellSize {
            return "\(asked.width) x \(asked.height) pixels, by --cell-size"
        }
        guard let size = found.cellSize else {
            return "not told; 8 x 16 pixels assumed, --cell-size sets it"
        }
        let way =
            found.capabilities.reportedCellSize == size
            ? "CSI 16 t" : found.size.pixels != nil ? "the kernel's window size" : "CSI 14 t"
        return "\(size.width) x \(size.height) pixels, by \(way)"
    }

    private static func colors(
        _ capabilities: TerminalCapabilities, _ options: Options
    ) -> String {
        if let asked = options.colorDepth { return "\(asked.rawValue), by --colors" }
        let depth = ColorDepth(capabilities.colorDepth).rawValue
        if capabilities.hasProvenTrueColor { return "\(depth), one set and read back" }
        let hint = capabilities.environment.colorTerm
        return hint.isEmpty ? depth : "\(depth), COLORTERM=\(hint)"
    }

    private static func sixel(_ capabilities: TerminalCapabilities) -> String {
        guard capabilities.hasSixel else {
            return capabilities.hasAnswered ? "no (DA1 lacks 4)" : "no"
        }
        let registers = capabilities.sixelRegisters.map { "\($0) registers" }
        let limit = capabilities.sixelLimit.map { "at most \($0.width) x \($0.height) pixels" }
        return (["yes"] + [registers, limit].compactMap(\.self)).joined(separator: ", ")
    }

    private static func renderer(
        _ capabilities: TerminalCapabilities, _ options: Options
    ) -> String {
        switch options.renderer {
        case .none: return "none, by --renderer"
        case .kind(let kind): return "\(kind.rawValue), by --renderer"
        case .auto:
            let kind = RendererKind.best(for: capabilities)
            let isFar = kind == .sixel && capabilities.hasKittyGraphics
            return isFar ? "sixel (kitty's images are too large across a network)" : kind.rawValue
        }
    }
}
