/// What all renderers are told.
public struct RendererOptions: Hashable, Sendable {
    /// The cells that the picture may use, from the screen's top left.
    public var area: TerminalGrid
    /// The cells' size in pixels.
    public var cellSize: CellSize
    /// How the picture is fitted into them.
    public var fit: Fit
    /// Colours of cells; images have their own.
    public var colorDepth: ColorDepth
    /// How colours that cannot be shown are approached.
    public var dither: Dither
    /// The matrix, whatever the stream says; nil: the stream's.
    public var matrix: ColorMatrix?
    /// The range, whatever the stream says; nil: the stream's.
    public var range: ColorRange?
    /// The most pixels that the terminal takes for an image (XTSMGRAPHICS); nil: not known.
    public var maximumImageSize: PixelSize?
    /// The most colour registers for sixels, 2 to 256.
    public var maximumRegisterCount: Int
    /// How many of the cells' dots, across and down, each dot of the picture takes: 1 draws them all, more cost less to send.
    public var coarseness = 1
    /// How many times smaller the picture is than it could be, across and down, in the middle of its area.
    public var shrinking = 1

    /// Makes options; all but the area have defaults that suit most.
    public init(
        area: TerminalGrid, cellSize: CellSize = .assumed, fit: Fit = .contain,
        colorDepth: ColorDepth = .truecolor, dither: Dither = .automatic,
        matrix: ColorMatrix? = nil,
        range: ColorRange? = nil, maximumImageSize: PixelSize? = nil,
        maximumRegisterCount: Int = 256
    ) {
        self.area = area
        self.cellSize = cellSize
        self.fit = fit
        self.colorDepth = colorDepth
        self.dither = dither
        self.matrix = matrix
        self.range = range
        self.maximumImageSize = maximumImageSize
        self.maximumRegisterCount = maximumRegisterCount
    }
}
