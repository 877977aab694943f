import ElementaryStream
import PixelBuffers
import Playback
import TestSupport
import Testing
import VideoCodec

/// What is decoded of a stream that lacks something, at every place where it may: never what nobody coded.
@Suite("No green", .timeLimit(.minutes(Checkout.patience(10))))
struct NoGreenTests {
    /// What is left of a stream at a NAL unit.
    enum Cut: CaseIterable {
        case endsBefore, beginsWith, lacks
    }

    private static let names = [
        "open-gop.264", "paff.264", "lone-fields.264", "mbaff.264", "gaps-mmco.264",
    ]

    /// The NAL units with their start codes.
    private func nalUnits(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var starts: [Int] = []
        for index in bytes.indices.dropLast(2)
        where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 {
            starts.append(index)
        }
        return starts.indices.map { number in
            bytes[starts[number]..<(number + 1 < starts.count ? starts[number + 1] : bytes.count)]
        }
    }

    /// Chroma samples that are 0 in both planes: what memory holds that was never written.
    private func greenCount(_ picture: CVPixelBuffer) -> Int {
        var planes: [[UInt8]] = [[], [], []]
        picture.forEachRow { plane, _, row in
            if plane > 0, plane < 3 { planes[plane] += row }
        }
        return zip(planes[1], planes[2]).count { $0 == 0 && $1 == 0 }
    }

    /// Decodes all there is, also what no random access point precedes.
    private func decoded(_ bytes: [UInt8]) throws -> [DecodedPicture] {
        let file = try TemporaryFile(bytes)
        // The name goes with the test's file; what is open stays.
        let source = try withExtendedLifetime(file) { try openByteSource(path: file.path) }
        let index = StreamIndex(byteCount: source.byteCount)
        var options = StreamIndexer.Options()
        options.showsAll = true
        StreamIndexer.fill(index, from: source, options: options) {}
        guard index.lastRank >= 0 else { return [] }
        return PieceDecoder(source, index: index).decode(0...index.lastRank) { false }
    }

    @Test(arguments: names, Cut.allCases)
    func `a stream cut at every NAL unit has no green picture`(_ name: String, _ cut: Cut) throws {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/" + name))
        let units = nalUnits(bytes)
        try #require(units.count > 20)
        #expect(try decoded(bytes).map { greenCount($0.pixelBuffer) }.reduce(0, +) == 0)
        var count = 0
        // A sanitizer makes each of them twenty times slower: it sees some.
        let step = Checkout.patience(1) > 1 ? 24 : 1
        for number in stride(from: 1, to: units.count, by: step) {
            let left: [ArraySlice<UInt8>] =
                switch cut {
                case .endsBefore: Array(units[..<number])
                case .beginsWith:
                    // With the parameter sets: without them nothing is decoded.
                    units.prefix(8).filter { [0x67, 0x68].contains($0[$0.startIndex + 3] | 0x60) }
                        + units[number...]
                case .lacks: Array(units[..<number] + units[(number + 1)...].prefix(24))
                }
            let pictures = try decoded(left.flatMap(\.self))
            count += pictures.count
            for picture in pictures {
                let green = greenCount(picture.pixelBuffer)
                #expect(green == 0, "\(name), \(cut) \(number), picture \(picture.rank)")
            }
        }
        #expect(count > units.count / step)
    }
}
