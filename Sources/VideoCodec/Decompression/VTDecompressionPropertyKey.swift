/// The name of a property of a decompression session.
public struct VTDecompressionPropertyKey: RawRepresentable, Hashable, Sendable {
    /// The string behind Apple's constant.
    public let rawValue: String
    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `Bool`: whether decoding must keep pace.
    ///
    /// Kept, without effect.
    public static let realTime = Self(rawValue: "RealTime")
    /// `Int`: libavcodec's threads.
    public static let threadCount = Self(rawValue: "ThreadCount")
    /// `Int`, read only: samples that were taken and not called back for.
    public static let numberOfFramesBeingDecoded = Self(rawValue: "NumberOfFramesBeingDecoded")
    /// `CVPixelBufferPool`, read only: where pictures come from; none for `native`.
    public static let pixelBufferPool = Self(rawValue: "PixelBufferPool")
    /// `Bool`, read only: false.
    public static let pixelBufferPoolIsShared = Self(rawValue: "PixelBufferPoolIsShared")
    /// `Int`: buffers that the pool keeps.
    public static let outputPoolRequestedMinimumBufferCount = Self(
        rawValue: "OutputPoolRequestedMinimumBufferCount")
    /// `Bool`, read only: whether pictures may need others.
    public static let contentHasInterframeDependencies = Self(
        rawValue: "ContentHasInterframeDependencies")
    /// `Bool`, read only: false.
    public static let usingHardwareAcceleratedVideoDecoder = Self(
        rawValue: "UsingHardwareAcceleratedVideoDecoder")
    /// `Bool`.
    ///
    /// Kept, without effect.
    public static let propagatePerFrameHDRDisplayMetadata = Self(
        rawValue: "PropagatePerFrameHDRDisplayMetadata")
    /// `Bool`.
    ///
    /// Kept, without effect.
    public static let generatePerFrameHDRDisplayMetadata = Self(
        rawValue: "GeneratePerFrameHDRDisplayMetadata")
    /// `Int`: the largest picture, in samples of luma.
    ///
    /// Ours.
    public static let maximumPixelCount = Self(rawValue: "tplay.MaximumPixelCount")

    /// What a property is like.
    struct Traits {
        let isReadOnly: Bool
        let type: VTPropertyType
    }

    /// All that there are.
    static let all: [(key: Self, traits: Traits)] = [
        (.realTime, Traits(isReadOnly: false, type: .boolean)),
        (.threadCount, Traits(isReadOnly: false, type: .number)),
        (.numberOfFramesBeingDecoded, Traits(isReadOnly: true, type: .number)),
        (.pixelBufferPool, Traits(isReadOnly: true, type: .object)),
        (.pixelBufferPoolIsShared, Traits(isReadOnly: true, type: .boolean)),
        (.outputPoolRequestedMinimumBufferCount, Traits(isReadOnly: false, type: .number)),
        (.contentHasInterframeDependencies, Traits(isReadOnly: true, type: .boolean)),
        (.usingHardwareAcceleratedVideoDecoder, Traits(isReadOnly: true, type: .boolean)),
        (.propagatePerFrameHDRDisplayMetadata, Traits(isReadOnly: false, type: .boolean)),
        (.generatePerFrameHDRDisplayMetadata, Traits(isReadOnly: false, type: .boolean)),
        (.maximumPixelCount, Traits(isReadOnly: false, type: .number)),
    ]

    /// What this one is like, nil when there is no such property.
    var traits: Traits? { Self.all.first { $0.key == self }?.traits }
}

/// The type of a session property's value: `kVTPropertyType_…`.
public enum VTPropertyType: String, Hashable, Sendable {
    /// A truth value.
    case boolean = "Boolean"
    /// A number.
    case number = "Number"
    /// Several constants by name.
    case enumeration = "Enumeration"
    /// Something else.
    case object = "Object"
}

/// What a session says about one of its properties.
public struct VTPropertyInfo: Hashable, Sendable {
    /// The type of its value.
    public var type: VTPropertyType
    /// Whether it can be set: `kVTPropertyReadWriteStatus_…`.
    public var isReadOnly: Bool
}
