/// How a sample is to be decoded.
public struct VTDecodeFrameFlags: OptionSet, Hashable, Sendable {
    /// Video Toolbox's option bits.
    public let rawValue: UInt32
    /// Takes any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The call may return before the picture is decoded.
    public static let enableAsynchronousDecompression = Self(rawValue: 1 << 0)
    /// Decode for later pictures' sake and call back without an image.
    public static let doNotOutputFrame = Self(rawValue: 1 << 1)
    /// A hint that decoding need not be faster than real time.
    public static let realTimePlayback1x = Self(rawValue: 1 << 2)
    /// Pictures may be delayed and come in presentation order.
    public static let enableTemporalProcessing = Self(rawValue: 1 << 3)
}

/// What became of a sample.
public struct VTDecodeInfoFlags: OptionSet, Hashable, Sendable {
    /// Video Toolbox's option bits.
    public let rawValue: UInt32
    /// Takes any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The sample is decoded after the call returned.
    public static let asynchronous = Self(rawValue: 1 << 0)
    /// There is no picture.
    public static let frameDropped = Self(rawValue: 1 << 1)
    /// Nobody else uses the image's memory: it may be changed.
    public static let imageBufferModifiable = Self(rawValue: 1 << 2)
    /// A leading picture after a random access point that cannot be decoded.
    ///
    /// With `frameDropped`.
    public static let skippedLeadingFrameDropped = Self(rawValue: 1 << 3)
    /// Decoding was interrupted.
    public static let frameInterrupted = Self(rawValue: 1 << 4)
}
