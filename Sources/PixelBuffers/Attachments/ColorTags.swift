/// The matrix that turned red, green and blue into Y, Cb and Cr.
public struct YCbCrMatrix: RawRepresentable, Hashable, Sendable {
    /// Apple's string, without the constant's prefix.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ITU-R BT.709.
    public static let itu_R_709_2 = Self(rawValue: "ITU_R_709_2")
    /// ITU-R BT.601.
    public static let itu_R_601_4 = Self(rawValue: "ITU_R_601_4")
    /// SMPTE 240M.
    public static let smpte_240M_1995 = Self(rawValue: "SMPTE_240M_1995")
    /// ITU-R BT.2020, non-constant luminance.
    public static let itu_R_2020 = Self(rawValue: "ITU_R_2020")

    /// From `matrix_coefficients` of ITU-T H.264 Annex E; nil where Core Video has no string.
    public init?(codePoint: Int) {
        switch codePoint {
        case 1: self = .itu_R_709_2
        case 5, 6: self = .itu_R_601_4
        case 7: self = .smpte_240M_1995
        case 9: self = .itu_R_2020
        default: return nil
        }
    }

    /// `matrix_coefficients`; 2 (unspecified) for an unknown string.
    public var codePoint: Int {
        switch self {
        case .itu_R_709_2: 1
        case .itu_R_601_4: 6
        case .smpte_240M_1995: 7
        case .itu_R_2020: 9
        default: 2
        }
    }
}

/// The chromaticities of red, green, blue and white.
public struct ColorPrimaries: RawRepresentable, Hashable, Sendable {
    /// Apple's string, without the constant's prefix.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ITU-R BT.709.
    public static let itu_R_709_2 = Self(rawValue: "ITU_R_709_2")
    /// EBU 3213: 625 lines.
    public static let ebu_3213 = Self(rawValue: "EBU_3213")
    /// SMPTE C: 525 lines.
    public static let smpte_C = Self(rawValue: "SMPTE_C")
    /// ITU-R BT.2020.
    public static let itu_R_2020 = Self(rawValue: "ITU_R_2020")
    /// DCI P3.
    public static let dci_P3 = Self(rawValue: "DCI_P3")
    /// P3 with a D65 white.
    public static let p3_D65 = Self(rawValue: "P3_D65")

    /// From `colour_primaries` of ITU-T H.264 Annex E; nil where Core Video has no string.
    public init?(codePoint: Int) {
        switch codePoint {
        case 1: self = .itu_R_709_2
        case 5: self = .ebu_3213
        case 6, 7: self = .smpte_C
        case 9: self = .itu_R_2020
        case 11: self = .dci_P3
        case 12: self = .p3_D65
        default: return nil
        }
    }

    /// `colour_primaries`; 2 (unspecified) for an unknown string.
    public var codePoint: Int {
        switch self {
        case .itu_R_709_2: 1
        case .ebu_3213: 5
        case .smpte_C: 6
        case .itu_R_2020: 9
        case .dci_P3: 11
        case .p3_D65: 12
        default: 2
        }
    }
}

/// The curve from light to signal.
public struct TransferFunction: RawRepresentable, Hashable, Sendable {
    /// Apple's string, without the constant's prefix.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ITU-R BT.709 and BT.601.
    public static let itu_R_709_2 = Self(rawValue: "ITU_R_709_2")
    /// SMPTE 240M.
    public static let smpte_240M_1995 = Self(rawValue: "SMPTE_240M_1995")
    /// A pure power; the gamma level goes with it.
    public static let useGamma = Self(rawValue: "UseGamma")
    /// Linear light.
    public static let linear = Self(rawValue: "Linear")
    /// IEC 61966-2-1.
    public static let sRGB = Self(rawValue: "IEC_sRGB")
    /// ITU-R BT.2020.
    public static let itu_R_2020 = Self(rawValue: "ITU_R_2020")
    /// SMPTE ST 2084, perceptual quantiser.
    public static let smpte_ST_2084_PQ = Self(rawValue: "SMPTE_ST_2084_PQ")
    /// SMPTE ST 428-1, digital cinema.
    public static let smpte_ST_428_1 = Self(rawValue: "SMPTE_ST_428_1")
    /// ITU-R BT.2100, hybrid log-gamma.
    public static let itu_R_2100_HLG = Self(rawValue: "ITU_R_2100_HLG")

    /// From `transfer_characteristics` of ITU-T H.264 Annex E; nil where Core Video has no string.
    public init?(codePoint: Int) {
        switch codePoint {
        case 1, 6: self = .itu_R_709_2
        case 4, 5: self = .useGamma
        case 7: self = .smpte_240M_1995
        case 8: self = .linear
        case 13: self = .sRGB
        case 14, 15: self = .itu_R_2020
        case 16: self = .smpte_ST_2084_PQ
        case 17: self = .smpte_ST_428_1
        case 18: self = .itu_R_2100_HLG
        default: return nil
        }
    }

