/// Sixels while a chunk is written.
struct SixelOutput {
    private let memory = ScratchMemory<UInt8>(capacity: 1 << 16)
    private var count = 0

    var written: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory.start, count: count)
    }

    mutating func removeAll() { count = 0 }

    /// The place behind what is written, with room for so many bytes.
    mutating func cursor(reserving byteCount: Int) -> SixelCursor {
        memory.reserve(count + byteCount + 16, keeping: count)
        return SixelCursor(memory.start + count)
    }

    /// Takes over what was written at a cursor.
    mutating func end(_ cursor: SixelCursor) { count = cursor.place - memory.start }
}
