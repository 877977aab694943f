/// A supplemental enhancement information message.
///
/// Source: ITU-T H.264 (08/2021) D.1.
enum SupplementalMessage {
    /// Without HRD delays, without clock timestamps.
    case pictureTiming(structure: Int)
    case recoveryPoint(frameCount: Int)
    case userData(String)

    private var payload: (type: Int, bytes: [UInt8]) {
        var bits = BitWriter()
        switch self {
        case .pictureTiming(let structure):
            bits.u(structure, bits: 4)
            // NumClockTS of Table D-1.
            let timestamps = [1, 1, 1, 2, 2, 3, 3, 2, 3][structure]
            for _ in 0..<timestamps { bits.flag(false) }
            return (1, Self.aligned(bits))
        case .recoveryPoint(let frameCount):
            bits.ue(frameCount)
            bits.flag(true)  // exact_match_flag
            bits.flag(false)  // broken_link_flag
            bits.u(0, bits: 2)  // changing_slice_group_idc
            return (6, Self.aligned(bits))
        case .userData(let text):
            let identifier = Array("tplay's samples.".utf8)
            return (5, identifier + Array(text.utf8))
        }
    }

    /// A payload that is no whole number of bytes ends in a one and zeros.
    private static func aligned(_ bits: consuming BitWriter) -> [UInt8] {
        guard bits.bitCount % 8 != 0 else { return bits.bytes }
        return bits.finish()
    }

    static func rbsp(_ messages: [SupplementalMessage]) -> [UInt8] {
        var bits = BitWriter()
        for message in messages {
            let (type, bytes) = message.payload
            for value in [type, bytes.count] {
                for _ in 0..<value / 255 { bits.u(255, bits: 8) }
                bits.u(value % 255, bits: 8)
            }
            for byte in bytes { bits.u(Int(byte), bits: 8) }
        }
        return bits.finish()
    }
}
