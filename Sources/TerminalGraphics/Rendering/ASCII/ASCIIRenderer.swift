/// Printable ASCII characters, chosen by shape and brightness, in two colours.
public final class ASCIIRenderer: SourceRenderer {
    /// What the renderer was made with.
    public let options: RendererOptions
    private let stage: ScalingStage
    private let search = ASCIISearch()
    private let lookup: ColorLookup
    private let firstNumber: UInt32
    private var pool = RenderedPicturePool()

    /// Makes a renderer.
    public init(options: RendererOptions) {
        self.options = options
        stage = ScalingStage(options: options, dotsPerCell: GlyphSet.ascii.dotsPerCell)
        let palette = TerminalPalette.colors(of: options.colorDepth)
        lookup = ColorLookup(palette.colors)
        firstNumber = palette.first
    }

    /// See ``PictureRenderer``.
    public func forgetPrevious() { stage.forgetPrevious() }

    package func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture {
        let layout = try stage.scale(source, sampleAspectRatio: sampleAspectRatio)
        stage.planes.fillCells(of: stage.dotsPerCell)
        let picture = pool.take(layout: layout, content: .cells(.ascii))
        picture.colorDepth = options.colorDepth
        picture.prepareCells()
        let area = layout.cells
        for row in 0..<area.height {
            for column in 0..<area.width {
                let dots = PatternRenderer.dots(stage.planes, x: column * 2, y: row * 4, rows: 4)
                picture.cells[(area.y + row) * layout.area.columns + area.x + column] = cell(dots)
            }
        }
        return picture
    }

    private func cell(_ dots: PatternSearch.Dots) -> Cell {
        switch options.colorDepth {
        case .mono: return search.monochromeCell(for: dots)
        case .truecolor: return search.cell(for: dots)
        case .palette256, .palette16:
            let cell = search.cell(for: dots)
            let foreground = number(cell.foreground)
            let background = number(cell.background)
            return cell.pattern == 0 || foreground == background
                ? Cell(solid: background)
                : Cell(pattern: cell.pattern, foreground: foreground, background: background)
        }
    }

    private func number(_ color: UInt32) -> UInt32 {
        UInt32(
            lookup.index(
                red: Int(color >> 16 & 255), green: Int(color >> 8 & 255), blue: Int(color & 255)))
            + firstNumber
    }
}
