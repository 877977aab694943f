/// A width and a height in pixels.
public struct TerminalPixelSize: Hashable, Sendable {
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int

    /// A width and a height in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether a terminal's cell may have this size: 3 to 128 across, 5 to 256 down, neither
    /// wider than high nor more than four times as high as wide.
    ///
    /// Terminals that report millimetres, one pixel, or nonsense exist.
    public var isPlausibleCell: Bool {
        (3...128).contains(width) && (5...256).contains(height) && height >= width
            && height <= 4 * width
    }
}

/// The size of a terminal.
public struct TerminalSize: Hashable, Sendable {
    /// Cells across, at least 1.
    public var columns: Int
    /// Cells down, at least 1.
    public var rows: Int
    /// The pixels of all cells together; nil where the terminal does not say, or says what cannot be.
    public var pixels: TerminalPixelSize?

    /// A size; `pixels` is dropped when no cell can have the size that follows from it.
    public init(columns: Int, rows: Int, pixels: TerminalPixelSize? = nil) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.pixels = pixels
        if cellSize == nil { self.pixels = nil }
    }

    /// A cell in pixels, as the size of all of them has it; nil where that is unknown.
    public var cellSize: TerminalPixelSize? {
        guard let pixels else { return nil }
        let cell = TerminalPixelSize(width: pixels.width / columns, height: pixels.height / rows)
        return cell.isPlausibleCell ? cell : nil
    }
}
