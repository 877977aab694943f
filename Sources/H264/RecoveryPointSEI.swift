/// A recovery point SEI message: from where on pictures are right after starting here.
///
/// Source: ITU-T H.264 (08/2021) D.1.8, D.2.8.
public struct RecoveryPointSEI: Hashable, Sendable {
    /// `recovery_frame_cnt`: increments of `frame_num` until output is right.
    public let recoveryFrameCount: Int
    /// `exact_match_flag`.
    public let isExactMatch: Bool
    /// `broken_link_flag`.
    public let isBrokenLink: Bool
    /// `changing_slice_group_idc`.
    public let changingSliceGroupIDC: UInt8

    /// Parses the payload, emulation prevention removed.
    public init(payload: [UInt8]) throws(BitstreamError) {
        var reader = BitReader(rbsp: payload)
        try self.init(&reader)
    }

    init(_ reader: inout BitReader) throws(BitstreamError) {
        recoveryFrameCount = Int(try reader.readUE("recovery_frame_cnt", 0...65535))
        isExactMatch = try reader.readFlag()
        isBrokenLink = try reader.readFlag()
        changingSliceGroupIDC = UInt8(try reader.readBits(2))
    }
}
