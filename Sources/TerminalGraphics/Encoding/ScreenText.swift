/// One line of text on the screen: a status line, a row of an overlay.
public struct ScreenText: Hashable, Sendable {
    /// How it looks.
    public enum Style: UInt8, Hashable, Sendable {
        /// The terminal's own colours.
        case plain
        /// Colours exchanged.
        case inverse
        /// Bold.
        case bold
        /// Faint.
        case dim
    }

    /// The row, from 0; text outside the screen is left out.
    public var row: Int
    /// The column of the first character, from 0.
    public var column: Int
    /// Cells that are the text's own: filled up with spaces, clipped at the end; nil: as many as the text needs.
    public var width: Int?
    /// What it says.
    ///
    /// Control and invisible characters are never sent.
    public var text: String
    /// How it looks.
    public var style: Style

    /// Makes a line of text.
    public init(
        row: Int, column: Int = 0, width: Int? = nil, _ text: String, style: Style = .plain
    ) {
        self.row = row
        self.column = column
        self.width = width
        self.text = text
        self.style = style
    }
}
