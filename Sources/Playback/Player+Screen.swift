import Glibc
import MediaTime
import PixelBuffers
import SampleDisplay
import Terminal
import TerminalGraphics

extension Player {
    /// The screen; taken from the shell when first asked for.
    func openScreen() throws(TerminalError) -> Screen {
        if let screen { return screen }
        let (shared, interface, bell, news) = (shared, interface, bell, news)
        let output: any ScreenOutput
        if let terminal {
            terminal.writer.setMaximumRate(options.maximumRate)
            try terminal.enterScreen()
            terminal.requestCapabilities()
            output = TerminalOutput(terminal.writer)
        } else {
            output = PlainOutput(descriptor: STDOUT_FILENO) { code in
                news.update { $0.outputError = code }
                bell.ring()
            }
        }
        var fieldTime: Screen.FieldTime?
        if options.deinterlacing != .weave { fieldTime = { shared.fieldTime(of: $0) } }
        let screen = Screen(
            output: output, maximumRate: options.maximumRate,
            fieldTime: fieldTime,
            text: { picture, field, drawing in
                var status = shared.status(of: picture)
                status.field = field
                return Self.text(status, shared, interface, drawing)
            },
            onShown: { picture in
                if shared.note(shown: picture) { bell.ring() }
            },
            onWritten: {
                // The end waits for what is being written.
                if news.withLock({ $0.hasPresentedLast }) { bell.ring() }
            })
        self.screen = screen
        shared.withLock { $0.screen = screen }
        return screen
    }

    /// Waits for the terminal's answers and begins to draw; later files find all that done.
    func configureFirstTime() {
        guard drawing == nil else { return }
        if options.renderer == .auto || terminal?.cellSize == nil {
            _ = terminal?.awaitCapabilities()
        }
        configure()
    }

    /// Draws as the terminal now is, if that has changed.
    func configure() {
        let new = Drawing(options, chosen: chosenRenderer, terminal: terminal)
        guard new != drawing else { return }
        drawing = new
        shared.withLock { $0.status.renderer = new.kind?.rawValue ?? "none" }
        screen?.configure(new)
    }

    /// The renderers that the terminal may show, in turn.
    func chooseNextRenderer() {
        let capabilities = terminal?.capabilities
        let kinds = RendererKind.allCases.filter { kind in
            switch kind {
            case .sixel: capabilities?.hasSixel ?? false
            case .kitty: capabilities?.hasKittyGraphics ?? false
            default: true
            }
        }
        guard let kind = drawing?.kind, let place = kinds.firstIndex(of: kind) else { return }
        chosenRenderer = kinds[(place + 1) % kinds.count]
        configure()
    }

    /// The text over a picture: the status line, and the overlay of keys.
    private static func text(
        _ status: PlaybackStatus, _ shared: SharedStatus, _ interface: Interface, _ drawing: Drawing
    ) -> [ScreenText] {
        var text: [ScreenText] = []
        if let row = drawing.statusRow {
            let width = drawing.grid.columns
            text.append(
                ScreenText(
                    row: row, width: width, interface.statusLine(status, width), style: .inverse))
        }
        let lines =
            switch shared.withLock({ $0.overlay }) {
            case .keys: interface.keys
            case .information: shared.information
            case nil: [String]()
            }
        if !lines.isEmpty {
            let width = min(drawing.grid.columns, (lines.map(\.count).max() ?? 0) + 2)
            let top = max(0, (drawing.renderer.area.rows - lines.count) / 2)
            let left = max(0, (drawing.grid.columns - width) / 2)
            for (index, line) in lines.enumerated() {
                text.append(
                    ScreenText(row: top + index, column: left, width: width, " " + line))
            }
        }
        return text
    }
}
