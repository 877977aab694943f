/// A number of character cells, across and down.
public struct TerminalGrid: Hashable, Sendable {
    /// Cells in a row, at least 1.
    public let columns: Int
    /// Rows, at least 1.
    public let rows: Int

    /// Makes a grid; less than 1 becomes 1, more than 4096 becomes 4096.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 4096)
        self.rows = min(max(rows, 1), 4096)
    }

    var cellCount: Int { columns * rows }
}
