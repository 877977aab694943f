import Glibc
import Synchronization

/// A regular file, read with `pread`.
///
/// Not mapped: a mapped file that shrinks while it plays would kill the player.
public final class FileByteSource: ByteSource {
    private let descriptor: Int32
    private let isCancelled = Atomic(false)

    /// The size when the file was opened, in bytes.
    public let byteCount: Int64?

    /// Takes over an open descriptor of a regular file; it is closed when the source goes.
    public init(descriptor: Int32, byteCount: Int64) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    /// Reads at a place of the file; see ``ByteSource/read(into:at:)``.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int {
        while true {
            if isCancelled.load(ordering: .acquiring) { throw .cancelled }
            let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw .system(call: "pread", errno: errno) }
        }
    }

    /// Ends every read.
    public func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// Does nothing: nothing is kept.
    public func release(before offset: Int64) {}
}
