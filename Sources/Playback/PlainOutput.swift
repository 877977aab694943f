import Glibc
import TerminalGraphics

/// Pictures as text on a file descriptor that is no terminal.
// SAFETY: used by the screen's output thread alone, but for `isClosed`, which only goes from false to true.
final class PlainOutput: ScreenOutput, @unchecked Sendable {
    private let descriptor: Int32
    private let onClosed: @Sendable (_ errno: Int32) -> Void
    private var encoder = PlainTextEncoder()
    private var bytes: [UInt8] = []
    private var isClosed = false

    /// - Parameters:
    ///   - descriptor: Where the text goes.
    ///   - onClosed: Called when nothing more can be written, with the reason: `EPIPE` when nobody reads it any more.
    init(descriptor: Int32, onClosed: @escaping @Sendable (_ errno: Int32) -> Void) {
        self.descriptor = descriptor
        self.onClosed = onClosed
    }

    func prepare(for drawing: Drawing) {}

    func invalidate() {}

    func removePicture() {}

    func show(_ content: ScreenContent) -> ScreenDelivery {
        if let picture = content.picture, !isClosed { send(picture) }
        return ScreenDelivery()
    }

    private func send(_ picture: RenderedPicture) {
        bytes.removeAll(keepingCapacity: true)
        encoder.encode(picture, into: &bytes)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress! + written, bytes.count - written)
            }
            let code = errno
            if count > 0 {
                written += count
            } else if code == EAGAIN {
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&polled, 1, -1)
            } else if code != EINTR {
                isClosed = true
                return onClosed(code)
            }
        }
    }
}
