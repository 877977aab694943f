/// The size of one character cell in pixels.
public struct CellSize: Hashable, Sendable {
    /// Pixels across, 1 to 256.
    public let width: Int
    /// Pixels down, 1 to 256.
    public let height: Int

    /// Makes a size; values outside 1 to 256 are clamped.
    public init(width: Int, height: Int) {
        self.width = min(max(width, 1), 256)
        self.height = min(max(height, 1), 256)
    }

    /// What is assumed where the terminal does not say: 8 × 16.
    public static let assumed = CellSize(width: 8, height: 16)
}
