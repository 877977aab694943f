public import PixelBuffers

/// How a picture is fitted into bounds of another shape.
public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
    /// The name of Apple's constant.
    public let rawValue: String
    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The largest size that fits, centred.
    public static let resizeAspect = AVLayerVideoGravity(
        rawValue: "AVLayerVideoGravityResizeAspect")
    /// The smallest size that covers, centred; what juts out is cut off.
    public static let resizeAspectFill = AVLayerVideoGravity(
        rawValue: "AVLayerVideoGravityResizeAspectFill")
    /// The bounds' size: the picture is stretched.
    public static let resize = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize")

    /// Where a picture goes. [HERE]
    ///
    /// - Parameters:
    ///   - size: The picture's presentation size: clean, with square pixels. Positive.
    ///   - bounds: Where to show it.
    /// - Returns: The picture's rectangle, in the coordinates of `bounds`; with `resizeAspectFill` it juts out.
    ///   An unknown gravity is `resizeAspect`.
    public func destination(of size: ImageSize, in bounds: ImageRect) -> ImageRect {
        guard self != .resize, size.width > 0, size.height > 0 else { return bounds }
        let horizontal = bounds.width / size.width
        let vertical = bounds.height / size.height
        let scale =
            self == .resizeAspectFill ? max(horizontal, vertical) : min(horizontal, vertical)
        let width = size.width * scale
        let height = size.height * scale
        return ImageRect(
            x: bounds.x + (bounds.width - width) / 2, y: bounds.y + (bounds.height - height) / 2,
            width: width, height: height)
    }
}
