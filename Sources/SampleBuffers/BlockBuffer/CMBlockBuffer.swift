public import MediaTime
import PixelBuffers
import Synchronization

/// Bytes in one or more pieces: memory blocks, or ranges of other block buffers.
///
/// Appending is not thread safe. Everything else may be called from several threads at once; who writes the same
/// bytes must agree with who reads them.
public final class CMBlockBuffer: @unchecked Sendable {
    // SAFETY: `pieces` changes only in `append…`, which callers serialise by contract (B-13); memory blocks and
    // attachments have locks of their own.

    /// How a buffer is made or extended.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// Core Media's flag bits.
        public let rawValue: UInt32
        /// Takes any bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Allocate memory at once.
        public static let assureMemoryNow = Flags(rawValue: 1 << 0)
        /// Copy even where a reference would do.
        public static let alwaysCopyData = Flags(rawValue: 1 << 1)
        /// Keep a reference to a buffer rather than to that buffer's pieces.
        public static let dontOptimizeDepth = Flags(rawValue: 1 << 2)
        /// Allow a reference to a buffer that has no pieces yet.
        public static let permitEmptyReference = Flags(rawValue: 1 << 3)
    }

    enum Piece {
        /// `byteCount` bytes of a block.
        case memory(MemoryBlock, offset: Int, byteCount: Int)
        /// `byteCount` bytes of another buffer, looked up when read.
        case reference(CMBlockBuffer, offset: Int, byteCount: Int)

        var byteCount: Int {
            switch self {
            case .memory(_, _, let byteCount), .reference(_, _, let byteCount): byteCount
            }
        }
    }

    var pieces: [Piece] = []
    /// The sum of the pieces.
    public internal(set) var dataLength = 0
    let attachmentStore = Mutex(CMAttachmentBearerAttachments())

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: Number of pieces to make room for.
    ///   - flags: Without effect.
    /// - Throws: ``Error/badLengthParameter`` for a negative capacity.
    public init(capacity: Int = 0, flags: Flags = []) throws(MediaError) {
        guard capacity >= 0 else {
            throw Error.badLengthParameter.saying("capacity \(capacity)")
        }
        pieces.reserveCapacity(capacity)
    }

    /// Creates a buffer of one block: given, or allocated now or when first written.
    ///
    /// The form of `CMBlockBufferCreateWithMemoryBlock`.
    ///
    /// - Parameters:
    ///   - memoryBlock: The memory, or nil to have it allocated.
    ///   - blockLength: Bytes of the block, more than 0.
    ///   - allocator: Where the block comes from and how it goes.
    ///   - offsetToData: Where the data begin in the block.
    ///   - dataLength: Bytes of data.
    ///   - flags: `assureMemoryNow` allocates at once.
    /// - Throws: ``Error/badLengthParameter``, ``Error/badOffsetParameter`` or ``Error/blockAllocationFailed``. The
    ///   given block is then still the caller's.
    public convenience init(
        memoryBlock: UnsafeMutableRawPointer?, blockLength: Int,
        allocator: BlockAllocator = .system, offsetToData: Int, dataLength: Int, flags: Flags = []
    ) throws(MediaError) {
        try self.init(capacity: 1)
        try appendMemoryBlock(
            memoryBlock, blockLength: blockLength, allocator: allocator,
            offsetToData: offsetToData, dataLength: dataLength, flags: flags)
    }

    /// Creates a buffer with padded memory of its own and fills it.
    ///
    /// Ours: the one copy that compressed data see between the read buffer and libavcodec.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes of data, more than 0.
    ///   - fill: Writes all of them.
    /// - Throws: ``Error/badLengthParameter`` or ``Error/blockAllocationFailed``.
    public convenience init(
        byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(MediaError) {
        try self.init(
            memoryBlock: nil, blockLength: byteCount, offsetToData: 0, dataLength: byteCount,
            flags: .assureMemoryNow)
        try withUnsafeMutableBytes { bytes in fill(bytes) }
    }

    /// Whether there are no pieces; a block that is not allocated counts as a piece.
    public var isEmpty: Bool { pieces.isEmpty }
}
