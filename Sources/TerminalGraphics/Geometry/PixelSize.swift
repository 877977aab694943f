/// A size in pixels or dots.
public struct PixelSize: Hashable, Sendable {
    /// Across.
    public var width: Int
    /// Down.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
