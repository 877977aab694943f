import ElementaryStream
import H264
import StreamSynthesis
import TestSupport
import Testing

/// Small streams written for a test, and what the module makes of streams.
enum Streams {
    static let format = PictureFormat(width: 32, height: 32)

    static func sequence(
        references: Int = 2, reorder: Int? = nil,
        _ change: (inout SequenceParameters) -> Void = { _ in }
    ) -> SequenceParameters {
        var sequence = SequenceParameters(format)
        sequence.maxReferenceFrames = references
        sequence.log2MaxFrameNum = 8
        if let reorder {
            sequence.usability = VideoUsability(
                timing: .rate(25), reorderFrames: reorder,
                bufferedFrames: max(references, reorder))
        }
        change(&sequence)
        return sequence
    }

    /// A picture of one grey, different for each number.
    static func picture(_ number: Int) -> Picture {
        Picture(format, luma: 16 + number * 7 % 200)
    }

    /// `gops` groups of an IDR picture and `length - 1` P pictures.
    static func simple(gops: Int = 3, length: Int = 8) -> StreamWriter {
        var writer = StreamWriter(sequence(reorder: 0))
        for number in 0..<gops * length {
            if number % length == 0 {
                writer.idr(picture(number))
            } else {
                writer.p(picture(number))
            }
        }
        return writer
    }

    /// IDR P B P B …, presented as 0 2 1 4 3 ….
    static func reordered(pictures: Int = 21) -> StreamWriter {
        var writer = StreamWriter(sequence(reorder: 1))
        writer.idr(picture(0))
        for number in stride(from: 2, to: pictures, by: 2) {
            writer.p(picture(number), .p.with { $0.pictureOrderCount = 2 * number })
            writer.b(picture(number - 1), .b.with { $0.pictureOrderCount = 2 * number - 2 })
        }
        return writer
    }

    /// The byte stream without the NAL units that `isLost` names.
    static func bytes(
        _ writer: StreamWriter, losing isLost: (_ index: Int, SynthesizedNALUnit) -> Bool
    ) -> [UInt8] {
        let kept = writer.nalUnits.enumerated().filter { !isLost($0.offset, $0.element) }
        return Framing(.long).bytes(of: kept.map(\.element))
    }

    /// The NAL units of a byte stream with 3- or 4-byte start codes, each with its own.
    static func nalUnits(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var starts: [Int] = []
        for place in 0..<bytes.count - 3 where bytes[place...].starts(with: [0, 0, 1]) {
            starts.append(place > 0 && bytes[place - 1] == 0 ? place - 1 : place)
        }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { bytes[$0..<$1] }
    }

    /// Every access unit of a stream, in decoding order.
    static func units(
        _ bytes: [UInt8], rate: PictureRate? = nil, packs: Bool = false, lookahead: Int = 96,
        piece: @escaping @Sendable (Int) -> Int = { _ in .max }
    ) throws -> [TimedAccessUnit] {
        var sequence = AccessUnitSequence(
            ScriptedByteSource(bytes, piece: piece), rate: rate, packs: packs,
            lookahead: lookahead)
        var units: [TimedAccessUnit] = []
        while let unit = try sequence.next() { units.append(unit) }
        return units
    }

    /// A complete index.
    static func index(
        _ source: any ByteSource, rate: PictureRate? = nil
    ) -> StreamIndex {
        let index = StreamIndex(byteCount: source.byteCount)
        var indexer = StreamIndexer(index, source, rate: rate)
        indexer.run {}
        return index
    }

    /// The project's clips and the real streams that are H.264.
    static let clips: [Clip] =
        Clip.samples
        + (Clip.hasStreams
            ? Clip.streams.filter { !$0.name.hasSuffix(".h265") } : [])

    /// What the parser reads of written parameters.
    static func parsed(_ parameters: SequenceParameters) throws -> SequenceParameterSet {
        try SequenceParameterSet(nalUnit: StreamWriter(parameters).nalUnits[0].bytes)
    }
}
