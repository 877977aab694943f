import Glibc
public import MediaTime

extension CMBlockBuffer {
    /// Finds the piece of memory that holds a byte.
    ///
    /// - Returns: Its block, the byte's offset in it, and the bytes to the end of the piece; nil where a referenced
    ///   buffer does not hold the byte (yet).
    func locate(_ offset: Int) -> (block: MemoryBlock, offset: Int, byteCount: Int)? {
        var start = 0
        for piece in pieces {
            let inside = offset - start
            if inside < piece.byteCount {
                switch piece {
                case .memory(let block, let first, let byteCount):
                    return (block, first + inside, byteCount - inside)
                case .reference(let target, let first, let byteCount):
                    guard let found = target.locate(first + inside) else { return nil }
                    return (found.block, found.offset, min(found.byteCount, byteCount - inside))
                }
            }
            start += piece.byteCount
        }
        return nil
    }

    private func located(
        _ offset: Int
    ) throws(MediaError) -> (block: MemoryBlock, offset: Int, byteCount: Int) {
        guard let found = locate(offset) else {
            throw Error.unallocatedBlock.saying("a referenced buffer has no byte for \(offset)")
        }
        return found
    }

    /// Calls `body` with the memory of a checked range, in order.
    private func forEachSegment(
        in range: Range<Int>, allocating: Bool,
        _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(MediaError) {
        // Twice through: nothing is touched unless everything is there.
        for isDry in [true, false] {
            var offset = range.lowerBound
            while offset < range.upperBound {
                let found = try located(offset)
                let start =
                    if allocating { try found.block.assureMemory() } else { found.block.start }
                guard let start else { throw Error.unallocatedBlock }
                let byteCount = min(found.byteCount, range.upperBound - offset)
                if !isDry { body(.init(start: start + found.offset, count: byteCount)) }
                offset += byteCount
            }
        }
    }

    /// Finds the memory of a byte: the form of `CMBlockBufferGetDataPointer`.
    ///
    /// - Parameter offset: The byte's offset, less than ``dataLength``.
    /// - Returns: Its address, valid as long as the buffer; the bytes to the end of that piece; and ``dataLength``.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter`` or ``Error/unallocatedBlock``.
    public func dataPointer(
        atOffset offset: Int
    ) throws(MediaError) -> (
        pointer: UnsafeMutableRawPointer, lengthAtOffset: Int, totalLength: Int
    ) {
        guard !isEmpty else { throw Error.emptyBlockBuffer }
        guard (0..<dataLength).contains(offset) else {
            throw Error.badOffsetParameter.saying("offset \(offset) in \(dataLength) bytes")
        }
        let found = try located(offset)
        guard let start = found.block.start else { throw Error.unallocatedBlock }
        return (start + found.offset, found.byteCount, dataLength)
    }

    /// Lends the bytes from an offset to the end of its piece.
    ///
    /// - Parameters:
    ///   - offset: Where to begin, less than ``dataLength``.
    ///   - body: Reads or writes them.
    /// - Returns: What `body` returns.
    /// - Throws: As ``dataPointer(atOffset:)``, or what `body` throws.
    public func withUnsafeMutableBytes<R>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> R {
        let found = try dataPointer(atOffset: offset)
        defer { withExtendedLifetime(self) {} }
        return try body(.init(start: found.pointer, count: found.lengthAtOffset))
    }

    /// Lends the bytes from an offset to the end of its piece, to a body that cannot throw.
    ///
    /// - Parameters:
    ///   - offset: Where to begin, less than ``dataLength``.
    ///   - body: Reads or writes them.
    /// - Returns: What `body` returns.
    /// - Throws: As ``dataPointer(atOffset:)``.
    public func withUnsafeMutableBytes<R>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) -> R
    ) throws(MediaError) -> R {
        let found = try dataPointer(atOffset: offset)
        defer { withExtendedLifetime(self) {} }
        return body(.init(start: found.pointer, count: found.lengthAtOffset))
    }

    /// Allocates every block that is not allocated.
    ///
    /// - Throws: ``Error/emptyBlockBuffer`` or ``Error/blockAllocationFailed``.
    public func assureBlockMemory() throws(MediaError) {
        guard !isEmpty else { throw Error.emptyBlockBuffer }
        for piece in pieces {
            switch piece {
            case .memory(let block, _, _): _ = try block.assureMemory()
            case .reference(let target, _, _):
                if !target.isEmpty { try target.assureBlockMemory() }
            }
        }
    }

    /// Copies a range out, over as many pieces as it spans.
    ///
    /// - Parameters:
    ///   - offset: Where the range begins.
    ///   - length: Its bytes, more than 0.
    ///   - destination: Room for so many bytes.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter``, ``Error/badLengthParameter`` or
    ///   ``Error/unallocatedBlock``.
    public func copyDataBytes(
        atOffset offset: Int, length: Int, to destination: UnsafeMutableRawPointer
    ) throws(MediaError) {
        guard isEmpty || length > 0 else {
            throw Error.badLengthParameter.saying("\(length) bytes")
        }
        var next = destination
        try forEachSegment(
            in: try checkedRange(atOffset: offset, length: length), allocating: false
        ) { segment in
            next.copyMemory(from: segment.baseAddress!, byteCount: segment.count)
            next += segment.count
        }
    }

    /// Overwrites a range, allocating memory first where there is none.
    ///
    /// - Parameters:
    ///   - source: The bytes, at least one.
    ///   - offset: Where they go.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter``, ``Error/badLengthParameter`` or
    ///   ``Error/blockAllocationFailed``; the buffer is then as before.
    public func replaceDataBytes(
        with source: UnsafeRawBufferPointer, atOffset offset: Int
    ) throws(MediaError) {
        guard isEmpty || source.count > 0 else { throw Error.badLengthParameter.saying("0 bytes") }
        let range = try checkedRange(atOffset: offset, length: source.count)
        var used = 0
        try forEachSegment(in: range, allocating: true) { segment in
            segment.copyMemory(from: .init(rebasing: source[used..<used + segment.count]))
            used += segment.count
        }
    }

    /// Sets every byte of a range, allocating memory first where there is none.
    ///
    /// - Parameters:
    ///   - fillByte: The value.
    ///   - offset: Where the range begins.
    ///   - length: Its bytes; 0 for all to the end.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter``, ``Error/badLengthParameter`` or
    ///   ``Error/blockAllocationFailed``; the buffer is then as before.
    public func fillDataBytes(
        with fillByte: UInt8, atOffset offset: Int, length: Int
    ) throws(MediaError) {
        let range = try checkedRange(atOffset: offset, length: length)
        try forEachSegment(in: range, allocating: true) { segment in
            memset(segment.baseAddress!, Int32(fillByte), segment.count)
        }
    }

    /// Whether a range lies in one piece.
    ///
    /// - Parameters:
    ///   - offset: Where the range begins.
    ///   - length: Its bytes; 0 for all to the end.
    /// - Returns: Whether it does; false for an empty buffer and out of range.
    public func isRangeContiguous(atOffset offset: Int, length: Int) -> Bool {
        guard let range = try? checkedRange(atOffset: offset, length: length), !range.isEmpty,
            let found = locate(range.lowerBound)
        else { return false }
        return found.byteCount >= range.count
    }

    /// Finds a range in one piece, or copies it there: the form of `CMBlockBufferAccessDataBytes`.
    ///
    /// - Parameters:
    ///   - offset: Where the range begins.
    ///   - length: Its bytes, more than 0.
    ///   - temporaryBlock: Room for so many bytes, used when the range spans pieces.
    /// - Returns: Where the bytes are: in the buffer, or `temporaryBlock`.
    /// - Throws: As ``copyDataBytes(atOffset:length:to:)``.
    public func accessDataBytes(
        atOffset offset: Int, length: Int, temporaryBlock: UnsafeMutableRawPointer
    ) throws(MediaError) -> UnsafeMutableRawPointer {
        if length > 0, isRangeContiguous(atOffset: offset, length: length) {
            return try dataPointer(atOffset: offset).pointer
        }
        try copyDataBytes(atOffset: offset, length: length, to: temporaryBlock)
        return temporaryBlock
    }

    /// A buffer whose range is in one piece: a reference where it already is, else a copy.
    ///
    /// - Parameters:
    ///   - offset: Where the range begins.
    ///   - length: Its bytes; 0 for all to the end.
    ///   - allocator: Where a copy's memory comes from.
    ///   - flags: `alwaysCopyData` copies in any case.
    /// - Returns: The new buffer.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter``, ``Error/badLengthParameter``,
    ///   ``Error/unallocatedBlock`` or ``Error/blockAllocationFailed``.
    public func makeContiguous(
        atOffset offset: Int, length: Int, allocator: BlockAllocator = .system, flags: Flags = []
    ) throws(MediaError) -> CMBlockBuffer {
        let range = try checkedRange(atOffset: offset, length: length)
        let result = try CMBlockBuffer(capacity: 1)
        if !flags.contains(.alwaysCopyData),
            isRangeContiguous(atOffset: offset, length: range.count)
        {
            try result.appendBufferReference(
                to: self, offsetToData: offset, dataLength: range.count, flags: flags)
            return result
        }
        try result.append(
            length: range.count, allocator: allocator, flags: flags.union(.assureMemoryNow))
        try copyDataBytes(
            atOffset: offset, length: range.count, to: result.dataPointer(atOffset: 0).pointer)
        return result
    }
}
