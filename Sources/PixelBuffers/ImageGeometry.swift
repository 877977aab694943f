/// A size in pixels, which may be fractional.
public struct ImageSize: Hashable, Sendable {
    /// Columns.
    public var width: Double
    /// Rows.
    public var height: Double

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - height: Rows.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// A rectangle in pixels, which may be fractional.
public struct ImageRect: Hashable, Sendable {
    /// Distance of the left edge from the picture's.
    public var x: Double
    /// Distance of the near edge from the origin's edge: bottom or top, as the giver says.
    public var y: Double
    /// Columns.
    public var width: Double
    /// Rows.
    public var height: Double

    /// Creates a rectangle.
    ///
    /// - Parameters:
    ///   - x: Distance of the left edge from the picture's.
    ///   - y: Distance of the near edge from the origin's edge.
    ///   - width: Columns.
    ///   - height: Rows.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}
