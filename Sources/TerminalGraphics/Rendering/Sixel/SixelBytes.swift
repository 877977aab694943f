/// Memory for sixels while a chunk is written.
struct SixelBytes {
    private var memory = [UInt8](repeating: 0, count: 1 << 14)
    private var count = 0

    mutating func removeAll() { count = 0 }

    var written: ArraySlice<UInt8> { memory[..<count] }

    @inline(__always)
    mutating func reserve(_ byteCount: Int) {
        if memory.count < count + byteCount + 16 {
            memory.append(contentsOf: repeatElement(0, count: memory.count + byteCount))
        }
    }

    /// Writes one byte.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        reserve(1)
        memory[count] = byte
        count &+= 1
    }

    /// Chooses a colour.
    mutating func put(register: UInt8) {
        put(UInt8(ascii: "#"))
        put(decimal: Int32(register))
    }

    /// Writes a sixel several times, shortly.
    @inline(__always)
    mutating func put(run: Int32, of byte: UInt8) {
        if run <= 3 {
            for _ in 0..<max(run, 0) { put(byte) }
            return
        }
        put(UInt8(ascii: "!"))
        put(decimal: run)
        put(byte)
    }

    private mutating func put(decimal value: Int32) {
        if value >= 1000 { put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 1000)) }
        if value >= 100 { put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 100 % 10)) }
        if value >= 10 { put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10 % 10)) }
        put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }
}
