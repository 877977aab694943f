/// What became of a picture to compress.
public struct VTEncodeInfoFlags: OptionSet, Hashable, Sendable {
    /// Video Toolbox's option bits.
    public let rawValue: UInt32
    /// Takes any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The picture is called back for after the call returned.
    public static let asynchronous = Self(rawValue: 1 << 0)
    /// There is no sample.
    public static let frameDropped = Self(rawValue: 1 << 1)
}

/// What is wanted of one picture: Apple's frame properties, typed.
public struct VTEncodeFrameOptions: Hashable, Sendable {
    /// Whether it must become a key frame: an IDR picture.
    public var forceKeyFrame: Bool

    /// Creates options.
    ///
    /// - Parameter forceKeyFrame: Whether it must become a key frame.
    public init(forceKeyFrame: Bool = false) { self.forceKeyFrame = forceKeyFrame }
}
