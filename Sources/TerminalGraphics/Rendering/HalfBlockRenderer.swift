/// Two dots a cell, one above the other, each with a colour of its own.
public final class HalfBlockRenderer: SourceRenderer {
    /// What the renderer was made with.
    public let options: RendererOptions
    private let stage: ScalingStage
    private let reduced: ReducedCells?
    private var pool = RenderedPicturePool()

    /// Makes a renderer.
    public init(options: RendererOptions) {
        self.options = options
        reduced =
            options.colorDepth == .truecolor
            ? nil : ReducedCells(.half, options.colorDepth, options.dither)
        stage = ScalingStage(options: options, dotsPerCell: GlyphSet.half.dotsPerCell)
    }

    /// See ``PictureRenderer``.
    public func forgetPrevious() { stage.forgetPrevious() }

    package func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture {
        let layout = try stage.scale(source, sampleAspectRatio: sampleAspectRatio)
        let picture = pool.take(layout: layout, content: .cells(.half))
        picture.colorDepth = options.colorDepth
        picture.prepareCells()
        if let reduced {
            reduced.draw(stage.planes, layout, into: &picture.cells)
            return picture
        }
        drawHalfBlocks(stage.planes, layout, into: &picture.cells)
        return picture
    }
}

/// Fills the picture's cells; a last row of which only the upper half is picture has the terminal's colour below.
private func drawHalfBlocks(
    _ planes: RGBPlanes, _ layout: PictureLayout, into cells: inout [Cell]
) {
    let area = layout.cells
    let columns = layout.area.columns
    let dotRows = planes.size.height
    cells.withUnsafeMutableBufferPointer { cells in
        for row in 0..<area.height {
            let upper = row * 2 * planes.stride
            let out = cells.baseAddress! + (area.y + row) * columns + area.x
            guard row * 2 + 1 < dotRows else {
                for x in 0..<area.width {
                    out[x] = Cell(
                        pattern: 1, foreground: color(planes, upper + x),
                        background: Cell.defaultColor)
                }
                continue
            }
            let red = planes.red + upper
            let green = planes.green + upper
            let blue = planes.blue + upper
            let stride = planes.stride
            for x in 0..<area.width {
                let top = UInt32(red[x]) << 16 | UInt32(green[x]) << 8 | UInt32(blue[x])
                let bottom =
                    UInt32(red[x + stride]) << 16 | UInt32(green[x + stride]) << 8
                    | UInt32(blue[x + stride])
                out[x] = Cell(
                    pattern: top == bottom ? 0 : 1, foreground: top, background: bottom)
            }
        }
    }
}

@inline(__always)
private func color(_ planes: RGBPlanes, _ offset: Int) -> UInt32 {
    UInt32(planes.red[offset]) << 16 | UInt32(planes.green[offset]) << 8
        | UInt32(planes.blue[offset])
}
