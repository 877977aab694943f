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

    /// Reads as ``read(into:at:)`` does, but does not wait for ever.
    ///
    /// - Parameters:
    ///   - buffer: Where the bytes go; not empty.
    ///   - offset: Bytes from the start of the stream.
    ///   - patience: Nanoseconds to wait for a byte.
    /// - Returns: As ``read(into:at:)``; nil where nothing came.
    /// - Throws: As ``read(into:at:)``.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, patience: UInt64
    ) throws(StreamError) -> Int?

    /// After how long a silence of its writer what has come is worth a look, in nanoseconds; nil where there is no writer.
    var silence: UInt64? { get }

    /// How long reads have waited for the writer, in nanoseconds over all.
    var waitedNanoseconds: UInt64 { get }

    /// Whether all that was read can be read again, whatever is released.
    var keepsAll: Bool { get }

    /// How many bytes there are, where that is known before they are read.
    var byteCount: Int64? { get }

    /// Makes every read, also one that waits, end with ``StreamError/cancelled``.
    func cancel()

    /// Tells that bytes before `offset` are not needed for playing on; a pipe may let go of them.
    func release(before offset: Int64)
}

/// A source that is there as a whole.
extension ByteSource {
    /// Does not wait.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, patience: UInt64
    ) throws(StreamError) -> Int? {
        try read(into: buffer, at: offset)
    }

    /// Nil: nobody writes it.
    public var silence: UInt64? { nil }

    /// None.
    public var waitedNanoseconds: UInt64 { 0 }

    /// Where its length is known.
    public var keepsAll: Bool { byteCount != nil }
}
