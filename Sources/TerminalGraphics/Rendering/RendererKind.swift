/// The ways to draw a picture, best last among those of cells.
public enum RendererKind: String, CaseIterable, Hashable, Sendable {
    /// ▀ in two colours: two dots a cell.
    case half
    /// Quarters of a cell: four dots, two colours.
    case quadrant
    /// Six dots a cell, two colours (Unicode 13).
    case sextant
    /// Eight dots a cell, two colours (Unicode 16).
    case octant
    /// Braille: eight dots a cell, drawn with gaps.
    case braille
    /// Printable ASCII.
    case ascii
    /// An image of up to 256 colours, as VT340 and many others take it.
    case sixel
    /// An image of all colours, in kitty's protocol.
    case kitty

    /// Whether the picture is pixels, not characters.
    public var isImage: Bool { self == .sixel || self == .kitty }

    /// Makes a renderer of this kind.
    ///
    /// - Parameter options: What it is to draw for. Sixels should be given an area that leaves out the screen's last row.
    /// - Returns: The renderer, for one thread at a time.
    public func makeRenderer(options: RendererOptions) -> any PictureRenderer {
        makeSourceRenderer(options: options)
    }

    package func makeSourceRenderer(options: RendererOptions) -> any SourceRenderer {
        switch self {
        case .sixel: SixelRenderer(options: options)
        case .quadrant: PatternRenderer(.quadrant, options: options)
        case .sextant: PatternRenderer(.sextant, options: options)
        case .octant: PatternRenderer(.octant, options: options)
        case .braille: PatternRenderer(.braille, options: options)
        case .half: HalfBlockRenderer(options: options)
        case .ascii: ASCIIRenderer(options: options)
        case .kitty: KittyRenderer(options: options)
        }
    }
}
