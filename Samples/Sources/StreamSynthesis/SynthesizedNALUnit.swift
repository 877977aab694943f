/// A NAL unit without start code, and what it belongs to.
package struct SynthesizedNALUnit: Hashable, Sendable {
    /// Header byte, payload, emulation prevention bytes.
    package var bytes: [UInt8]
    /// `nal_unit_type`.
    package var type: Int { Int(bytes[0] & 31) }
    /// The picture (index into ``StreamWriter/pictures``) it is of; that before it for what follows the last picture.
    package var picture: Int

    init(type: Int, referenceIDC: Int, rbsp: [UInt8], picture: Int) {
        bytes = [UInt8(referenceIDC << 5 | type)]
        self.picture = picture
        var zeros = 0
        for byte in rbsp {
            if zeros >= 2 && byte <= 3 {
                bytes.append(3)
                zeros = 0
            }
            bytes.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
    }
}
