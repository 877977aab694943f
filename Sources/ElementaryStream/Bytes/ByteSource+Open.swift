import Glibc

/// Opens a path, or standard input for `-`, as a byte source.
///
/// - Parameters:
///   - path: A path in the file system, or `-`.
///   - retainedByteLimit: Bytes kept of a pipe, to go back in.
///   - follows: Whether to wait for more at the end of a regular file.
/// - Returns: A file, or a pipe for what cannot be read at any place.
/// - Throws: ``StreamError``: the file cannot be opened, is a directory or is empty.
public func openByteSource(
    path: String, retainedByteLimit: Int = 256 << 20, follows: Bool = false
) throws(StreamError) -> any ByteSource {
    // A FIFO that nobody writes to yet would hold up the call; the wait belongs to the reads.
    let descriptor =
        path == "-"
        ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
        let code = errno
        close(descriptor)
        throw .system(call: "fstat", errno: code)
    }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR:
        close(descriptor)
        throw .directory
    case S_IFREG where follows:
        return GrowingFileSource(descriptor: descriptor)
    case S_IFREG:
        guard facts.st_size > 0 else {
            close(descriptor)
            throw .empty
        }
        return FileByteSource(descriptor: descriptor, byteCount: Int64(facts.st_size))
    default:
        return PipeByteSource(descriptor: descriptor, retainedByteLimit: retainedByteLimit)
    }
}
