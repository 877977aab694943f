import Glibc
import MediaTime
import Synchronization

/// A regular file that somebody writes to: at its end a read waits for more.
///
/// Woken by inotify; where that tells nothing, as of another machine's writes, looked at ten times a second.
public final class GrowingFileSource: ByteSource {
    private static let interval: UInt64 = 100_000_000

    private let descriptor: Int32
    private let wake = WakePipe()
    private let growth: FileWatch
    private let isCancelled = Atomic(false)
    private let waited = Atomic<UInt64>(0)

    /// Nil: it grows.
    public var byteCount: Int64? { nil }

    /// Nothing has to be kept of a file.
    public var keepsAll: Bool { true }

    /// As long as it takes to look again.
    public var silence: UInt64? { Self.interval }

    /// How long reads have waited for the writer, in nanoseconds over all.
    public var waitedNanoseconds: UInt64 { waited.load(ordering: .relaxed) }

    /// Takes over an open descriptor of a regular file; it is closed when the source goes.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        growth = FileWatch(descriptor)
    }

    deinit { close(descriptor) }

    /// Reads at a place of the file, or waits for it to be written; see ``ByteSource/read(into:at:)``.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int {
        while true {
            if let count = try read(into: buffer, at: offset, patience: 1 << 40) { return count }
        }
    }

    /// Reads at a place of the file, or waits for some time for it to be written.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, patience: UInt64
    ) throws(StreamError) -> Int? {
        var left = patience
        while true {
            if isCancelled.load(ordering: .acquiring) { throw .cancelled }
            let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
            if count > 0 { return count }
            guard count == 0 else {
                if errno == EINTR { continue }
                throw .system(call: "pread", errno: errno)
            }
            var facts = stat()
            if fstat(descriptor, &facts) == 0, Int64(facts.st_size) < offset { throw .truncated }
            if left == 0 { return nil }
            let start = CMClock.hostNanoseconds
            wait(min(left, Self.interval))
            let passed = UInt64(max(CMClock.hostNanoseconds - start, 0))
            left -= min(left, passed)
            waited.add(passed, ordering: .relaxed)
        }
    }

    private func wait(_ nanoseconds: UInt64) {
        var polled = [wake.descriptor, growth.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Rounded up: never a turn without waiting. A watch that could not be had is -1, which poll passes over.
        _ = poll(&polled, 2, Int32((nanoseconds + 999_999) / 1_000_000))
        if polled[1].revents != 0 { growth.take() }
    }

    /// Ends every read.
    public func cancel() {
        isCancelled.store(true, ordering: .releasing)
        wake.wake()
    }

    /// Does nothing: nothing is kept.
    public func release(before offset: Int64) {}
}
