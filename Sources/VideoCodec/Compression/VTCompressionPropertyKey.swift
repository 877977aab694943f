/// The name of a property of a compression session: the strings behind `kVTCompressionPropertyKey_…`.
public struct VTCompressionPropertyKey: RawRepresentable, Hashable, Sendable {
    /// Apple's string.
    public let rawValue: String
    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``VTProfileLevel`` or its string.
    public static let profileLevel = Self(rawValue: "ProfileLevel")
    /// ``VTH264EntropyMode`` or its string.
    public static let h264EntropyMode = Self(rawValue: "H264EntropyMode")
    /// `Int`: the largest slice in bytes; 0 for no limit.
    public static let maxH264SliceBytes = Self(rawValue: "MaxH264SliceBytes")
    /// `Int`: bits a second; 0 leaves it to the encoder.
    public static let averageBitRate = Self(rawValue: "AverageBitRate")
    /// Numbers, bytes and seconds in turn, at most two pairs; or ``VTDataRateLimit``s.
    public static let dataRateLimits = Self(rawValue: "DataRateLimits")
    /// `Double`: 0 to 1.
    public static let quality = Self(rawValue: "Quality")
    /// `Double`: pictures a second; 0 for unknown.
    public static let expectedFrameRate = Self(rawValue: "ExpectedFrameRate")
    /// `Int`: pictures; 0 leaves it to the encoder, 1 makes every one a key frame.
    public static let maxKeyFrameInterval = Self(rawValue: "MaxKeyFrameInterval")
    /// `Double`: seconds; 0 for no limit.
    public static let maxKeyFrameIntervalDuration = Self(rawValue: "MaxKeyFrameIntervalDuration")
    /// `Bool`: false makes every picture a key frame.
    public static let allowTemporalCompression = Self(rawValue: "AllowTemporalCompression")
    /// `Bool`: false makes no B pictures.
    public static let allowFrameReordering = Self(rawValue: "AllowFrameReordering")
    /// `Bool`: true makes each picture come out before the next goes in.
    public static let realTime = Self(rawValue: "RealTime")
    /// `Int`: how many pictures may be in the encoder; -1 for no limit.
    public static let maxFrameDelayCount = Self(rawValue: "MaxFrameDelayCount")
    /// `ColorPrimaries` or its string.
    public static let colorPrimaries = Self(rawValue: "ColorPrimaries")
    /// `TransferFunction` or its string.
    public static let transferFunction = Self(rawValue: "TransferFunction")
    /// `YCbCrMatrix` or its string.
    public static let yCbCrMatrix = Self(rawValue: "YCbCrMatrix")
    /// `PixelAspectRatio`.
    public static let pixelAspectRatio = Self(rawValue: "PixelAspectRatio")
    /// `CleanAperture`.
    public static let cleanAperture = Self(rawValue: "CleanAperture")
    /// `Int`: 1 or 2.
    public static let fieldCount = Self(rawValue: "FieldCount")
    /// `Bool`: whether to save time at the cost of quality.
    public static let prioritizeEncodingSpeedOverQuality = Self(
        rawValue: "PrioritizeEncodingSpeedOverQuality")
    /// `Int`: how many pictures there will be.
    ///
    /// Kept, without effect.
    public static let sourceFrameCount = Self(rawValue: "SourceFrameCount")
    /// `CMTime`: how long all will be.
    ///
    /// Kept, without effect.
    public static let expectedDuration = Self(rawValue: "ExpectedDuration")
    /// `Bool`: whether other pictures go before.
    ///
    /// Kept, without effect.
    public static let moreFramesBeforeStart = Self(rawValue: "MoreFramesBeforeStart")
    /// `Bool`: whether other pictures follow.
    ///
    /// Kept, without effect.
    public static let moreFramesAfterEnd = Self(rawValue: "MoreFramesAfterEnd")
    /// `Int`, read only: pictures that went in and are not called back for.
    public static let numberOfPendingFrames = Self(rawValue: "NumberOfPendingFrames")
    /// `CVPixelBufferPool`, read only.
    public static let pixelBufferPool = Self(rawValue: "PixelBufferPool")
    /// `Bool`, read only: false.
    public static let pixelBufferPoolIsShared = Self(rawValue: "PixelBufferPoolIsShared")
    /// ``PixelBufferRequest``, read only: what pictures need no conversion.
    public static let videoEncoderPixelBufferAttributes = Self(
        rawValue: "VideoEncoderPixelBufferAttributes")
    /// `Bool`, read only: false.
    public static let usingHardwareAcceleratedVideoEncoder = Self(
        rawValue: "UsingHardwareAcceleratedVideoEncoder")
    /// `String`, read only: the encoder.
    public static let encoderID = Self(rawValue: "EncoderID")
    /// `Int`: libx264's threads.
    ///
    /// Ours.
    public static let threadCount = Self(rawValue: "tplay.ThreadCount")

    /// What this one is like, nil when there is no such property.
    var info: VTPropertyInfo? { Self.all[self] }

    private static func writable(_ type: VTPropertyType) -> VTPropertyInfo {
        VTPropertyInfo(type: type, isReadOnly: false)
    }

    private static func readable(_ type: VTPropertyType) -> VTPropertyInfo {
        VTPropertyInfo(type: type, isReadOnly: true)
    }

    /// All that there are.
    static let all: [Self: VTPropertyInfo] = [
        .profileLevel: writable(.enumeration), .h264EntropyMode: writable(.enumeration),
        .maxH264SliceBytes: writable(.number), .averageBitRate: writable(.number),
        .dataRateLimits: writable(.object), .quality: writable(.number),
        .expectedFrameRate: writable(.number), .maxKeyFrameInterval: writable(.number),
        .maxKeyFrameIntervalDuration: writable(.number),
        .allowTemporalCompression: writable(.boolean), .allowFrameReordering: writable(.boolean),
        .realTime: writable(.boolean), .maxFrameDelayCount: writable(.number),
        .colorPrimaries: writable(.enumeration), .transferFunction: writable(.enumeration),
        .yCbCrMatrix: writable(.enumeration), .pixelAspectRatio: writable(.object),
        .cleanAperture: writable(.object), .fieldCount: writable(.number),
        .prioritizeEncodingSpeedOverQuality: writable(.boolean),
        .sourceFrameCount: writable(.number), .expectedDuration: writable(.object),
        .moreFramesBeforeStart: writable(.boolean), .moreFramesAfterEnd: writable(.boolean),
        .numberOfPendingFrames: readable(.number), .pixelBufferPool: readable(.object),
        .pixelBufferPoolIsShared: readable(.boolean),
        .videoEncoderPixelBufferAttributes: readable(.object),
        .usingHardwareAcceleratedVideoEncoder: readable(.boolean), .encoderID: readable(.object),
        .threadCount: writable(.number),
    ]
}
