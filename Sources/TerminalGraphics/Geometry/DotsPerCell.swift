/// How many dots of picture a renderer draws in one cell.
public struct DotsPerCell: Hashable, Sendable {
    /// Dots across.
    public let columns: Int
    /// Dots down.
    public let rows: Int

    /// Makes a number of dots.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    package var count: Int { columns * rows }
}
