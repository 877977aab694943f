public import PixelBuffers

/// How luma and colour differences become red, green and blue.
///
/// Source: ITU-T H.264 E.2.1, `matrix_coefficients`.
public enum ColorMatrix: String, CaseIterable, Hashable, Sendable {
    /// BT.601, standard definition.
    case bt601 = "601"
    /// BT.709, high definition.
    case bt709 = "709"
    /// BT.2020, non-constant luminance.
    case bt2020 = "2020"
    /// SMPTE 240M, early high definition.
    case smpte240 = "240"

    /// The matrix of a picture: its own, else by its height.
    public static func meant(by pixelBuffer: CVPixelBuffer) -> ColorMatrix {
        ColorMatrix(pixelBuffer.attachments[.yCbCrMatrix])
            ?? .assumed(forHeight: pixelBuffer.height)
    }

    /// What a stream means that does not say: 601 below 720 lines, else 709.
    public static func assumed(forHeight height: Int) -> ColorMatrix {
        height < 720 ? .bt601 : .bt709
    }
}
