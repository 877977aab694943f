import ElementaryStream
import Synchronization

/// Bytes in memory that come in pieces as a script says, with a record of what was asked for.
final class ScriptedByteSource: ByteSource {
    struct Record {
        /// The room of each read, in bytes.
        var requests: [Int] = []
        /// The largest value of `release(before:)`.
        var released: Int64 = 0
        var isCancelled = false
    }

    private let bytes: [UInt8]
    private let piece: @Sendable (Int) -> Int
    private let failure: (offset: Int64, error: StreamError)?
    private let state = Mutex(Record())

    let byteCount: Int64?

    /// - Parameters:
    ///   - bytes: All there is.
    ///   - isPipe: Whether the size is not known before.
    ///   - failure: What a read at or behind an offset throws.
    ///   - piece: The most that the read with this number gives.
    init(
        _ bytes: [UInt8], isPipe: Bool = false,
        failure: (offset: Int64, error: StreamError)? = nil,
        piece: @escaping @Sendable (Int) -> Int = { _ in .max }
    ) {
        self.bytes = bytes
        self.piece = piece
        self.failure = failure
        byteCount = isPipe ? nil : Int64(bytes.count)
    }

    var record: Record { state.withLock { $0 } }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int {
        let (number, isCancelled) = state.withLock { state in
            state.requests.append(buffer.count)
            return (state.requests.count - 1, state.isCancelled)
        }
        if isCancelled { throw .cancelled }
        if let failure, offset >= failure.offset { throw failure.error }
        let first = Int(clamping: offset)
        guard first < bytes.count else { return 0 }
        let count = min(buffer.count, bytes.count - first, max(1, piece(number)))
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: .init(rebasing: $0[first..<first + count]))
        }
        return count
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func release(before offset: Int64) {
        state.withLock { $0.released = max($0.released, offset) }
    }
}
