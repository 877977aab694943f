/// Bits in the order of the bitstream, most significant first, and the standard's codes for numbers.
///
/// Source: ITU-T H.264 (08/2021) 7.2, 9.1.
package struct BitWriter: Sendable {
    /// The whole bytes so far; all of them once ``align(with:)`` or ``finish()`` was called.
    package private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingBitCount = 0

    package init() {}

    /// Bits written so far.
    package var bitCount: Int { bytes.count * 8 + pendingBitCount }

    /// Writes the low `bits` bits of `value`: `u(n)`, n ≤ 32.
    package mutating func u(_ value: Int, bits: Int) {
        precondition(
            bits >= 0 && bits <= 32 && value >= 0 && value >> bits == 0, "\(value) in \(bits) bits")
        pending = pending << UInt64(bits) | UInt64(value)
        pendingBitCount += bits
        while pendingBitCount >= 8 {
            pendingBitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingBitCount)))
        }
        pending &= 1 << UInt64(pendingBitCount) - 1
    }

    /// Writes a flag: `u(1)`.
    package mutating func flag(_ value: Bool) { u(value ? 1 : 0, bits: 1) }

    /// Writes an unsigned Exp-Golomb code: `ue(v)`, at most 2³² − 2.
    package mutating func ue(_ value: Int) {
        precondition(value >= 0 && value < 0xFFFF_FFFF, "ue(\(value))")
        let length = Int.bitWidth - (value + 1).leadingZeroBitCount
        u(0, bits: length - 1)
        u(value + 1, bits: length)
    }

    /// Writes a signed Exp-Golomb code: `se(v)`.
    package mutating func se(_ value: Int) { ue(value > 0 ? 2 * value - 1 : -2 * value) }

    /// Writes a truncated Exp-Golomb code for a value of `0...maximum`: `te(v)`.
    package mutating func te(_ value: Int, maximum: Int) {
        if maximum == 1 { flag(value == 0) } else if maximum > 1 { ue(value) }
    }

    /// Fills up to a byte boundary with `bit`.
    package mutating func align(with bit: Bool) {
        while pendingBitCount != 0 { flag(bit) }
    }

    /// Writes `rbsp_trailing_bits()` and returns the bytes.
    package consuming func finish() -> [UInt8] {
        flag(true)
        align(with: false)
        return bytes
    }
}
