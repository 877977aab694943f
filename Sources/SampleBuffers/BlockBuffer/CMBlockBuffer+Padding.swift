/// Bytes in one piece with readable memory behind them, and what keeps them alive: what libavcodec may borrow.
package struct PaddedBytes {
    /// The bytes; ``CMBlockBuffer/paddingByteCount`` more can be read behind them.
    package let bytes: UnsafeRawBufferPointer
    /// Whether those behind are zero.
    ///
    /// They are not where the range ends inside its memory block.
    package let isPaddingZero: Bool
    /// Keeps the memory alive.
    package let owner: any AnyObject & Sendable
}

extension CMBlockBufferProtocol {
    /// The bytes for libavcodec by reference; nil when they are not in one piece, not allocated, or not padded.
    package var paddedBytes: PaddedBytes? {
        owner.paddedBytes(in: startIndex..<endIndex)
    }

    /// Whether ``paddedBytes`` can be had, with zeros behind them.
    package var isPaddedForDecoder: Bool { paddedBytes?.isPaddingZero ?? false }
}

extension CMBlockBuffer {
    func paddedBytes(in range: Range<Int>) -> PaddedBytes? {
        guard !range.isEmpty, isRangeContiguous(atOffset: range.lowerBound, length: range.count),
            let (block, offset, _) = locate(range.lowerBound), let start = block.start
        else { return nil }
        let behind = block.byteCount - offset - range.count
        guard block.isPadded || behind >= Self.paddingByteCount else { return nil }
        return PaddedBytes(
            bytes: UnsafeRawBufferPointer(start: start + offset, count: range.count),
            isPaddingZero: block.isPadded && behind == 0, owner: block)
    }
}