    /// `transfer_characteristics`; 2 (unspecified) for an unknown string, and 4 (a gamma of 2.2) for ``useGamma``.
    public var codePoint: Int {
        switch self {
        case .itu_R_709_2: 1
        case .useGamma: 4
        case .smpte_240M_1995: 7
        case .linear: 8
        case .sRGB: 13
        case .itu_R_2020: 14
        case .smpte_ST_2084_PQ: 16
        case .smpte_ST_428_1: 17
        case .itu_R_2100_HLG: 18
        default: 2
        }
    }

    /// The gamma level that goes with ``useGamma`` for a `transfer_characteristics` of 4 or 5, else nil.
    public static func gammaLevel(codePoint: Int) -> Double? {
        switch codePoint {
        case 4: 2.2
        case 5: 2.8
        default: nil
        }
    }
}

/// Where chroma samples lie between the luma samples.
public struct ChromaLocation: RawRepresentable, Hashable, Sendable {
    /// Apple's string, without the constant's prefix.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Level with a luma column, between rows.
    public static let left = Self(rawValue: "Left")
    /// Between columns and rows.
    public static let center = Self(rawValue: "Center")
    /// On a luma sample.
    public static let topLeft = Self(rawValue: "TopLeft")
    /// Between columns, level with the upper row.
    public static let top = Self(rawValue: "Top")
    /// Level with a column and the lower row.
    public static let bottomLeft = Self(rawValue: "BottomLeft")
    /// Between columns, level with the lower row.
    public static let bottom = Self(rawValue: "Bottom")

    /// From `chroma_sample_loc_type_…` of ITU-T H.264 Annex E (0...5).
    public init?(codePoint: Int) {
        let all: [ChromaLocation] = [.left, .center, .topLeft, .top, .bottomLeft, .bottom]
        guard all.indices.contains(codePoint) else { return nil }
        self = all[codePoint]
    }
}

/// How the two fields of a frame follow each other.
public struct FieldDetail: RawRepresentable, Hashable, Sendable {
    /// Apple's string, without the constant's prefix.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Separate fields, top first in time.
    public static let temporalTopFirst = Self(rawValue: "TemporalTopFirst")
    /// Separate fields, bottom first in time.
    public static let temporalBottomFirst = Self(rawValue: "TemporalBottomFirst")
    /// Woven fields, first line earlier.
    public static let spatialFirstLineEarly = Self(rawValue: "SpatialFirstLineEarly")
    /// Woven fields, first line later.
    public static let spatialFirstLineLate = Self(rawValue: "SpatialFirstLineLate")
}

/// The shape of a pixel: width to height as `horizontalSpacing` to `verticalSpacing`.
public struct PixelAspectRatio: Hashable, Sendable {
    /// Relative width of a pixel.
    public var horizontalSpacing: Int
    /// Relative height of a pixel.
    public var verticalSpacing: Int

    /// Creates a ratio.
    ///
    /// - Parameters:
    ///   - horizontalSpacing: Relative width of a pixel.
    ///   - verticalSpacing: Relative height of a pixel.
    public init(horizontalSpacing: Int, verticalSpacing: Int) {
        self.horizontalSpacing = horizontalSpacing
        self.verticalSpacing = verticalSpacing
    }

    /// Width over height; 1 when a spacing is not positive.
    public var ratio: Double {
        guard horizontalSpacing > 0, verticalSpacing > 0 else { return 1 }
        return Double(horizontalSpacing) / Double(verticalSpacing)
    }
}

/// The part of a picture that is meant to be seen: a size, and how far its centre lies from the picture's.
public struct CleanAperture: Hashable, Sendable {
    /// Columns.
    public var width: Double
    /// Rows.
    public var height: Double
    /// Distance of the centre to the right of the picture's.
    public var horizontalOffset: Double
    /// Distance of the centre below the picture's.
    public var verticalOffset: Double

    /// Creates an aperture.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - height: Rows.
    ///   - horizontalOffset: Distance of the centre to the right of the picture's.
    ///   - verticalOffset: Distance of the centre below the picture's.
    public init(
        width: Double, height: Double, horizontalOffset: Double = 0, verticalOffset: Double = 0
    ) {
        self.width = width
        self.height = height
        self.horizontalOffset = horizontalOffset
        self.verticalOffset = verticalOffset
    }

    /// The rectangle in a picture of a given size.
    ///
    /// - Parameters:
    ///   - width: The picture's columns.
    ///   - height: The picture's rows.
    ///   - originIsAtTopLeft: Whether `y` counts from the top; else from the bottom.
    /// - Returns: The aperture's rectangle.
    public func rect(inWidth width: Int, height: Int, originIsAtTopLeft: Bool) -> ImageRect {
        let down = originIsAtTopLeft ? verticalOffset : -verticalOffset
        return ImageRect(
            x: (Double(width) - self.width) / 2 + horizontalOffset,
            y: (Double(height) - self.height) / 2 + down,
            width: self.width, height: self.height)
    }
}
