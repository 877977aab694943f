internal import Glibc
internal import MediaTime
internal import SampleBuffers

/// The bytes and times of one sample, kept alive: what the decoder needs of a sample buffer.
struct CompressedSample: @unchecked Sendable {
    // SAFETY: `bytes` is memory of `owner`, which is Sendable, and is only read.

    /// The bytes, with padding behind them that can be read.
    private let bytes: UnsafeRawBufferPointer
    private let owner: any AnyObject & Sendable
    let decodeTimeStamp: CMTime
    let fieldBoundary: Int?

    var byteCount: Int { bytes.count }

    /// Takes a range of a sample buffer's data: by reference where it is in one piece and padded, else as a copy.
    init(
        _ data: CMBlockBuffer, range: Range<Int>, decodeTimeStamp: CMTime, fieldBoundary: Int?
    ) throws(MediaError) {
        self.decodeTimeStamp = decodeTimeStamp
        self.fieldBoundary = fieldBoundary
        if let padded = data[range].paddedBytes {
            bytes = padded.bytes
            owner = padded.owner
            return
        }
        let copy = PaddedCopy(byteCount: range.count)
        try data.copyDataBytes(
            atOffset: range.lowerBound, length: range.count, to: copy.start)
        bytes = UnsafeRawBufferPointer(start: copy.start, count: range.count)
        owner = copy
    }

    /// Lends the bytes.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withExtendedLifetime(owner) { body(bytes) }
    }

    /// Gives a packet a part of the bytes, by reference.
    func fill(_ packet: borrowing CompressedPacket, _ range: Range<Int>) throws(LibavError) {
        try packet.borrow(UnsafeRawBufferPointer(rebasing: bytes[range]), owner: owner)
    }

    /// Whether the lengths in front of the NAL units add up to the sample (D-7).
    func isFramed(lengthSize: Int) -> Bool {
        withBytes { bytes in
            guard !bytes.isEmpty else { return false }
            var position = 0
            while position < bytes.count {
                guard bytes.count - position > lengthSize else { return false }
                var length = 0
                for index in 0..<lengthSize { length = length << 8 | Int(bytes[position + index]) }
                guard length > 0, length <= bytes.count - position - lengthSize else {
                    return false
                }
                position += lengthSize + length
            }
            return true
        }
    }
}

/// A copy of a sample with the padding that libavcodec reads beyond the end.
private final class PaddedCopy: @unchecked Sendable {
    // SAFETY: written only before it is shared.
    let start: UnsafeMutableRawPointer

    init(byteCount: Int) {
        start = .allocate(byteCount: byteCount + CMBlockBuffer.paddingByteCount, alignment: 16)
        memset(start + byteCount, 0, CMBlockBuffer.paddingByteCount)
    }

    deinit { start.deallocate() }
}
