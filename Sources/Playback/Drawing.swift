public import Terminal
public import TerminalGraphics

/// With what, and how large, pictures are drawn at a moment: options, terminal and its size put together.
struct Drawing: Hashable, Sendable {
    /// Nil draws no pictures.
    var kind: RendererKind?
    /// All cells that are drawn in.
    var grid: TerminalGrid
    /// What the renderer is told; its area leaves out the status line.
    var renderer: RendererOptions
    /// The row of the status line; nil where there is none.
    var statusRow: Int?
    /// Whether pictures become text by themselves, whatever came before.
    var isPlain: Bool
    /// What the encoder is told.
    var encoder: ScreenEncoder.Options
    /// The ways to draw for a slow link; only the first where nothing may be left out.
    private(set) var ladder: [PictureDetail] = [.exact]
    /// The ladder's tolerances.
    private(set) var tolerances = [0]
    /// How long the terminal took to answer.
    private(set) var roundTrip: Duration?

    /// Puts together what is asked for and what the terminal can do.
    ///
    /// - Parameters:
    ///   - options: What is asked for.
    ///   - chosen: The renderer that a key chose.
    ///   - terminal: The terminal; nil where there is none.
    init(_ options: PlaybackOptions, chosen: RendererKind?, terminal: Terminal?) {
        isPlain = terminal == nil
        let size = terminal?.size
        let capabilities = terminal?.capabilities
        let cell = options.cellSize ?? terminal?.cellSize.map { CellSize($0) } ?? .assumed
        let whole = size.map { TerminalGrid(columns: $0.columns, rows: $0.rows) }
        grid = options.grid ?? whole ?? Self.plainGrid
        if let whole {
            grid = TerminalGrid(
                columns: min(grid.columns, whole.columns), rows: min(grid.rows, whole.rows))
        }
        let hasStatusLine = options.hasStatusLine && terminal != nil && grid.rows > 1
        statusRow = hasStatusLine ? grid.rows - 1 : nil
        switch options.renderer {
        case .none: kind = nil
        case .kind(let asked): kind = asked
        case .auto: kind = capabilities.map { RendererKind.best(for: $0) } ?? .half
        }
        if let chosen, kind != nil { kind = chosen }
        // An image that touches the last row would scroll the screen.
        let isLastRowFree = hasStatusLine || !(kind?.isImage ?? false) || terminal == nil
        var area = grid
        if hasStatusLine || !isLastRowFree {
            area = TerminalGrid(columns: grid.columns, rows: max(1, grid.rows - 1))
        }
        renderer = RendererOptions(
            area: area, cellSize: cell, fit: options.fit, dither: options.dither,
            matrix: options.matrix, range: options.range)
        encoder = ScreenEncoder.Options()
        if let capabilities {
            roundTrip = capabilities.roundTrip
            renderer.colorDepth = ColorDepth(capabilities.colorDepth)
            renderer.maximumImageSize = capabilities.sixelLimit.map {
                PixelSize(width: $0.width, height: $0.height)
            }
            renderer.maximumRegisterCount = min(max(capabilities.sixelRegisters ?? 256, 2), 256)
            encoder.synchronizedOutput = capabilities.hasSynchronizedOutput
        }
        if let asked = options.colorDepth { renderer.colorDepth = asked }
        if let kind, terminal != nil, !options.isUntimed {
            ladder = PictureDetail.ladder(
                for: kind, renderer.colorDepth,
                standsIn: options.renderer == .auto && chosen == nil,
                keepsColors: options.colorDepth != nil)
            tolerances = ladder.map(\.tolerance)
        }
    }

    /// With what a picture of some detail is drawn.
    func renderer(for detail: PictureDetail) -> (any PictureRenderer)? {
        guard let kind else { return nil }
        var options = renderer
        (options.coarseness, options.shrinking) = (detail.coarseness, detail.shrinking)
        if detail.hasFewerColors {
            (options.colorDepth, options.dither) = (.palette256, .none)
        }
        return (detail.isStandIn ? .half : kind).makeRenderer(options: options)
    }

    /// Where there is no terminal: COLUMNS × LINES, else 80 × 24.
    private static var plainGrid: TerminalGrid {
        TerminalGrid(
            columns: environmentNumber("COLUMNS") ?? 80, rows: environmentNumber("LINES") ?? 24)
    }
}

extension CellSize {
    /// A terminal's cell as renderers know it.
    public init(_ size: TerminalPixelSize) { self.init(width: size.width, height: size.height) }
}

extension ColorDepth {
    /// The terminal's colours as renderers know them.
    public init(_ depth: TerminalColorDepth) {
        switch depth {
        case .mono: self = .mono
        case .ansi16: self = .palette16
        case .palette256: self = .palette256
        case .trueColor: self = .truecolor
        }
    }
}
