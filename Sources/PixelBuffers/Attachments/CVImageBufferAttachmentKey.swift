/// The name of an attachment together with the type of its value.
public struct CVImageBufferAttachmentKey<Value: Sendable>: Hashable, Sendable {
    /// The string behind Apple's constant.
    public let name: String

    /// A key of your own.
    ///
    /// - Parameter name: Its name.
    public init(_ name: String) { self.name = name }
}

extension CVImageBufferAttachmentKey where Value == YCbCrMatrix {
    /// The matrix to RGB.
    public static var yCbCrMatrix: Self { Self("CVImageBufferYCbCrMatrix") }
}

extension CVImageBufferAttachmentKey where Value == ColorPrimaries {
    /// The colour primaries.
    public static var colorPrimaries: Self { Self("CVImageBufferColorPrimaries") }
}

extension CVImageBufferAttachmentKey where Value == TransferFunction {
    /// The transfer function.
    public static var transferFunction: Self { Self("CVImageBufferTransferFunction") }
}

extension CVImageBufferAttachmentKey where Value == Double {
    /// The exponent that goes with the transfer function `useGamma`.
    public static var gammaLevel: Self { Self("CVImageBufferGammaLevel") }
}

extension CVImageBufferAttachmentKey where Value == ChromaLocation {
    /// Where chroma lies in frames and top fields.
    public static var chromaLocationTopField: Self { Self("CVImageBufferChromaLocationTopField") }
    /// Where chroma lies in bottom fields.
    public static var chromaLocationBottomField: Self {
        Self("CVImageBufferChromaLocationBottomField")
    }
}

extension CVImageBufferAttachmentKey where Value == PixelAspectRatio {
    /// The shape of a pixel.
    public static var pixelAspectRatio: Self { Self("CVPixelAspectRatio") }
}

extension CVImageBufferAttachmentKey where Value == CleanAperture {
    /// The part meant to be seen.
    public static var cleanAperture: Self { Self("CVCleanAperture") }
}

extension CVImageBufferAttachmentKey where Value == Int {
    /// 1 for progressive pictures, 2 for interlaced ones.
    public static var fieldCount: Self { Self("CVFieldCount") }
}

extension CVImageBufferAttachmentKey where Value == FieldDetail {
    /// How the two fields follow each other.
    public static var fieldDetail: Self { Self("CVFieldDetail") }
}

extension CVImageBufferAttachmentKey where Value == [UInt8] {
    /// An ICC profile.
    public static var iccProfile: Self { Self("CVImageBufferICCProfile") }
    /// The payload of the mastering display colour volume SEI message.
    public static var masteringDisplayColorVolume: Self { Self("MasteringDisplayColorVolume") }
    /// The payload of the content light level SEI message.
    public static var contentLightLevelInfo: Self { Self("ContentLightLevelInfo") }
}

extension CVImageBufferAttachmentKey where Value == Bool {
    /// Whether samples use the full range.
    ///
    /// Ours: Core Video says it by the format code alone.
    public static var fullRange: Self { Self("FullRangeVideo") }
    /// Whether the decoder concealed errors or lacked references for this picture.
    ///
    /// Ours.
    public static var damaged: Self { Self("tplay.Damaged") }
}
