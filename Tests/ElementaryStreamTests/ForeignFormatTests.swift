import ElementaryStream
import StreamSynthesis
import TestSupport
import Testing

@Suite("Foreign formats", .timeLimit(.minutes(Checkout.patience(5))))
struct ForeignFormatTests {
    struct Head: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var expected: ForeignFormat?
        var isWhole = false
        var testDescription: String { name }
    }

    private static let stream = Streams.simple(gops: 2, length: 4)

    /// Packets of a transport stream with `first` bytes before the sync byte.
    private static func packets(size: Int, first: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in 0..<8 {
            var one = [UInt8](repeating: UInt8(packet), count: size)
            one[first] = 0x47
            bytes += one
        }
        return bytes
    }

    /// NAL units behind lengths.
    private static func lengthPrefixed(_ nals: [[UInt8]]) -> [UInt8] {
        nals.flatMap { nal in
            (0..<4).map { UInt8(truncatingIfNeeded: nal.count >> (24 - 8 * $0)) } + nal
        }
    }

    private static func nal(_ header: UInt8, _ count: Int) -> [UInt8] {
        [header] + (1..<max(count, 2)).map { UInt8(0x80 | $0 & 0x7F) }
    }

    private static let startCode: [UInt8] = [0, 0, 0, 1]

    private static let hevc: [UInt8] =
        startCode + [0x40, 1, 0x0C, 1, 0xFF] + startCode + [0x42, 1, 1, 1, 0x60] + startCode
        + [0x44, 1, 0xC1, 0x72] + startCode + [0x26, 1, 0xAF, 9]

    static let foreign: [Head] = [
        Head(
            name: "mp4", bytes: [0, 0, 0, 24] + Array("ftypisom".utf8) + [0, 0, 2, 0],
            expected: .mp4),
        Head(name: "mov", bytes: [0, 0, 1, 0] + Array("moov".utf8) + [0, 0], expected: .mp4),
        Head(name: "fragment", bytes: [0, 0, 0, 24] + Array("styp".utf8), expected: .mp4),
        Head(
            name: "matroska", bytes: [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86],
            expected: .matroska),
        Head(name: "ts 188", bytes: packets(size: 188, first: 0), expected: .mpegTransportStream),
        Head(name: "m2ts 192", bytes: packets(size: 192, first: 4), expected: .mpegTransportStream),
        Head(name: "ts 204", bytes: packets(size: 204, first: 0), expected: .mpegTransportStream),
        Head(
            name: "ps", bytes: [0, 0, 1, 0xBA, 0x44, 0, 4, 0, 4, 1], expected: .mpegProgramStream),
        Head(name: "flv", bytes: Array("FLV".utf8) + [1, 5, 0, 0, 0, 9], expected: .flv),
        Head(
            name: "avi", bytes: Array("RIFF".utf8) + [1, 2, 3, 4] + Array("AVI LIST".utf8),
            expected: .avi),
        Head(
            name: "mpeg2 video", bytes: [0, 0, 1, 0xB3, 0x16, 0, 0xF0, 0x15],
            expected: .mpeg2Video),
        Head(name: "hevc", bytes: hevc, expected: .hevc),
        Head(
            name: "hevc behind a delimiter", bytes: startCode + [0x46, 1, 0x10] + hevc,
            expected: .hevc),
        Head(
            name: "avcc", bytes: lengthPrefixed(stream.nalUnits.map(\.bytes)),
            expected: .lengthPrefixed, isWhole: true),
        Head(
            name: "avcc, cut off",
            bytes: lengthPrefixed([nal(0x67, 20), nal(0x68, 4), nal(0x65, 900)])
                .dropLast(300), expected: .lengthPrefixed),
        // Lengths of 256 to 511 look like start codes.
        Head(
            name: "avcc with lengths like start codes",
            bytes: lengthPrefixed([
                nal(0x67, 24), nal(0x68, 4), nal(0x65, 300), nal(0x41, 263), nal(0x41, 500),
            ]), expected: .lengthPrefixed, isWhole: true),
        Head(
            name: "avcc that begins like a start code",
            bytes: lengthPrefixed([
                nal(0x06, 0x109), nal(0x65, 300), nal(0x41, 263), nal(0x41, 500), nal(0x41, 20),
            ]), expected: .lengthPrefixed, isWhole: true),
        Head(
            name: "avcC record", bytes: [1, 100, 0, 31, 0xFF, 0xE1, 0, 20, 0x67, 100, 0, 31],
            expected: .lengthPrefixed),
        Head(name: "text", bytes: Array("#!/bin/sh\necho hello\n".utf8), expected: .text),
        Head(name: "text, whole", bytes: Array("Grüße".utf8), expected: .text, isWhole: true),
        Head(
            name: "noise", bytes: (0..<100).map { UInt8($0 * 37 & 0xFF) | 1 }, expected: .unknown,
            isWhole: true),
        Head(
            name: "zeros", bytes: [UInt8](repeating: 0, count: 1000), expected: .unknown,
            isWhole: true),
    ]

    static let own: [Head] = [
        Head(name: "a stream", bytes: stream.bytes()),
        Head(name: "short start codes", bytes: stream.bytes(Framing(.short))),
        Head(name: "zeros in front", bytes: [UInt8](repeating: 0, count: 5000) + stream.bytes()),
        Head(name: "text in front", bytes: Array("hello ".utf8) + stream.bytes()),
        Head(
            name: "junk in front",
            bytes: (0..<3000).map { UInt8($0 * 37 & 0xFF) | 1 } + stream.bytes()),
        Head(name: "a sync byte in front", bytes: [0x47] + stream.bytes()),
        Head(
            name: "without parameter sets",
            bytes: startCode + nal(0x65, 300) + startCode + nal(0x41, 9)),
        Head(
            name: "delimiter first",
            bytes: startCode + [9, 0x10] + startCode + nal(0x67, 20) + startCode + nal(0x68, 4)),
        Head(
            name: "delimiter, short codes",
            bytes: [0, 0, 1, 9, 0x10, 0, 0, 1] + nal(0x67, 20) + [0, 0, 1] + nal(0x68, 4)),
        Head(name: "zeros, more to come", bytes: [UInt8](repeating: 0, count: 1000)),
        Head(
            name: "noise, more to come",
            bytes: (0..<100).map { UInt8($0 * 37 & 0xFF) | 1 }),
        Head(name: "one NAL unit", bytes: startCode + nal(0x67, 30), isWhole: true),
        Head(name: "a bad byte, then a stream", bytes: [0, 0, 1, 0x42, 1] + stream.bytes()),
    ]

    private func identify(_ head: Head) -> ForeignFormat? {
        head.bytes.withUnsafeBytes { ForeignFormat.identify($0, isWhole: head.isWhole) }
    }

    @Test(arguments: foreign) func `what is something else is named`(_ head: Head) {
        #expect(identify(head) == head.expected)
    }

    @Test(arguments: own) func `what may be H.264 passes`(_ head: Head) {
        #expect(identify(head) == nil)
    }

    @Test func `no head is too short`() {
        for head in Self.foreign + Self.own {
            for count in 0..<min(64, head.bytes.count) {
                for isWhole in [true, false] {
                    var short = head
                    short.bytes = Array(head.bytes.prefix(count))
                    short.isWhole = isWhole
                    _ = identify(short)
                }
            }
        }
    }

    @Test(arguments: Streams.clips)
    func `clips pass, as files and as pipes`(_ clip: Clip) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        try ForeignFormat.refuse(ScriptedByteSource(bytes))
        try ForeignFormat.refuse(ScriptedByteSource(bytes, isPipe: true) { _ in 7 })
    }

    @Test(.enabled(if: Clip.hasStreams)) func `a real HEVC stream is refused`() throws {
        let clip = try #require(Clip.streams.first { $0.name == "bear.h265" })
        let bytes = try #require(Checkout.bytes(clip.path))
        for isPipe in [true, false] {
            #expect(throws: StreamError.notH264(.hevc)) {
                try ForeignFormat.refuse(ScriptedByteSource(bytes, isPipe: isPipe))
            }
        }
    }

    @Test func `nothing at all is empty`() {
        #expect(throws: StreamError.empty) {
            try ForeignFormat.refuse(ScriptedByteSource([], isPipe: true))
        }
    }

    @Test func `a pipe is not read far for it`() throws {
        let source = ScriptedByteSource(
            Self.stream.bytes() + [UInt8](repeating: 1, count: 1 << 20), isPipe: true
        ) { _ in 1000 }
        try ForeignFormat.refuse(source)
        #expect(source.record.requests.count <= 6)
    }
}
