/// Memory that escape sequences are written to, with room made beforehand and no check on each byte.
struct ByteSink: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0
    private let decimals = DecimalTable.shared

    init() {
        memory = .allocate(capacity: 1 << 16)
    }

    deinit { memory.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Takes back everything written after a place.
    mutating func truncate(to count: Int) { self.count = min(count, self.count) }

    /// Makes room for so many bytes more; to be called before anything is written.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) {
        if memory.count - count < byteCount { grow(byteCount) }
    }

    @inline(never)
    private mutating func grow(_ byteCount: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(
            capacity: (count + byteCount) * 3 / 2)
        _ = larger.update(fromContentsOf: memory[..<count])
        memory.deallocate()
        memory = larger
    }

    var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: memory[..<count]) }

    // What follows writes into room already made.

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        (memory.baseAddress! + count).pointee = byte
        count &+= 1
    }

    /// Writes the first `length` bytes of a packed word, and may overwrite what follows in the room.
    @inline(__always)
    mutating func put(packed word: UInt32, length: Int) {
        UnsafeMutableRawPointer(memory.baseAddress! + count).storeBytes(of: word, as: UInt32.self)
        count &+= length
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        (memory.baseAddress! + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count &+= text.utf8CodeUnitCount
    }

    /// Writes a number and a semicolon.
    @inline(__always)
    mutating func put(parameter value: UInt32) {
        if value < 256 {
            put(packed: decimals.digits(value), length: decimals.length(value))
        } else {
            put(decimal: Int(value))
            put(UInt8(ascii: ";"))
        }
    }

    /// Writes the three numbers of a colour, each with a semicolon.
    @inline(__always)
    mutating func put(color: UInt32) {
        let red = color >> 16 & 255
        let green = color >> 8 & 255
        let blue = color & 255
        put(packed: decimals.digits(red), length: decimals.length(red))
        put(packed: decimals.digits(green), length: decimals.length(green))
        put(packed: decimals.digits(blue), length: decimals.length(blue))
    }

    /// Puts another byte in the place of the last one.
    @inline(__always)
    mutating func replaceLast(by byte: UInt8) { (memory.baseAddress! + count - 1).pointee = byte }

    /// Writes a number without leading zeros.
    mutating func put(decimal value: Int) {
        if value < 256 {
            let value = UInt32(truncatingIfNeeded: max(value, 0))
            put(packed: decimals.digits(value), length: decimals.length(value) - 1)
            return
        }
        if value >= 1000 { put(decimal: value / 1000) }
        put(UInt8(ascii: "0") + UInt8(value / 100 % 10))
        put(UInt8(ascii: "0") + UInt8(value / 10 % 10))
        put(UInt8(ascii: "0") + UInt8(value % 10))
    }

    mutating func put(scalar: UInt32) {
        let (word, length) = utf8(scalar)
        put(packed: word, length: length)
    }

    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        (memory.baseAddress! + count).update(from: start, count: bytes.count)
        count += bytes.count
    }
}

/// A character in UTF-8, the first byte in the low bits, and the number of bytes.
func utf8(_ scalar: UInt32) -> (word: UInt32, length: Int) {
    switch scalar {
    case 0..<0x80: (scalar, 1)
    case 0x80..<0x800: (0x80C0 | scalar >> 6 | (scalar & 0x3F) << 8, 2)
    case 0x800..<0x10000:
        (0x8080E0 | scalar >> 12 | (scalar >> 6 & 0x3F) << 8 | (scalar & 0x3F) << 16, 3)
    default:
        (
            0x8080_80F0 | scalar >> 18 | (scalar >> 12 & 0x3F) << 8 | (scalar >> 6 & 0x3F) << 16
                | (scalar & 0x3F) << 24, 4
        )
    }
}

/// Digits of a number.
@inline(__always)
func decimalLength(_ value: Int) -> Int {
    value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4
}
