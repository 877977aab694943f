import Glibc

extension CMBlockBuffer {
    /// Gives a block of memory of at least so many bytes, or nil.
    public typealias CustomBlockAllocator = @Sendable (Int) -> UnsafeMutableRawPointer?
    /// Takes back a block of memory and its size in bytes.
    public typealias CustomBlockDeallocator = @Sendable (UnsafeMutableRawPointer, Int) -> Void

    /// Where a memory block comes from, and how it goes.
    public struct BlockAllocator: Sendable {
        let allocate: CustomBlockAllocator
        let deallocate: CustomBlockDeallocator
        /// Whether blocks it allocates have zeroed padding behind them.
        let isPadded: Bool

        /// A source of your own.
        ///
        /// - Parameters:
        ///   - allocate: Called at most once for each block that is not given.
        ///   - deallocate: Called exactly once for each block, given or allocated.
        public init(
            allocate: @escaping CustomBlockAllocator, deallocate: @escaping CustomBlockDeallocator
        ) {
            self.init(allocate: allocate, deallocate: deallocate, isPadded: false)
        }

        private init(
            allocate: @escaping CustomBlockAllocator, deallocate: @escaping CustomBlockDeallocator,
            isPadded: Bool
        ) {
            self.allocate = allocate
            self.deallocate = deallocate
            self.isPadded = isPadded
        }

        /// `malloc` and `free`: a given block is freed with the last reference.
        ///
        /// Blocks it allocates have ``CMBlockBuffer/paddingByteCount`` zero bytes behind them.
        public static let system = BlockAllocator(
            allocate: { byteCount in
                let (total, overflow) = byteCount.addingReportingOverflow(paddingByteCount)
                guard !overflow, let block = malloc(total) else { return nil }
                memset(block + byteCount, 0, paddingByteCount)
                return block
            }, deallocate: { block, _ in free(block) }, isPadded: true)

        /// Never allocates and never frees: for memory that is only borrowed (`kCFAllocatorNull`).
        ///
        /// The owner keeps the memory valid as long as any buffer, sample or decoder may read it.
        public static let none = BlockAllocator(
            allocate: { _ in nil }, deallocate: { _, _ in }, isPadded: false)
    }

    /// Bytes behind a block that libavcodec's bit readers may read; they are zero.
    ///
    /// `AV_INPUT_BUFFER_PADDING_SIZE`.
    package static var paddingByteCount: Int { 64 }
}
