/// Sixels while a chunk is written.
struct SixelOutput {
    private let memory = ScratchMemory<UInt8>(capacity: 1 << 16)
    private var count = 0

    var written: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory.start, count: count)
    }

    mutating func removeAll() { count = 0 }

    /// Makes room for so many bytes, and a few more.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) {
        memory.reserve(count &+ byteCount &+ 16, keeping: count)
    }

    /// Writes a byte, into the few that there is always room for.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        memory.start[count] = byte
        count &+= 1
    }

    /// Writes a sixel several times, the shorter way.
    @inline(__always)
    mutating func put(run: Int32, of byte: UInt8) {
        if run <= 3 {
            // Three at once; those too many are overwritten.
            memory.start[count] = byte
            memory.start[count &+ 1] = byte
            memory.start[count &+ 2] = byte
            count &+= Int(run)
        } else {
            put(UInt8(ascii: "!"))
            put(decimal: run)
            put(byte)
        }
    }

    /// Writes a number below 10000.
    @inline(__always)
    mutating func put(decimal value: Int32) {
        let value = UInt32(bitPattern: value)
        if value >= 100 {
            if value >= 1000 { put(digit: value / 1000) }
            put(digit: value / 100 % 10)
        }
        if value >= 10 { put(digit: value / 10 % 10) }
        put(digit: value % 10)
    }

    @inline(__always)
    private mutating func put(digit: UInt32) {
        put(UInt8(truncatingIfNeeded: 48 &+ digit))
    }
}
