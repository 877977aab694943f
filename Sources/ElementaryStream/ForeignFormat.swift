/// What a file is that is no H.264 byte stream, as far as its first bytes tell.
public enum ForeignFormat: Hashable, Sendable {
    /// ISO base media (MP4, MOV).
    case mp4
    /// Matroska or WebM.
    case matroska
    /// An MPEG transport stream.
    case mpegTransportStream
    /// An MPEG program stream.
    case mpegProgramStream
    /// Flash video.
    case flv
    /// AVI.
    case avi
    /// H.264 NAL units with length fields in place of start codes.
    case lengthPrefixed
    /// An HEVC (H.265) byte stream.
    case hevc
    /// MPEG-1 or MPEG-2 video.
    case mpeg2Video
    /// Text.
    case text
    /// Something else.
    case unknown

    /// Tells by `head`, the first bytes of a file, what other format it surely is.
    ///
    /// - Parameters:
    ///   - head: The first bytes; 64 KiB are plenty.
    ///   - isWhole: Whether the file ends with them.
    /// - Returns: The format, or nil where it may well be an H.264 byte stream.
    public static func identify(
        _ head: UnsafeRawBufferPointer, isWhole: Bool
    ) -> ForeignFormat? {
        bySignature(head) ?? byStartCodes(head, isWhole: isWhole)
    }

    private static func bySignature(_ head: UnsafeRawBufferPointer) -> ForeignFormat? {
        func has(_ text: StaticString, at offset: Int) -> Bool {
            offset + text.utf8CodeUnitCount <= head.count
                && (0..<text.utf8CodeUnitCount).allSatisfy {
                    head[offset + $0] == text.utf8Start[$0]
                }
        }
        let boxes: [StaticString] = [
            "ftyp", "moov", "mdat", "moof", "styp", "free", "skip", "wide",
        ]
        if boxes.contains(where: { has($0, at: 4) }) { return .mp4 }
        if head.count >= 4, head[0] == 0x1A, head[1] == 0x45, head[2] == 0xDF, head[3] == 0xA3 {
            return .matroska
        }
        if has("FLV\u{1}", at: 0) { return .flv }
        if has("RIFF", at: 0), has("AVI ", at: 8) { return .avi }
        for (size, first) in [(188, 0), (192, 4), (204, 0)] {
            let packets = (0..<5).map { first + $0 * size }
            if head.count > packets[4], packets.allSatisfy({ head[$0] == 0x47 }) {
                return .mpegTransportStream
            }
        }
        return nil
    }

    /// Goes by what follows the start codes.
    private static func byStartCodes(
        _ head: UnsafeRawBufferPointer, isWhole: Bool
    ) -> ForeignFormat? {
        // Lengths of 256 to 511 look like start codes: first see whether they are lengths.
        if isLengthPrefixed(head, isWhole: isWhole) { return .lengthPrefixed }
        var startCodes = 0
        var hevcParameterSets: Set<UInt8> = []
        var index = 0
        while index + 4 < head.count {
            guard head[index] == 0, head[index + 1] == 0, head[index + 2] == 1 else {
                index += 1
                continue
            }
            let (first, second) = (head[index + 3], head[index + 4])
            if startCodes == 0 {
                if first == 0xBA { return .mpegProgramStream }
                if first == 0xB3 { return .mpeg2Video }
            }
            startCodes += 1
            // forbidden_zero_bit 0, nal_unit_type 7: an H.264 SPS whatever else is there.
            if first & 0x9F == 7 { return nil }
            // HEVC's two-byte header of a VPS, SPS or PPS in layer 0.
            if second == 1, first == 0x40 || first == 0x42 || first == 0x44 {
                hevcParameterSets.insert(first)
            }
            index += 3
        }
        if hevcParameterSets.count >= 2 { return .hevc }
        if startCodes > 0 { return nil }
        if !head.isEmpty, head.allSatisfy(isOfText) { return .text }
        return isWhole ? .unknown : nil
    }

    /// Whether a byte may stand in text: UTF-8 has none above 0xF4.
    private static func isOfText(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || (0x80...0xF4).contains(byte)
            || (0x08...0x0D).contains(byte) || byte == 0x1B
    }

    /// Whether a chain of 4-byte lengths leads from one H.264 NAL unit header to the next, or an `avcC` record stands first.
    private static func isLengthPrefixed(_ head: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
        if head.count > 8, head[0] == 1, [66, 77, 88, 100, 110, 122, 244].contains(head[1]),
            head[4] & 0xFC == 0xFC, head[5] & 0xE0 == 0xE0
        {
            return true
        }
        var offset = 0
        var links = 0
        while offset + 5 <= head.count, links < 16 {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(head[offset + $1]) }
            let type = head[offset + 4] & 0x9F
            guard length > 0, length < 64 << 20, (1...20).contains(type) else { return false }
            if isWhole, offset + 4 + length > head.count { return false }
            // A start code of four bytes.
            if links == 0, length == 1 { return false }
            links += 1
            offset += 4 + length
        }
        // What begins as a start code of three bytes does must lead further than chance does.
        if head.starts(with: [0, 0, 1]) { return links >= 4 }
        return links >= 2 || (links == 1 && offset == head.count)
    }
}
