public import MediaTime

extension CMBlockBuffer {
    /// Adds a block to the end: given, or allocated now or when first written.
    ///
    /// - Parameters:
    ///   - memoryBlock: The memory, or nil to have it allocated.
    ///   - blockLength: Bytes of the block, more than 0.
    ///   - allocator: Where the block comes from and how it goes.
    ///   - offsetToData: Where the data begin in the block.
    ///   - dataLength: Bytes of data.
    ///   - flags: `assureMemoryNow` allocates at once.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``. The
    ///   given block is then still the caller's, and the buffer as before.
    public func appendMemoryBlock(
        _ memoryBlock: UnsafeMutableRawPointer?, blockLength: Int,
        allocator: BlockAllocator = .system, offsetToData: Int, dataLength: Int, flags: Flags = []
    ) throws(MediaError) {
        guard blockLength > 0 else {
            throw Error.badLengthParameter.saying("a memory block of \(blockLength) bytes")
        }
        guard (0...blockLength).contains(offsetToData) else {
            throw Error.badOffsetParameter.saying("offset \(offsetToData) in \(blockLength) bytes")
        }
        guard (0...(blockLength - offsetToData)).contains(dataLength) else {
            throw Error.badLengthParameter.saying(
                "\(dataLength) bytes at \(offsetToData) in \(blockLength) bytes")
        }
        let block = MemoryBlock(address: memoryBlock, byteCount: blockLength, allocator: allocator)
        if flags.contains(.assureMemoryNow) { _ = try block.assureMemory() }
        add(.memory(block, offset: offsetToData, byteCount: dataLength))
    }

    /// Adds a range of another buffer to the end, by reference.
    ///
    /// - Parameters:
    ///   - target: The other buffer; it is kept alive.
    ///   - offsetToData: Where the range begins.
    ///   - dataLength: Its bytes; 0 for all to the end.
    ///   - flags: `permitEmptyReference` allows a buffer whose data come later, `dontOptimizeDepth` refers to the
    ///     buffer instead of its pieces.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter`` or ``Error/badLengthParameter``.
    public func appendBufferReference(
        to target: CMBlockBuffer, offsetToData: Int, dataLength: Int, flags: Flags = []
    ) throws(MediaError) {
        if target.isEmpty {
            guard flags.contains(.permitEmptyReference) else { throw Error.emptyBlockBuffer }
            guard offsetToData >= 0 else {
                throw Error.badOffsetParameter.saying("offset \(offsetToData)")
            }
            guard dataLength >= 0 else {
                throw Error.badLengthParameter.saying("length \(dataLength)")
            }
            add(.reference(target, offset: offsetToData, byteCount: dataLength))
            return
        }
        let range = try target.checkedRange(atOffset: offsetToData, length: dataLength)
        if flags.contains(.dontOptimizeDepth) {
            add(.reference(target, offset: range.lowerBound, byteCount: range.count))
        } else {
            // A buffer may be appended to itself: its pieces are read before the first is added.
            for piece in target.pieces(in: range) { add(piece) }
        }
    }

    private func add(_ piece: Piece) {
        pieces.append(piece)
        dataLength += piece.byteCount
    }

    /// The range of `length` bytes at `offset`, 0 meaning to the end, if it lies in the buffer.
    func checkedRange(atOffset offset: Int, length: Int) throws(MediaError) -> Range<Int> {
        guard !isEmpty else { throw Error.emptyBlockBuffer }
        guard (0..<max(dataLength, 1)).contains(offset) else {
            throw Error.badOffsetParameter.saying("offset \(offset) in \(dataLength) bytes")
        }
        guard (0...(dataLength - offset)).contains(length) else {
            throw Error.badLengthParameter.saying(
                "\(length) bytes at \(offset) in \(dataLength) bytes")
        }
        return offset..<(length == 0 ? dataLength : offset + length)
    }

