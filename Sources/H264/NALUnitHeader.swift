/// The first byte of every NAL unit.
///
/// Source: ITU-T H.264 (08/2021) 7.3.1.
public struct NALUnitHeader: Hashable, Sendable {
    /// The byte as read.
    public let byte: UInt8

    /// Takes the byte as read.
    public init(byte: UInt8) {
        self.byte = byte
    }

    /// `forbidden_zero_bit`: set only in damaged data.
    public var forbiddenZeroBit: Bool {
        byte & 0x80 != 0
    }

    /// `nal_ref_idc`, 0...3: 0 where no other picture refers to this one.
    public var referenceIDC: UInt8 {
        byte >> 5 & 3
    }

    /// `nal_unit_type`.
    public var type: NALUnitType {
        NALUnitType(rawValue: byte & 0x1F)
    }
}
