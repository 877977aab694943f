/// Where a picture goes: which part of it, to which dots.
///
/// Pure geometry. The picture's rectangle begins on a cell boundary, so only cells at its right and bottom edges can be
/// covered in part; it is centred as well as that allows.
public struct PictureLayout: Hashable, Sendable {
    /// The cells that the picture may use.
    public let area: TerminalGrid
    /// Pixels in a cell.
    public let cellSize: CellSize
    /// Dots in a cell.
    public let dotsPerCell: DotsPerCell
    /// The part of the source that is shown, in its pixels; `x` and `y` are even, for subsampled chroma.
    public let sourceCrop: PixelRectangle
    /// The dots that show it, counted from the area's top left.
    public let destination: PixelRectangle

    /// Fits a picture into cells.
    ///
    /// - Parameters:
    ///   - sourceSize: The picture after cropping, in luma samples, at least 1 × 1.
    ///   - sampleAspectRatio: The shape of its samples.
    ///   - area: The cells to fit it into.
    ///   - cellSize: The cells' size in pixels.
    ///   - fit: How.
    ///   - dotsPerCell: The renderer's dots.
    ///   - maximumSize: The most dots that the picture may have in each direction; nil: as many as there are.
    public init(
        sourceSize: PixelSize, sampleAspectRatio: SampleAspectRatio = .square, area: TerminalGrid,
        cellSize: CellSize, fit: Fit = .contain, dotsPerCell: DotsPerCell,
        maximumSize: PixelSize? = nil
    ) {
        let source = PixelSize(
            width: max(sourceSize.width, 1), height: max(sourceSize.height, 1))
        let whole = PixelSize(
            width: area.columns * dotsPerCell.columns, height: area.rows * dotsPerCell.rows)
        let canvas = PixelSize(
            width: min(whole.width, max(maximumSize?.width ?? .max, 1)),
            height: min(whole.height, max(maximumSize?.height ?? .max, 1)))
        // One dot, and the whole area, in pixels of the terminal.
        let dotWidth = Double(cellSize.width) / Double(dotsPerCell.columns)
        let dotHeight = Double(cellSize.height) / Double(dotsPerCell.rows)
        let areaWidth = Double(canvas.width) * dotWidth
        let areaHeight = Double(canvas.height) * dotHeight
        let shownWidth =
            Double(source.width) * Double(sampleAspectRatio.width)
            / Double(sampleAspectRatio.height)
        let shownHeight = Double(source.height)

        var crop = PixelRectangle(x: 0, y: 0, width: source.width, height: source.height)
        var size = canvas
        switch fit {
        case .fill:
            break
        case .contain:
            size = Self.contained(
                aspect: (shownWidth / dotWidth) / (shownHeight / dotHeight), in: canvas)
        case .cover:
            let scale = max(areaWidth / shownWidth, areaHeight / shownHeight)
            crop = Self.crop(
                source, across: areaWidth / (shownWidth * scale),
                down: areaHeight / (shownHeight * scale))
        case .none:
            crop = Self.crop(
                source, across: areaWidth / shownWidth, down: areaHeight / shownHeight)
            let width = min(areaWidth, shownWidth) / dotWidth
            let height = min(areaHeight, shownHeight) / dotHeight
            size = PixelSize(
                width: min(max(Int(width.rounded()), 1), canvas.width),
                height: min(max(Int(height.rounded()), 1), canvas.height))
        }

        let x = (whole.width - size.width) / 2
        let y = (whole.height - size.height) / 2
        self.area = area
        self.cellSize = cellSize
        self.dotsPerCell = dotsPerCell
        self.sourceCrop = crop
        self.destination = PixelRectangle(
            x: x - x % dotsPerCell.columns, y: y - y % dotsPerCell.rows, width: size.width,
            height: size.height)
    }

    /// The cells that hold at least one dot of the picture.
    public var cells: PixelRectangle {
        let x = destination.x / dotsPerCell.columns
        let y = destination.y / dotsPerCell.rows
        let right = destination.x + destination.width + dotsPerCell.columns - 1
        let bottom = destination.y + destination.height + dotsPerCell.rows - 1
        return PixelRectangle(
            x: x, y: y, width: right / dotsPerCell.columns - x,
            height: bottom / dotsPerCell.rows - y)
    }

    /// The largest whole number of dots whose shape is right.
    ///
    /// Where rounding the short side bends the picture by more than 0.5 %, up to 3 % of size are given up for a better pair.
    private static func contained(aspect: Double, in canvas: PixelSize) -> PixelSize {
        let limitedByWidth = aspect * Double(canvas.height) >= Double(canvas.width)
        let long = limitedByWidth ? canvas.width : canvas.height
        let shortLimit = limitedByWidth ? canvas.height : canvas.width
        let ratio = limitedByWidth ? 1 / aspect : aspect
        var best = (long: long, short: 1, error: Double.infinity)
        for candidate in stride(from: long, through: max(long - long * 3 / 100, 1), by: -1) {
            let exact = Double(candidate) * ratio
            let short = min(max(Int(exact.rounded()), 1), shortLimit)
            let error = abs(Double(short) / exact - 1)
            if error < best.error { best = (candidate, short, error) }
            if best.error <= 0.005 { break }
        }
        return limitedByWidth
            ? PixelSize(width: best.long, height: best.short)
            : PixelSize(width: best.short, height: best.long)
    }

    /// The middle of the source, of the given share in each direction (1 or more: all of it).
    private static func crop(_ source: PixelSize, across: Double, down: Double) -> PixelRectangle {
        func part(_ length: Int, _ share: Double) -> (start: Int, length: Int) {
            guard share < 1 else { return (0, length) }
            let kept = min(max(Int((Double(length) * share).rounded()), 1), length)
            return ((length - kept) / 2 & ~1, kept)
        }
        let (x, width) = part(source.width, across)
        let (y, height) = part(source.height, down)
        return PixelRectangle(x: x, y: y, width: width, height: height)
    }
}
