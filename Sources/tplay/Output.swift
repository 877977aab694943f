import Glibc

/// Bytes on their way to a file descriptor, in large writes.
struct Output: ~Copyable {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Whether nothing more can be written: nothing more needs to be made.
    private(set) var isClosed = false
    /// Why, unless it is that the reader has gone.
    private(set) var failure: Int32?

    init(descriptor: Int32) {
        self.descriptor = descriptor
        buffer.reserveCapacity(80 << 10)
    }

    /// Appends what `body` makes; it goes out when there is enough of it, or at ``flush()``.
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        guard !isClosed else { return }
        body(&buffer)
        if buffer.count >= 64 << 10 { flush() }
    }

    mutating func append(_ text: String) {
        append { $0.append(contentsOf: text.utf8) }
    }

    mutating func flush() {
        defer { buffer.removeAll(keepingCapacity: true) }
        var written = 0
        while written < buffer.count, !isClosed {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress! + written, bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&polled, 1, -1)
            } else if errno != EINTR {
                // A reader that has gone has seen enough; a full disk is a failure.
                if errno != EPIPE { failure = errno }
                isClosed = true
            }
        }
    }

    /// Says that standard output cannot be written.
    static func complain(writing code: Int32) {
        complain("standard output: \(unsafe String(cString: strerror(code)))")
    }

    /// One line on standard error, begun with the program's name.
    static func complain(_ text: String) {
        var output = Output(descriptor: STDERR_FILENO)
        output.append("tplay: \(text)\n")
        output.flush()
    }
}
