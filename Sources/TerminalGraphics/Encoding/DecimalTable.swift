/// The numbers 0 to 255 in ASCII, each with a semicolon behind it: stored with one 32-bit write.
final class DecimalTable: Sendable {
    // SAFETY: written in `init` only.
    private nonisolated(unsafe) let entries: UnsafeMutablePointer<UInt32>
    private nonisolated(unsafe) let lengths: UnsafeMutablePointer<UInt8>

    static let shared = DecimalTable()

    private init() {
        entries = .allocate(capacity: 256)
        lengths = .allocate(capacity: 256)
        for value in 0..<256 {
            let text = Array("\(value);".utf8)
            var packed: UInt32 = 0
            for (index, byte) in text.enumerated() { packed |= UInt32(byte) << (8 * index) }
            entries[value] = packed
            lengths[value] = UInt8(text.count)
        }
    }

    deinit {
        entries.deallocate()
        lengths.deallocate()
    }

    /// Digits and semicolon, the first in the low byte.
    @inline(__always)
    func digits(_ value: UInt32) -> UInt32 { entries[Int(value & 255)] }

    /// Number of digits and the semicolon.
    @inline(__always)
    func length(_ value: UInt32) -> Int { Int(lengths[Int(value & 255)]) }
}
