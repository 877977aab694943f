/// The framing of NAL units in MP4 files and `CMSampleBuffer`s: each behind its length, big-endian.
///
/// Source: ISO/IEC 14496-15 5.3.4.2.
public enum AVCC {
    /// Finds the NAL units in `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: NAL units behind their lengths. A length of 0 is stepped over.
    ///   - lengthByteCount: The bytes of a length: 1, 2 or 4.
    /// - Returns: Where they lie, lengths not included.
    /// - Throws: ``BitstreamError/invalidLength(offset:length:available:)`` for a length that is cut short or reaches
    ///   behind the end.
    public static func nalUnitRanges(
        in bytes: [UInt8], lengthByteCount: Int = 4
    ) throws(BitstreamError) -> [Range<Int>] {
        checkLengthByteCount(lengthByteCount)
        var ranges: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            guard bytes.count - index >= lengthByteCount else {
                throw .invalidLength(
                    offset: index, length: lengthByteCount, available: bytes.count - index)
            }
            let length = bytes[index..<index + lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
            index += lengthByteCount
            guard length <= bytes.count - index else {
                throw .invalidLength(
                    offset: index - lengthByteCount, length: length,
                    available: bytes.count - index)
            }
            if length > 0 { ranges.append(index..<index + length) }
            index += length
        }
        return ranges
    }

    /// Puts start codes of four bytes in place of the lengths.
    ///
    /// - Parameters:
    ///   - bytes: NAL units behind their lengths.
    ///   - lengthByteCount: The bytes of a length: 1, 2 or 4.
    ///   - parameterSets: NAL units to put in front, as key frames need.
    /// - Returns: An Annex B byte stream.
    /// - Throws: ``BitstreamError/invalidLength(offset:length:available:)``.
    public static func annexB(
        from bytes: [UInt8], lengthByteCount: Int = 4, parameterSets: [[UInt8]] = []
    ) throws(BitstreamError) -> [UInt8] {
        let ranges = try nalUnitRanges(in: bytes, lengthByteCount: lengthByteCount)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 4 * ranges.count)
        for set in parameterSets {
            result.append(contentsOf: [0, 0, 0, 1])
            result.append(contentsOf: set)
        }
        for range in ranges {
            result.append(contentsOf: [0, 0, 0, 1])
            result.append(contentsOf: bytes[range])
        }
        return result
    }

    /// Returns the NAL units of an Annex B byte stream behind their lengths.
    ///
    /// - Throws: ``BitstreamError/invalidLength(offset:length:available:)`` where a NAL unit is too long for the length
    ///   field.
    public static func lengthPrefixed(
        annexB bytes: [UInt8], lengthByteCount: Int = 4
    ) throws(BitstreamError) -> [UInt8] {
        checkLengthByteCount(lengthByteCount)
        let limit = lengthByteCount == 4 ? Int(UInt32.max) : 1 << (8 * lengthByteCount) - 1
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for nal in nalUnits(annexB: bytes) {
            let start = Int(nal.offset)
            guard nal.byteCount <= limit else {
                throw .invalidLength(offset: start, length: nal.byteCount, available: limit)
            }
            for shift in stride(from: 8 * (lengthByteCount - 1), through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: nal.byteCount >> shift))
            }
            result.append(contentsOf: bytes[start..<start + nal.byteCount])
        }
        return result
    }

    /// Returns the NAL units of a whole Annex B byte stream.
    public static func nalUnits(annexB bytes: [UInt8]) -> [NALUnit] {
        unsafe bytes.withUnsafeBytes { window in
            var scanner = ByteStreamScanner(maximumNALUnitByteCount: max(1, bytes.count))
            var nalUnits: [NALUnit] = []
            while let nal = unsafe scanner.next(in: window, windowOffset: 0, isEnd: true) {
                nalUnits.append(nal)
            }
            return nalUnits
        }
    }

    static func checkLengthByteCount(_ count: Int) {
        precondition(count == 1 || count == 2 || count == 4, "lengths of \(count) bytes")
    }
}
