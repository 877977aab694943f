import MediaTime
import Synchronization

/// One block of memory, allocated when first needed; freed once, with the last reference.
final class MemoryBlock: @unchecked Sendable {
    // SAFETY: `address` is written once, under the mutex, and read under it.

    let byteCount: Int
    let allocator: CMBlockBuffer.BlockAllocator
    /// Whether zeroed padding follows, once the block is allocated.
    let isPadded: Bool
    private let address: Mutex<UInt>

    init(
        address: UnsafeMutableRawPointer?, byteCount: Int, allocator: CMBlockBuffer.BlockAllocator
    ) {
        self.byteCount = byteCount
        self.allocator = allocator
        isPadded = address == nil && allocator.isPadded
        self.address = Mutex(UInt(bitPattern: address))
    }

    deinit {
        if let start { allocator.deallocate(start, byteCount) }
    }

    /// The first byte; nil while not allocated.
    var start: UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: address.withLock { $0 })
    }

    /// The first byte, after allocating the block if need be.
    func assureMemory() throws(MediaError) -> UnsafeMutableRawPointer {
        let bits = address.withLock { address -> UInt in
            if address == 0 { address = UInt(bitPattern: allocator.allocate(byteCount)) }
            return address
        }
        guard let start = UnsafeMutableRawPointer(bitPattern: bits) else {
            throw CMBlockBuffer.Error.blockAllocationFailed.saying(
                "no memory block of \(byteCount) bytes")
        }
        return start
    }
}
