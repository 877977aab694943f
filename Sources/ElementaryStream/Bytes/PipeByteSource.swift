import Glibc
import MediaTime
import Synchronization

/// A pipe, terminal or socket: read as it comes, with the newest bytes kept so that a player can go back.
///
/// The pipe is read only when somebody asks for bytes that are not here yet, so a writer is held up
/// by a player that is paused. At most ``retainedByteLimit`` bytes stay behind the play position.
public final class PipeByteSource: ByteSource {
    private static let chunkByteCount = 256 << 10

    private struct State {
        /// Filled one after another; all but the last are full.
        var chunks: [[UInt8]] = []
        /// The absolute offset of the first byte of `chunks`.
        var start: Int64 = 0
        /// The absolute offset behind the last byte read.
        var end: Int64 = 0
        var isAtEnd = false
        var isReading = false
        var isCancelled = false
        var failure: Int32?
        /// No byte at or behind this is dropped.
        var protected: Int64 = 0
    }

    private let descriptor: Int32
    private let wake = WakePipe()
    private let retainedByteLimit: Int
    private let state = Monitor(State())
    private let waited = Atomic<UInt64>(0)

    /// 20 ms: half a picture at 25 a second.
    public var silence: UInt64? { 20_000_000 }

    /// How long reads have waited for the writer, in nanoseconds over all.
    public var waitedNanoseconds: UInt64 { waited.load(ordering: .relaxed) }

    /// Bytes kept now.
    package var keptByteCount: Int { state.withLock { Int($0.end - $0.start) } }

    /// Nil: the length of a pipe is known at its end.
    public var byteCount: Int64? { nil }

    /// Takes over an open descriptor; it is closed when the source goes.
    ///
    /// - Parameters:
    ///   - descriptor: What to read.
    ///   - retainedByteLimit: Bytes kept behind the play position, at least one chunk of 256 KiB.
    public init(descriptor: Int32, retainedByteLimit: Int = 256 << 20) {
        self.descriptor = descriptor
        self.retainedByteLimit = retainedByteLimit
    }

    deinit { close(descriptor) }

    /// Reads what is kept, or waits for the pipe; see ``ByteSource/read(into:at:)``.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int {
        while true {
            if let count = try read(into: buffer, at: offset, deadline: nil) { return count }
        }
    }

    /// Reads what is kept, or waits for the pipe for some time.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, patience: UInt64
    ) throws(StreamError) -> Int? {
        try read(into: buffer, at: offset, deadline: Self.now + patience)
    }

    private static var now: UInt64 {
        UInt64(CMClock.hostNanoseconds)
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, deadline: UInt64?
    ) throws(StreamError) -> Int? {
        while true {
            // Either the bytes, or the right to read the pipe.
            let step: Step? = state.wait(deadline: deadline) { state in
                if state.isCancelled { return .failed(.cancelled) }
                if offset < state.start { return .failed(.dropped(offset: offset)) }
                if offset < state.end {
                    return .copied(Self.copy(state, offset, buffer))
                }
                if let failure = state.failure {
                    return .failed(.system(call: "read", errno: failure))
                }
                if state.isAtEnd { return .copied(0) }
                if state.isReading { return nil }
                state.isReading = true
                return .read
            }
            switch step {
            case .copied(let count): return count
            case .failed(let error): throw error
            case .read: guard readMore(deadline) else { return nil }
            case nil: return nil
            }
        }
    }

    private enum Step {
        case copied(Int)
        case failed(StreamError)
        case read
    }

    private static func copy(
        _ state: State, _ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = 0
        var index = Int((offset - state.start) / Int64(chunkByteCount))
        var skip = Int((offset - state.start) % Int64(chunkByteCount))
        while index < state.chunks.count, count < buffer.count {
            let chunk = state.chunks[index]
            let piece = min(chunk.count - skip, buffer.count - count)
            chunk.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                    .copyMemory(from: .init(rebasing: bytes[skip..<skip + piece]))
            }
            count += piece
            index += 1
            skip = 0
        }
        return count
    }

    /// Waits for the pipe, without the lock, and appends what it gives.
    ///
    /// - Returns: False at the deadline.
    private func readMore(_ deadline: UInt64?) -> Bool {
        let piece = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) {
            buffer -> (count: Int, errno: Int32)? in
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                let start = Self.now
                var timeout: Int32 = -1
                if let deadline {
                    // Rounded up: never a turn without waiting.
                    timeout = deadline > start ? Int32((deadline - start + 999_999) / 1_000_000) : 0
                }
                let ready = poll(&polled, 2, timeout)
                waited.add(Self.now - start, ordering: .relaxed)
                guard ready >= 0 || errno == EINTR else { return (-1, errno) }
                if ready == 0 { return nil }
                if polled[1].revents != 0 { return (-1, ECANCELED) }
                if polled[0].revents == 0 { continue }
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                if count > 0 {
                    state.withLock { Self.append(.init(rebasing: buffer[..<count]), to: &$0) }
                }
                return (count, count < 0 ? errno : 0)
            }
        }
        state.update { state in
            state.isReading = false
            guard let piece else { return }
            // EIO is how a terminal or a pseudo-terminal says that its other side has gone.
            if piece.count == 0 || piece.errno == EIO {
                state.isAtEnd = true
            } else if piece.count < 0, piece.errno != ECANCELED {
                state.failure = piece.errno
            }
            let floor = min(state.protected, state.end - Int64(retainedByteLimit))
            while let first = state.chunks.first, state.chunks.count > 1,
                state.start + Int64(first.count) <= floor
            {
                state.start += Int64(first.count)
                state.chunks.removeFirst()
            }
        }
        return piece != nil
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to state: inout State) {
        var rest = bytes
        while !rest.isEmpty {
            if state.chunks.last.map({ $0.count == chunkByteCount }) ?? true {
                var chunk: [UInt8] = []
                chunk.reserveCapacity(chunkByteCount)
                state.chunks.append(chunk)
            }
            let last = state.chunks.count - 1
            let piece = min(rest.count, chunkByteCount - state.chunks[last].count)
            state.chunks[last].append(contentsOf: rest[rest.startIndex..<rest.startIndex + piece])
            state.end += Int64(piece)
            rest = .init(rebasing: rest[(rest.startIndex + piece)...])
        }
    }

    /// Ends every read.
    public func cancel() {
        state.update { $0.isCancelled = true }
        wake.wake()
    }

    /// Lets go of what is older than the limit allows, behind `offset`.
    public func release(before offset: Int64) {
        state.withLock { $0.protected = max($0.protected, offset) }
    }
}
