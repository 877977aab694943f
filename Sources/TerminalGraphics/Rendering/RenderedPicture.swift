// SAFETY: only its renderer writes to it, and only while the renderer's is the sole reference; after that it is read only.

/// A picture ready to be put on a screen: cells, or the pixels of an image as sixels or kitty graphics.
///
/// Renderers use each object again once nobody else holds it.
public final class RenderedPicture: @unchecked Sendable {
    package enum Content: Sendable {
        case cells(GlyphSet)
        case sixel
        case kitty
    }

    /// Where the picture lies.
    public internal(set) var layout: PictureLayout
    package internal(set) var content: Content
    package var colorDepth = ColorDepth.truecolor
    /// All cells of the layout's area, row by row; those beside the picture are blank.
    package var cells: [Cell] = []
    /// The layout for which the cells beside the picture were blanked.
    var preparedLayout: PictureLayout?
    var sixel = SixelImage()
    var kitty = KittyImage()

    package init(layout: PictureLayout, content: Content) {
        self.layout = layout
        self.content = content
    }

    /// The cells the picture may use: what it was rendered for.
    public var area: TerminalGrid { layout.area }
}
