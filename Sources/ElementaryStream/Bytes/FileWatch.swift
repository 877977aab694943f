import Glibc

/// Tells of writes to an open file, by inotify.
final class FileWatch: Sendable {
    /// What is polled for input; -1 where the system gives none.
    let descriptor: Int32

    /// Watches what an open descriptor stands for, whatever its name is by now.
    init(_ file: Int32) {
        let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        if watch >= 0, inotify_add_watch(watch, "/proc/self/fd/\(file)", UInt32(IN_MODIFY)) < 0 {
            close(watch)
            descriptor = -1
        } else {
            descriptor = watch
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Takes what was told, so that the next write tells anew.
    func take() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
