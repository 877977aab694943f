import Glibc

/// A pipe whose read end ends every poll that it takes part in, once and for all.
final class WakePipe: Sendable {
    /// What is polled for input.
    let descriptor: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (descriptor, writeEnd) = (ends[0], ends[1])
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Ends the polls there are, and those to come.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }
}
