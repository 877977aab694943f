public import MediaTime

/// A block buffer or a slice of one.
public protocol CMBlockBufferProtocol {
    /// The buffer behind.
    var owner: CMBlockBuffer { get }
    /// The first byte's offset in ``owner``.
    var startIndex: Int { get }
    /// The offset in ``owner`` behind the last byte.
    var endIndex: Int { get }
}

extension CMBlockBuffer {
    /// A range of a block buffer, by reference.
    public struct Slice: CMBlockBufferProtocol, Sendable {
        /// The buffer behind.
        public let owner: CMBlockBuffer
        /// The first byte's offset in ``owner``.
        public let startIndex: Int
        /// The offset in ``owner`` behind the last byte.
        public let endIndex: Int
    }
}

extension CMBlockBuffer: CMBlockBufferProtocol {
    /// The buffer itself.
    public var owner: CMBlockBuffer { self }
    /// 0.
    public var startIndex: Int { 0 }
    /// ``dataLength``.
    public var endIndex: Int { dataLength }
}

extension CMBlockBufferProtocol {
    /// A range as a slice, without copying; it is checked when used.
    public subscript(bounds: Range<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(
            owner: owner, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }

    /// A range as a slice, without copying; it is checked when used.
    public subscript(bounds: ClosedRange<Int>) -> CMBlockBuffer.Slice {
        self[bounds.lowerBound..<bounds.upperBound + 1]
    }

    /// Everything before an offset as a slice.
    public subscript(bounds: PartialRangeUpTo<Int>) -> CMBlockBuffer.Slice {
        self[startIndex..<max(startIndex, bounds.upperBound)]
    }

    /// Everything up to an offset, that byte included, as a slice.
    public subscript(bounds: PartialRangeThrough<Int>) -> CMBlockBuffer.Slice {
        self[startIndex..<max(startIndex, bounds.upperBound + 1)]
    }

    /// Everything from an offset as a slice.
    public subscript(bounds: PartialRangeFrom<Int>) -> CMBlockBuffer.Slice {
        self[bounds.lowerBound..<max(bounds.lowerBound, endIndex)]
    }

    /// Everything as a slice.
    public subscript(bounds: UnboundedRange) -> CMBlockBuffer.Slice { self[startIndex..<endIndex] }

    /// Number of bytes.
    public var dataLength: Int { endIndex - startIndex }

    /// Whether all bytes lie in one piece; false when empty.
    public var isContiguous: Bool {
        owner.isRangeContiguous(atOffset: startIndex, length: dataLength)
    }

    /// A buffer whose bytes are in one piece: a reference where they already are, else a copy.
    ///
    /// - Parameters:
    ///   - allocator: Where a copy's memory comes from.
    ///   - flags: `alwaysCopyData` copies in any case.
    /// - Returns: The new buffer.
    /// - Throws: An error of ``CMBlockBuffer/Error``.
    public func makeContiguous(
        allocator: CMBlockBuffer.BlockAllocator = .system, flags: CMBlockBuffer.Flags = []
    ) throws(MediaError) -> CMBlockBuffer {
        try owner.makeContiguous(
            atOffset: startIndex, length: dataLength, allocator: allocator, flags: flags)
    }

    /// A buffer whose bytes are in one piece, a copy's memory coming from a source of your own.
    ///
    /// - Parameters:
    ///   - allocator: Gives the block, at most once.
    ///   - deallocator: Takes it back, with the last reference.
    ///   - flags: `alwaysCopyData` copies in any case.
    /// - Returns: The new buffer.
    /// - Throws: An error of ``CMBlockBuffer/Error``.
    public func makeContiguous(
        allocator: @escaping CMBlockBuffer.CustomBlockAllocator,
        deallocator: @escaping CMBlockBuffer.CustomBlockDeallocator,
        flags: CMBlockBuffer.Flags = []
    ) throws(MediaError) -> CMBlockBuffer {
        try makeContiguous(
            allocator: .init(allocate: allocator, deallocate: deallocator), flags: flags)
    }

    /// Lends all bytes in one piece: in place, or as a copy when they lie in several.
    ///
    /// - Parameter body: Reads them.
    /// - Returns: What `body` returns.
    /// - Throws: An error of ``CMBlockBuffer/Error``, or what `body` throws.
    public func withContiguousStorage<R>(
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        let buffer = try makeContiguous()
        return try buffer.withUnsafeMutableBytes { bytes in try body(UnsafeRawBufferPointer(bytes))
        }
    }

    /// A copy of all bytes.
    ///
    /// - Returns: The bytes.
    /// - Throws: An error of ``CMBlockBuffer/Error``; an empty buffer is one.
    public func dataBytes() throws(MediaError) -> [UInt8] {
        var failure: MediaError?
        let count = dataLength
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, initialized in
            do throws(MediaError) {
                try owner.copyDataBytes(
                    atOffset: startIndex, length: count,
                    to: UnsafeMutableRawPointer(buffer.baseAddress!))
                initialized = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Copies all bytes out.
    ///
    /// - Parameter destination: Room for all of them.
    /// - Throws: ``CMBlockBuffer/Error/insufficientSpace``, or another of ``CMBlockBuffer/Error``.
    public func copyDataBytes(to destination: UnsafeMutableRawBufferPointer) throws(MediaError) {
        guard !owner.isEmpty else { throw CMBlockBuffer.Error.emptyBlockBuffer }
        guard destination.count >= dataLength, let start = destination.baseAddress else {
            throw CMBlockBuffer.Error.insufficientSpace.saying(
                "\(dataLength) bytes do not fit into \(destination.count)")
        }
        try owner.copyDataBytes(atOffset: startIndex, length: dataLength, to: start)
    }

    /// Overwrites all bytes.
    ///
    /// - Parameter sourceBytes: As many bytes as there are here.
    /// - Throws: ``CMBlockBuffer/Error/badLengthParameter`` when there are more or fewer, or another of
    ///   ``CMBlockBuffer/Error``.
    public func replaceDataBytes(with sourceBytes: UnsafeRawBufferPointer) throws(MediaError) {
        guard !owner.isEmpty else { throw CMBlockBuffer.Error.emptyBlockBuffer }
        guard sourceBytes.count == dataLength else {
            throw CMBlockBuffer.Error.badLengthParameter.saying(
                "\(sourceBytes.count) bytes for \(dataLength)")
        }
        try owner.replaceDataBytes(with: sourceBytes, atOffset: startIndex)
    }

    /// Sets all bytes; of an empty slice, all from there to the end of its buffer, as Apple's does.
    ///
    /// - Parameter fillByte: The value.
    /// - Throws: An error of ``CMBlockBuffer/Error``; an empty buffer is one.
    public func fillDataBytes(with fillByte: UInt8) throws(MediaError) {
        try owner.fillDataBytes(with: fillByte, atOffset: startIndex, length: dataLength)
    }
}
