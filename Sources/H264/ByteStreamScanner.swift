internal import Glibc

/// Finds the NAL units of an Annex B byte stream through a window that slides over it.
///
/// The caller owns the window: it appends what it reads, calls ``next(in:windowOffset:isEnd:)`` until that returns
/// nil, and may then drop what lies before ``neededOffset``. No byte is examined twice, whatever the sizes of the
/// reads, and the result does not depend on them.
///
/// A NAL unit ends before the zeros in front of the next `00 00 01`. Zeros followed by anything else are taken for
/// content, as FFmpeg takes them, unless they are more than 64 KiB: then the NAL unit ends there and bytes up to the
/// next start code belong to none. Bytes before the first start code and empty NAL units are skipped.
///
/// Source: ITU-T H.264 (08/2021) Annex B.
public struct ByteStreamScanner: Sendable {
    /// The number of zeros that end a NAL unit even when no start code follows.
    package static let longestZeroRun: Int64 = 64 << 10

    /// The largest NAL unit reported whole, in bytes.
    public let maximumNALUnitByteCount: Int

    /// Everything before this has been examined.
    private var scan: Int64
    /// The bytes from here to `scan` are zeros; equal to `scan` when the byte before it is none.
    private var zeroStart: Int64
    /// The start code of the NAL unit being read, or nil between NAL units.
    private var open: (startCodeOffset: Int64, startCodeLength: Int)?

    /// Starts at `offset` bytes from the beginning of the stream.
    public init(offset: Int64 = 0, maximumNALUnitByteCount: Int = 32 << 20) {
        precondition(maximumNALUnitByteCount > 0, "limit of \(maximumNALUnitByteCount) bytes")
        self.maximumNALUnitByteCount = maximumNALUnitByteCount
        scan = offset
        zeroStart = offset
    }

    /// The offset before which no byte is needed any more: the header byte of the unfinished NAL unit, or what has
    /// not been examined.
    ///
    /// It never goes back.
    ///
    /// The NAL unit returned last lies before it: copy its bytes before dropping them.
    public var neededOffset: Int64 {
        guard let open else { return scan }
        // The start code itself may be gone: its zeros were dropped as any zeros are.
        return open.startCodeOffset + Int64(open.startCodeLength)
    }

    /// Whether what has been examined last belongs to no NAL unit: padding that is too long to be content, or what is
    /// left of a NAL unit beyond the limit.
    public var isBetweenNALUnits: Bool { open == nil }

    /// The offset up to which the stream has been examined.
    public var examinedOffset: Int64 {
        scan
    }

    /// Returns the next NAL unit that is complete, or nil when more bytes are needed.
    ///
    /// - Parameters:
    ///   - window: Consecutive bytes of the stream, reaching from at most ``neededOffset`` to at least
    ///     ``examinedOffset``.
    ///   - windowOffset: The offset of the window's first byte in the stream.
    ///   - isEnd: Whether the stream ends with the window, so that the last NAL unit is complete.
    /// - Returns: A NAL unit whose bytes are all in `window`.
    /// - Complexity: Linear in the bytes not examined before, over all calls.
    public mutating func next(
        in window: UnsafeRawBufferPointer, windowOffset: Int64, isEnd: Bool
    ) -> NALUnit? {
        let end = windowOffset + Int64(window.count)
        precondition(
            windowOffset <= neededOffset && end >= scan,
            "window \(windowOffset)..<\(end) of a scanner at \(neededOffset)...\(scan)")
        guard let base = window.baseAddress else {
            return isEnd ? unsafe finish(window, windowOffset) : nil
        }

        while scan < end {
            if zeroStart == scan {
                // SAFETY: windowOffset <= scan < end, so the searched range lies in the window.
                let from = unsafe base + Int(scan - windowOffset)
                guard let zero = unsafe memchr(from, 0, Int(end - scan)) else {
                    scan = end
                    zeroStart = end
                    break
                }
                let index = unsafe UnsafeRawPointer(zero) - base
                zeroStart = windowOffset + Int64(index)
                scan = zeroStart + 1
            }
            let rest = unsafe UnsafeRawBufferPointer(
                rebasing: window[Int(scan - windowOffset)...])
            scan += Int64(unsafe Self.leadingZeroCount(rest))
            guard scan < end else { break }

            // `scan` is at the first byte behind the zeros.
            let zeros = scan - zeroStart
            let byte = unsafe window[Int(scan - windowOffset)]
            let contentEnd = zeroStart
            scan += 1
            if zeros >= 2 && byte == 1 {
                let length = zeros >= 3 ? 4 : 3
                let finished = unsafe close(at: contentEnd, window, windowOffset)
                open = (scan - Int64(length), length)
                zeroStart = scan
                if let finished { return finished }
            } else {
                zeroStart = scan
                if zeros > Self.longestZeroRun,
                    let finished = unsafe close(at: contentEnd, window, windowOffset)
                {
                    return finished
                }
            }
        }

        if let open {
            // Neither of these waits for the end: a window must not grow with zeros or with one endless NAL unit.
            let contentCount = zeroStart - open.startCodeOffset - Int64(open.startCodeLength)
            if contentCount > Int64(maximumNALUnitByteCount)
                || scan - zeroStart > Self.longestZeroRun
            {
                if let finished = unsafe close(at: zeroStart, window, windowOffset) {
                    return finished
                }
            }
        }
        return isEnd ? unsafe finish(window, windowOffset) : nil
    }

    private mutating func finish(
        _ window: UnsafeRawBufferPointer, _ windowOffset: Int64
    ) -> NALUnit? {
        unsafe close(at: zeroStart, window, windowOffset)
    }

    /// Ends the NAL unit being read; nil where there is none or it is empty.
    private mutating func close(
        at end: Int64, _ window: UnsafeRawBufferPointer, _ windowOffset: Int64
    ) -> NALUnit? {
        guard let (startCodeOffset, startCodeLength) = open else { return nil }
        open = nil
        let start = startCodeOffset + Int64(startCodeLength)
        guard end > start else { return nil }
        let isTruncated = end - start > Int64(maximumNALUnitByteCount)
        return NALUnit(
            startCodeOffset: startCodeOffset, startCodeLength: startCodeLength,
            byteCount: isTruncated ? maximumNALUnitByteCount : Int(end - start),
            header: NALUnitHeader(byte: unsafe window[Int(start - windowOffset)]),
            isTruncated: isTruncated)
    }

    /// The number of zeros at the front, eight at a time: memchr cannot search for "not zero".
    private static func leadingZeroCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        // Nearly always the first byte decides.
        while index < bytes.count && index < 8 {
            if unsafe bytes[index] != 0 { return index }
            index += 1
        }
        while index + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != 0 { return index + UInt64(littleEndian: word).trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            if unsafe bytes[index] != 0 { break }
            index += 1
        }
        return index
    }
}