    /// The parts of the pieces that make up a range of the buffer.
    func pieces(in range: Range<Int>) -> [Piece] {
        var result: [Piece] = []
        var start = 0
        for piece in pieces {
            let part = range.clamped(to: start..<start + piece.byteCount)
            if !part.isEmpty {
                let skipped = part.lowerBound - start
                switch piece {
                case .memory(let block, let offset, _):
                    result.append(.memory(block, offset: offset + skipped, byteCount: part.count))
                case .reference(let target, let offset, _):
                    result.append(
                        .reference(target, offset: offset + skipped, byteCount: part.count))
                }
            }
            start += piece.byteCount
        }
        return result
    }
}

// MARK: The overlay's parameter lists

extension CMBlockBuffer {
    /// Creates a buffer over given memory.
    ///
    /// - Parameters:
    ///   - buffer: The memory; borrowed until `allocator` frees it, with the last reference.
    ///   - allocator: How the memory goes: `free` unless told otherwise, ``BlockAllocator/none`` for never.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public convenience init(
        buffer: UnsafeMutableRawBufferPointer, allocator: BlockAllocator = .system,
        flags: Flags = []
    ) throws(MediaError) {
        try self.init(capacity: 1)
        try append(buffer: buffer, allocator: allocator, flags: flags)
    }

    /// Creates a buffer over a part of given memory.
    ///
    /// - Parameters:
    ///   - buffer: The part; the memory behind it is freed whole.
    ///   - allocator: How the memory goes.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public convenience init(
        buffer: Swift.Slice<UnsafeMutableRawBufferPointer>, allocator: BlockAllocator = .system,
        flags: Flags = []
    ) throws(MediaError) {
        try self.init(capacity: 1)
        try append(buffer: buffer, allocator: allocator, flags: flags)
    }

    /// Creates a buffer over given memory.
    ///
    /// - Parameters:
    ///   - buffer: The memory; borrowed until `deallocator` runs.
    ///   - deallocator: Runs once, with the last reference, on any thread.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public convenience init(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator,
        flags: Flags = []
    ) throws(MediaError) {
        try self.init(
            buffer: buffer,
            allocator: BlockAllocator(allocate: { _ in nil }, deallocate: deallocator),
            flags: flags)
    }

    /// Creates a buffer over a part of given memory.
    ///
    /// - Parameters:
    ///   - buffer: The part; the memory behind it is given to `deallocator` whole.
    ///   - deallocator: Runs once, with the last reference, on any thread.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public convenience init(
        buffer: Swift.Slice<UnsafeMutableRawBufferPointer>,
        deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
    ) throws(MediaError) {
        try self.init(
            buffer: buffer,
            allocator: BlockAllocator(allocate: { _ in nil }, deallocate: deallocator),
            flags: flags)
    }

    /// Creates a buffer of undefined contents.
    ///
    /// - Parameters:
    ///   - length: Bytes of the memory block.
    ///   - allocator: Where the block comes from and how it goes.
    ///   - range: The part of the block that holds data; all of it unless told.
    ///   - flags: `assureMemoryNow` allocates at once, else the first write does.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``.
    public convenience init(
        length: Int, allocator: BlockAllocator = .system, range: Range<Int>? = nil,
        flags: Flags = []
    ) throws(MediaError) {
        try self.init(capacity: 1)
        try append(length: length, allocator: allocator, range: range, flags: flags)
    }

    /// Creates a buffer of undefined contents, its memory from a source of your own.
    ///
    /// - Parameters:
    ///   - length: Bytes of the memory block.
    ///   - allocator: Gives the block, once.
    ///   - deallocator: Takes it back, once, with the last reference.
    ///   - range: The part of the block that holds data; all of it unless told.
    ///   - flags: `assureMemoryNow` allocates at once, else the first write does.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``.
    public convenience init(
        length: Int, allocator: @escaping CustomBlockAllocator,
        deallocator: @escaping CustomBlockDeallocator, range: Range<Int>? = nil, flags: Flags = []
    ) throws(MediaError) {
        try self.init(
            length: length,
            allocator: BlockAllocator(allocate: allocator, deallocate: deallocator), range: range,
            flags: flags)
    }

    /// Creates a buffer that refers to another, or to a slice of one.
    ///
    /// - Parameters:
    ///   - bufferReference: The other buffer; it is kept alive.
    ///   - flags: See ``appendBufferReference(to:offsetToData:dataLength:flags:)``.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter`` or ``Error/badLengthParameter``.
    public convenience init<T: CMBlockBufferProtocol>(
        bufferReference: T, flags: Flags = []
    ) throws(MediaError) {
        try self.init(capacity: 1)
        try append(bufferReference: bufferReference, flags: flags)
    }

    /// Adds given memory to the end.
    ///
    /// - Parameters:
    ///   - buffer: The memory; borrowed until `allocator` frees it, with the last reference.
    ///   - allocator: How the memory goes.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public func append(
        buffer: UnsafeMutableRawBufferPointer, allocator: BlockAllocator = .system,
        flags: Flags = []
    ) throws(MediaError) {
        try append(buffer: buffer[...], allocator: allocator, flags: flags)
    }

    /// Adds a part of given memory to the end.
    ///
    /// - Parameters:
    ///   - buffer: The part; the memory behind it is freed whole.
    ///   - allocator: How the memory goes.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public func append(
        buffer: Swift.Slice<UnsafeMutableRawBufferPointer>, allocator: BlockAllocator = .system,
        flags: Flags = []
    ) throws(MediaError) {
        guard let start = buffer.base.baseAddress else {
            throw Error.badLengthParameter.saying("a memory block of 0 bytes")
        }
        try appendMemoryBlock(
            start, blockLength: buffer.base.count, allocator: allocator,
            offsetToData: buffer.startIndex, dataLength: buffer.count, flags: flags)
    }

    /// Adds given memory to the end.
    ///
    /// - Parameters:
    ///   - buffer: The memory; borrowed until `deallocator` runs.
    ///   - deallocator: Runs once, with the last reference, on any thread.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for no bytes.
    public func append(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator,
        flags: Flags = []
    ) throws(MediaError) {
        try append(
            buffer: buffer,
            allocator: BlockAllocator(allocate: { _ in nil }, deallocate: deallocator),
            flags: flags)
    }

    /// Adds a block of undefined contents to the end.
    ///
    /// - Parameters:
    ///   - length: Bytes of the memory block.
    ///   - allocator: Where the block comes from and how it goes.
    ///   - range: The part of the block that holds data; all of it unless told.
    ///   - flags: `assureMemoryNow` allocates at once, else the first write does.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``.
    public func append(
        length: Int, allocator: BlockAllocator = .system, range: Range<Int>? = nil,
        flags: Flags = []
    ) throws(MediaError) {
        try appendMemoryBlock(
            nil, blockLength: length, allocator: allocator, offsetToData: range?.lowerBound ?? 0,
            dataLength: range?.count ?? length, flags: flags)
    }

    /// Adds a block of undefined contents from a source of your own to the end.
    ///
    /// - Parameters:
    ///   - length: Bytes of the memory block.
    ///   - allocator: Gives the block, once.
    ///   - deallocator: Takes it back, once, with the last reference.
    ///   - range: The part of the block that holds data; all of it unless told.
    ///   - flags: `assureMemoryNow` allocates at once, else the first write does.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``.
    public func append(
        length: Int, allocator: @escaping CustomBlockAllocator,
        deallocator: @escaping CustomBlockDeallocator, range: Range<Int>? = nil, flags: Flags = []
    ) throws(MediaError) {
        try append(
            length: length,
            allocator: BlockAllocator(allocate: allocator, deallocate: deallocator), range: range,
            flags: flags)
    }

    /// Adds a reference to another buffer, or to a slice of one, to the end.
    ///
    /// - Parameters:
    ///   - bufferReference: The other buffer; it is kept alive.
    ///   - flags: See ``appendBufferReference(to:offsetToData:dataLength:flags:)``.
    /// - Throws: ``Error/emptyBlockBuffer``, ``Error/badOffsetParameter`` or ``Error/badLengthParameter``.
    public func append<T: CMBlockBufferProtocol>(
        bufferReference: T, flags: Flags = []
    ) throws(MediaError) {
        try appendBufferReference(
            to: bufferReference.owner, offsetToData: bufferReference.startIndex,
            dataLength: bufferReference.dataLength, flags: flags)
    }
}
