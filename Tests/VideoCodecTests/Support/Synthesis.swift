import PixelBuffers
import SampleBuffers
import StreamSynthesis
import VideoCodec

/// Streams that are written here, and their pictures.
enum Synthesis {
    static let format = PictureFormat(width: 64, height: 48)

    static func card(_ number: Int) -> Picture { TestCard(format).picture(number) }

    /// I P P P …: no reordering.
    static func simple(_ count: Int = 6, _ change: (inout SequenceParameters) -> Void = { _ in })
        -> TestStream
    {
        var sequence = SequenceParameters(format)
        change(&sequence)
        var writer = StreamWriter(sequence)
        let card = TestCard(sequence.format)
        writer.idr(card.picture(0))
        for number in 1..<max(count, 1) { writer.p(card.picture(number)) }
        return TestStream(bytes: writer.bytes())
    }

    /// I P B B B with the Bs in a pyramid, in each group: depth 2, whatever the VUI says.
    static func pyramid(groups: Int = 4, saying depth: Int?) -> (TestStream, [WrittenPicture]) {
        var sequence = SequenceParameters(format)
        sequence.maxReferenceFrames = 4
        if let depth {
            var usability = VideoUsability()
            usability.restriction = .init(reorderFrames: depth, bufferedFrames: 4)
            sequence.usability = usability
        }
        var writer = StreamWriter(sequence)
        writer.idr(card(0))
        for group in 0..<groups {
            let base = 8 * group
            writer.p(card(4 * group + 4), .p.with { $0.pictureOrderCount = base + 8 })
            writer.b(
                card(4 * group + 2),
                .b.with {
                    $0.pictureOrderCount = base + 4
                    $0.referenceIDC = 1
                })
            writer.b(card(4 * group + 1), .b.with { $0.pictureOrderCount = base + 2 })
            writer.b(card(4 * group + 3), .b.with { $0.pictureOrderCount = base + 6 })
        }
        return (TestStream(bytes: writer.bytes()), writer.presentedPictures)
    }
}

extension CVPixelBuffer {
    /// The visible samples of all planes, tightly packed.
    var rawBytes: [UInt8] {
        var bytes: [UInt8] = []
        forEachRow { _, _, row in bytes.append(contentsOf: row) }
        return bytes
    }
}
