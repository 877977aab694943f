/// Writes the syntax elements of an RBSP, most significant bit first.
public struct BitWriter: Sendable {
    /// The bytes written so far; the last one is filled up with zeros.
    public private(set) var bytes: [UInt8] = []

    /// The number of bits written.
    public private(set) var bitCount = 0

    /// Starts with nothing.
    public init() {}

    /// Writes the low `count` bits of `value`, 0...32: `u(n)`.
    public mutating func writeBits(_ value: UInt32, _ count: Int) {
        precondition(count >= 0 && count <= 32, "u(\(count))")
        for index in stride(from: count - 1, through: 0, by: -1) {
            if bitCount & 7 == 0 { bytes.append(0) }
            if value >> UInt32(index) & 1 == 1 {
                bytes[bytes.count - 1] |= 0x80 >> UInt8(bitCount & 7)
            }
            bitCount += 1
        }
    }

    /// Writes one bit: `u(1)`.
    public mutating func writeFlag(_ value: Bool) {
        writeBits(value ? 1 : 0, 1)
    }

    /// Writes an unsigned Exp-Golomb number: `ue(v)`.
    public mutating func writeUE(_ value: UInt32) {
        let code = UInt64(value) + 1
        let zeros = 63 - code.leadingZeroBitCount
        writeBits(0, zeros)
        writeBits(1, 1)
        writeBits(UInt32(truncatingIfNeeded: code), zeros)
    }

    /// Writes a signed Exp-Golomb number: `se(v)`; `Int32.min` has no code.
    public mutating func writeSE(_ value: Int32) {
        precondition(value != .min, "se(\(value))")
        writeUE(value > 0 ? UInt32(value) * 2 - 1 : UInt32(-value) * 2)
    }

    /// Writes a one and zeros up to the end of the byte: `rbsp_trailing_bits()`.
    public mutating func writeTrailingBits() {
        writeFlag(true)
        while bitCount & 7 != 0 { writeFlag(false) }
    }

    /// Returns the NAL unit: `header` and what was written, with emulation prevention.
    public func nalUnit(header: UInt8) -> [UInt8] {
        [header] + EmulationPrevention.insert(into: bytes)
    }
}
