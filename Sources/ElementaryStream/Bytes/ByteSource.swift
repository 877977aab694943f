/// Where the bytes of an elementary stream come from: read at any place, by several threads.
public protocol ByteSource: AnyObject, Sendable {
    /// Reads into `buffer` what stands at `offset`, waiting for at least one byte.
    ///
    /// - Parameters:
    ///   - buffer: Where the bytes go; not empty.
    ///   - offset: Bytes from the start of the stream.
    /// - Returns: How many bytes were read; 0 at the end of the stream.
    /// - Throws: ``StreamError/system(call:errno:)``, ``StreamError/dropped(offset:)``,
    ///   ``StreamError/cancelled``.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StreamError) -> Int

    /// How many bytes there are, where that is known before they are read.
    var byteCount: Int64? { get }

    /// Makes every read, also one that waits, end with ``StreamError/cancelled``.
    func cancel()

    /// Tells that bytes before `offset` are not needed for playing on; a pipe may let go of them.
    func release(before offset: Int64)
}
