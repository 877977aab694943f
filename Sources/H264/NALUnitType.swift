/// The type of a NAL unit: `nal_unit_type`, the low five bits of its first byte.
///
/// Source: ITU-T H.264 (08/2021) table 7-1.
public struct NALUnitType: RawRepresentable, Hashable, Sendable {
    /// The value as coded, 0...31.
    public let rawValue: UInt8

    /// Takes a value as coded; only the low five bits count.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 0x1F
    }

    /// Unspecified (0).
    public static let unspecified = NALUnitType(rawValue: 0)
    /// Slice of a picture that is not IDR (1).
    public static let sliceNonIDR = NALUnitType(rawValue: 1)
    /// Slice data partition A: header and motion (2).
    public static let sliceDataPartitionA = NALUnitType(rawValue: 2)
    /// Slice data partition B: intra residual (3).
    public static let sliceDataPartitionB = NALUnitType(rawValue: 3)
    /// Slice data partition C: inter residual (4).
    public static let sliceDataPartitionC = NALUnitType(rawValue: 4)
    /// Slice of an IDR picture (5).
    public static let sliceIDR = NALUnitType(rawValue: 5)
    /// Supplemental enhancement information (6).
    public static let sei = NALUnitType(rawValue: 6)
    /// Sequence parameter set (7).
    public static let sps = NALUnitType(rawValue: 7)
    /// Picture parameter set (8).
    public static let pps = NALUnitType(rawValue: 8)
    /// Access unit delimiter (9).
    public static let accessUnitDelimiter = NALUnitType(rawValue: 9)
    /// End of sequence (10).
    public static let endOfSequence = NALUnitType(rawValue: 10)
    /// End of stream (11).
    public static let endOfStream = NALUnitType(rawValue: 11)
    /// Filler data (12).
    public static let fillerData = NALUnitType(rawValue: 12)
    /// Sequence parameter set extension (13).
    public static let spsExtension = NALUnitType(rawValue: 13)
    /// Prefix of a base view's or base layer's slice (14).
    public static let prefix = NALUnitType(rawValue: 14)
    /// Subset sequence parameter set, of SVC and MVC (15).
    public static let subsetSPS = NALUnitType(rawValue: 15)
    /// Depth parameter set (16).
    public static let depthParameterSet = NALUnitType(rawValue: 16)
    /// Slice of an auxiliary coded picture (19).
    public static let auxiliarySlice = NALUnitType(rawValue: 19)
    /// Slice extension: another layer or view (20).
    public static let sliceExtension = NALUnitType(rawValue: 20)
    /// Slice extension for depth views and 3D-AVC texture views (21).
    public static let depthSliceExtension = NALUnitType(rawValue: 21)

    /// Whether a base decoder takes the NAL unit for coded picture data: types 1...5.
    public var isVCL: Bool {
        rawValue >= 1 && rawValue <= 5
    }

    /// Whether the NAL unit begins with a slice header that a base decoder reads: types 1, 2 and 5.
    public var hasSliceHeader: Bool {
        rawValue == 1 || rawValue == 2 || rawValue == 5
    }

    /// What the type is called, in the standard's words.
    public var name: String {
        switch rawValue {
        case 0: "unspecified"
        case 1: "slice, non-IDR"
        case 2: "slice data partition A"
        case 3: "slice data partition B"
        case 4: "slice data partition C"
        case 5: "slice, IDR"
        case 6: "supplemental enhancement information"
        case 7: "sequence parameter set"
        case 8: "picture parameter set"
        case 9: "access unit delimiter"
        case 10: "end of sequence"
        case 11: "end of stream"
        case 12: "filler data"
        case 13: "sequence parameter set extension"
        case 14: "prefix NAL unit"
        case 15: "subset sequence parameter set"
        case 16: "depth parameter set"
        case 17, 18: "reserved"
        case 19: "slice of an auxiliary coded picture"
        case 20: "slice extension"
        case 21: "slice extension for depth or 3D-AVC"
        case 22, 23: "reserved"
        default: "unspecified"
        }
    }
}

extension NALUnitType: CustomStringConvertible {
    /// The number and the name.
    public var description: String {
        "\(rawValue) (\(name))"
    }
}
