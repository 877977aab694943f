import Glibc
import Playback
import Terminal
import TerminalGraphics

/// `--test-pattern`: glyphs, colours and a circle, to be looked at.
enum TestPatternCommand {
    /// - Returns: The exit status.
    static func run(_ options: Options) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var renderer = RendererOptions(
            area: TerminalGrid(columns: 80, rows: 24), cellSize: options.cellSize ?? .assumed,
            colorDepth: options.colorDepth ?? .truecolor, dither: options.dither)
        var images: [RendererKind] = []
        if isatty(STDOUT_FILENO) == 1 {
            do throws(TerminalError) {
                let found = try FoundTerminal.ask()
                let capabilities = found.capabilities
                renderer.cellSize = options.cellSize ?? found.cellSize.map { .init($0) } ?? .assumed
                renderer.colorDepth = options.colorDepth ?? ColorDepth(capabilities.colorDepth)
                if capabilities.hasSixel { images.append(.sixel) }
                if capabilities.hasKittyGraphics { images.append(.kitty) }
            } catch {
                Output.complain("--test-pattern: \(error)")
                return 1
            }
        }
        var output = Output(descriptor: STDOUT_FILENO)
        do throws(RenderError) {
            let page = try TestPattern(options: renderer, images: images).make()
            output.append { $0.append(contentsOf: page) }
        } catch {
            Output.complain("--test-pattern: \(error)")
            return 1
        }
        output.flush()
        if let code = output.failure {
            Output.complain(writing: code)
            return 1
        }
        return 0
    }
}
