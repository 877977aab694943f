/// A sequence parameter set extension: how auxiliary pictures blend.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.1.2.
public struct SequenceParameterSetExtension: Hashable, Sendable {
    /// How to blend.
    public struct Alpha: Hashable, Sendable {
        /// `bit_depth_aux_minus8` + 8.
        public let bitDepth: Int
        /// `alpha_incr_flag`.
        public let isIncremented: Bool
        /// `alpha_opaque_value`.
        public let opaqueValue: UInt32
        /// `alpha_transparent_value`.
        public let transparentValue: UInt32
    }

    /// The whole NAL unit.
    public let bytes: [UInt8]
    /// `seq_parameter_set_id`, 0...31.
    public let sequenceParameterSetID: Int
    /// `aux_format_idc`, 0...3: 0 where there are no auxiliary pictures.
    public let auxiliaryFormatIDC: Int
    /// The blending, where there are auxiliary pictures.
    public let alpha: Alpha?

    /// Parses a whole NAL unit of type 13, header byte and emulation prevention included.
    public init(nalUnit: [UInt8]) throws(BitstreamError) {
        guard let byte = nalUnit.first else { throw .truncated(bit: 0, needed: 8) }
        let type = NALUnitHeader(byte: byte).type
        guard type == .spsExtension else { throw .unexpectedNALUnitType(type) }
        var reader = BitReader(nalUnit: nalUnit)
        bytes = nalUnit
        sequenceParameterSetID = Int(try reader.readUE("seq_parameter_set_id", 0...31))
        auxiliaryFormatIDC = Int(try reader.readUE("aux_format_idc", 0...3))
        guard auxiliaryFormatIDC != 0 else {
            alpha = nil
            return
        }
        let bitDepth = 8 + Int(try reader.readUE("bit_depth_aux_minus8", 0...4))
        alpha = Alpha(
            bitDepth: bitDepth, isIncremented: try reader.readFlag(),
            opaqueValue: try reader.readBits(bitDepth + 1),
            transparentValue: try reader.readBits(bitDepth + 1))
    }
}
