/// Why a stream cannot be read.
public enum StreamError: Error, Hashable, Sendable {
    /// A system call on the file failed with this `errno`.
    case system(call: String, errno: Int32)
    /// The path names a directory.
    case directory
    /// There is nothing in the file.
    case empty
    /// The bytes are something other than an H.264 byte stream.
    case notH264(ForeignFormat)
    /// The bytes asked for have left the buffer that is kept of a pipe.
    case dropped(offset: Int64)
    /// The parameter sets in force at this offset cannot be used, or are too many.
    case parameterSets(offset: Int64)
    /// The access unit at this offset could not be made into a sample buffer.
    case sample(offset: Int64)
    /// The file that is followed has become shorter than what was read of it.
    case truncated
    /// Another thread ended the read.
    case cancelled
}
