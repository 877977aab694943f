/// Cells of several dots in two colours: quadrants, sextants, octants, braille.
public final class PatternRenderer: SourceRenderer {
    /// What the renderer was made with.
    public let options: RendererOptions
    private let stage: ScalingStage
    private let search: PatternSearch
    private let reduced: ReducedCells?
    private var pool = RenderedPicturePool()

    package init(_ glyphSet: GlyphSet, options: RendererOptions) {
        self.options = options
        reduced =
            options.colorDepth == .truecolor
            ? nil : ReducedCells(glyphSet, options.colorDepth, options.dither)
        stage = ScalingStage(options: options, dotsPerCell: glyphSet.dotsPerCell)
        search = PatternSearch(glyphSet: glyphSet)
    }

    /// See ``PictureRenderer``.
    public func forgetPrevious() { stage.forgetPrevious() }

    package func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture {
        let layout = try stage.scale(source, sampleAspectRatio: sampleAspectRatio)
        stage.planes.fillCells(of: stage.dotsPerCell)
        let picture = pool.take(layout: layout, content: .cells(search.glyphSet))
        picture.colorDepth = options.colorDepth
        picture.prepareCells()
        if let reduced {
            reduced.draw(stage.planes, layout, into: &picture.cells)
            return picture
        }
        draw(layout, into: &picture.cells)
        return picture
    }

    private func draw(_ layout: PictureLayout, into cells: inout [Cell]) {
        let area = layout.cells
        let columns = layout.area.columns
        let rows = stage.dotsPerCell.rows
        cells.withUnsafeMutableBufferPointer { cells in
            for row in 0..<area.height {
                let out = cells.baseAddress! + (area.y + row) * columns + area.x
                for x in 0..<area.width {
                    let dots = Self.dots(stage.planes, x: x * 2, y: row * rows, rows: rows)
                    out[x] = search.cell(for: dots)
                }
            }
        }
    }

    /// The dots of a cell of two columns.
    @inline(__always)
    static func dots(_ planes: RGBPlanes, x: Int, y: Int, rows: Int) -> PatternSearch.Dots {
        var dots = PatternSearch.Dots(repeating: .zero)
        let red = planes.red
        let green = planes.green
        let blue = planes.blue
        let stride = planes.stride
        for row in 0..<rows {
            let at = (y &+ row) &* stride &+ x
            dots[row &* 2] = SIMD4(Float(red[at]), Float(green[at]), Float(blue[at]), 0)
            dots[row &* 2 &+ 1] = SIMD4(
                Float(red[at &+ 1]), Float(green[at &+ 1]), Float(blue[at &+ 1]), 0)
        }
        return dots
    }
}
