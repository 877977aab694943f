/// Where a NAL unit lies in a byte stream; it holds none of the bytes.
public struct NALUnit: Hashable, Sendable {
    /// The offset of the first byte of the start code, in bytes from the beginning of the stream.
    ///
    /// Of a run of zeros before the `01` at most three belong to the start code.
    public let startCodeOffset: Int64

    /// The number of bytes in the NAL unit itself, header byte included, trailing zeros not; at least 1.
    public let byteCount: Int

    /// The first byte.
    public let header: NALUnitHeader

    /// The number of bytes of the start code: 3 or 4.
    public let startCodeLength: UInt8

    /// Whether the NAL unit was longer than the scanner's limit and ``byteCount`` is that limit.
    public let isTruncated: Bool

    /// Describes a NAL unit found at `startCodeOffset`.
    public init(
        startCodeOffset: Int64, startCodeLength: Int, byteCount: Int, header: NALUnitHeader,
        isTruncated: Bool = false
    ) {
        precondition(startCodeLength == 3 || startCodeLength == 4, "\(startCodeLength)-byte code")
        self.startCodeOffset = startCodeOffset
        self.startCodeLength = UInt8(startCodeLength)
        self.byteCount = byteCount
        self.header = header
        self.isTruncated = isTruncated
    }

    /// The offset of the header byte, in bytes from the beginning of the stream.
    public var offset: Int64 {
        startCodeOffset &+ Int64(startCodeLength)
    }

    /// The offset behind the last byte.
    public var endOffset: Int64 {
        offset &+ Int64(byteCount)
    }

    /// The type: `nal_unit_type`.
    public var type: NALUnitType {
        header.type
    }
}
