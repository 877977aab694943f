/// The part of a byte source that a parser looks at: one reused buffer that slides along the stream.
///
/// Not thread safe: each reader has its own.
package struct ByteWindow: ~Copyable {
    private let source: any ByteSource
    private let releases: Bool
    private var buffer: UnsafeMutableRawBufferPointer
    private var filled = 0

    /// The absolute offset of the window's first byte.
    package private(set) var offset: Int64
    /// Whether the source has nothing behind the window.
    package private(set) var isAtEnd = false

    /// - Parameters:
    ///   - source: What to read.
    ///   - offset: Where to begin.
    ///   - releases: Whether nobody else reads the source: what is in the window, or was, is let go of there.
    ///   - byteCount: How much one read asks for; the buffer grows as the parser needs it.
    package init(
        on source: any ByteSource, from offset: Int64, releases: Bool = false,
        byteCount: Int = 512 << 10
    ) {
        self.source = source
        self.releases = releases
        self.offset = offset
        buffer = .allocate(byteCount: byteCount, alignment: 64)
    }

    deinit { buffer.deallocate() }

    /// The bytes read and not yet dropped.
    package var bytes: UnsafeRawBufferPointer { .init(rebasing: buffer[..<filled]) }

    /// The absolute offset behind the window's last byte.
    package var endOffset: Int64 { offset + Int64(filled) }

    /// The bytes at absolute offsets, nil where the window does not hold them all.
    package func bytes(at start: Int64, count: Int) -> UnsafeRawBufferPointer? {
        guard start >= offset, count >= 0, start - offset + Int64(count) <= Int64(filled) else {
            return nil
        }
        let first = Int(start - offset)
        return .init(rebasing: buffer[first..<first + count])
    }

    /// Drops what stands before `needed` and reads on behind the rest.
    ///
    /// - Parameters:
    ///   - needed: Where the parser goes on.
    ///   - patience: Nanoseconds to wait for bytes; nil waits for ever.
    /// - Returns: False where no byte came in that time.
    /// - Throws: What the source throws.
    @discardableResult
    package mutating func slide(
        keepingFrom needed: Int64, patience: UInt64? = nil
    ) throws(StreamError) -> Bool {
        let dropped = Int(min(max(needed - offset, 0), Int64(filled)))
        if dropped == filled {
            filled = 0
        } else if filled == buffer.count, dropped >= buffer.count / 2 {
            buffer.copyMemory(from: .init(rebasing: buffer[dropped..<filled]))
            filled -= dropped
        } else if filled == buffer.count {
            // Grown, not shifted, while most of it is needed: a shift a read would be quadratic.
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: buffer.count * 2, alignment: 64)
            larger.copyMemory(from: .init(rebasing: buffer[dropped..<filled]))
            buffer.deallocate()
            buffer = larger
            filled -= dropped
        } else {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            return try fill(room, patience)
        }
        offset += Int64(dropped)
        return try fill(.init(rebasing: buffer[filled...]), patience)
    }

    private mutating func fill(
        _ room: UnsafeMutableRawBufferPointer, _ patience: UInt64?
    ) throws(StreamError) -> Bool {
        let count: Int
        if let patience {
            guard let read = try source.read(into: room, at: endOffset, patience: patience) else {
                return false
            }
            count = read
        } else {
            count = try source.read(into: room, at: endOffset)
        }
        filled += count
        if count == 0 { isAtEnd = true }
        if releases { source.release(before: endOffset) }
        return true
    }
}
