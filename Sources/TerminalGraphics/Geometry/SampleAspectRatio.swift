/// The shape of one luma sample, width to height.
///
/// Source: ITU-T H.264 E.2.1, `sar_width` and `sar_height`.
public struct SampleAspectRatio: Hashable, Sendable {
    /// The sample's width, in any unit.
    public let width: Int
    /// The sample's height, in the same unit.
    public let height: Int

    /// Makes a ratio; one that no camera or encoder means (0, negative, beyond 10 to 1) becomes 1:1.
    public init(width: Int, height: Int) {
        let isSane = width > 0 && height > 0 && width <= 10 * height && height <= 10 * width
        self.width = isSane ? width : 1
        self.height = isSane ? height : 1
    }

    /// 1:1.
    public static let square = SampleAspectRatio(width: 1, height: 1)
}
