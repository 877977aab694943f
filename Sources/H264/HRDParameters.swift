/// Parameters of the hypothetical reference decoder: `hrd_parameters()`.
///
/// Source: ITU-T H.264 (08/2021) E.1.2, E.2.2.
public struct HRDParameters: Hashable, Sendable {
    /// One alternative buffer.
    public struct Buffer: Hashable, Sendable {
        /// Bits a second at most.
        public let bitRate: UInt64
        /// Bits in the coded picture buffer.
        public let size: UInt64
        /// `cbr_flag`: the bit rate is constant.
        public let isConstantBitRate: Bool
    }

    /// The alternatives, 1...32.
    public let buffers: [Buffer]
    /// Bits of `initial_cpb_removal_delay`, 1...32.
    public let initialRemovalDelayLength: Int
    /// Bits of `cpb_removal_delay`, 1...32.
    public let removalDelayLength: Int
    /// Bits of `dpb_output_delay`, 1...32.
    public let outputDelayLength: Int
    /// Bits of `time_offset`, 0...31.
    public let timeOffsetLength: Int

    init(_ reader: inout BitReader) throws(BitstreamError) {
        let count = try reader.readUE("cpb_cnt_minus1", 0...31) + 1
        let bitRateScale = try reader.readBits(4)
        let sizeScale = try reader.readBits(4)
        var buffers: [Buffer] = []
        for _ in 0..<count {
            // At most 2^32 shifted by 6 + 15 and 4 + 15 bits.
            let bitRate = (UInt64(try reader.readUE()) + 1) << UInt64(6 + bitRateScale)
            let size = (UInt64(try reader.readUE()) + 1) << UInt64(4 + sizeScale)
            buffers.append(
                Buffer(bitRate: bitRate, size: size, isConstantBitRate: try reader.readFlag()))
        }
        self.buffers = buffers
        initialRemovalDelayLength = Int(try reader.readBits(5)) + 1
        removalDelayLength = Int(try reader.readBits(5)) + 1
        outputDelayLength = Int(try reader.readBits(5)) + 1
        timeOffsetLength = Int(try reader.readBits(5))
    }
}
