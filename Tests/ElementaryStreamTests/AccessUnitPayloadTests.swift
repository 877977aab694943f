import ElementaryStream
import H264
import SampleBuffers
import StreamSynthesis
import TestSupport
import Testing

@Suite("Access unit payload", .timeLimit(.minutes(Checkout.patience(5))))
struct AccessUnitPayloadTests {
    /// NAL units behind 4-byte lengths.
    private func lengthPrefixed(_ nals: [SynthesizedNALUnit]) -> [UInt8] {
        nals.flatMap { nal in
            (0..<4).map { UInt8(truncatingIfNeeded: nal.bytes.count >> (24 - 8 * $0)) } + nal.bytes
        }
    }

    private func bytes(_ unit: TimedAccessUnit) throws -> [UInt8] {
        try #require(unit.payload?.blockBuffer).dataBytes()
    }

    /// One of everything: delimiters, repeated sets, SEI, slices, an end of sequence.
    private func busyStream() -> StreamWriter {
        var writer = StreamWriter(Streams.sequence(reorder: 0))
        for number in 0..<9 {
            let isIDR = number % 4 == 0
            if number == 4 {
                writer.endSequence()
                writer.writeParameterSets()
            }
            writer.append(type: 12, referenceIDC: 0, [0xFF, 0xFF, 0x80])
            writer.frame(
                Streams.picture(number),
                PictureOptions(isIDR ? .i : .p, isIDR: isIDR).with {
                    $0.sliceCount = 3
                    $0.hasDelimiter = true
                    $0.userData = "picture \(number)"
                    $0.usesCells = number % 2 == 0
                })
        }
        return writer
    }

    @Test(arguments: [1, 13, 1 << 20])
    func `slices and SEI are kept, behind lengths`(piece: Int) throws {
        let writer = busyStream()
        let units = try Streams.units(writer.bytes(), packs: true, piece: { _ in piece })
        try #require(units.count == 9)
        for (number, unit) in units.enumerated() {
            let expected = writer.nalUnits.filter {
                $0.picture == number && [1, 5, 6].contains($0.type)
            }
            #expect(try bytes(unit) == lengthPrefixed(expected), "picture \(number)")
            #expect(unit.payload?.fieldBoundary == nil)
            #expect(unit.payload?.isIncomplete == false)
        }
    }

    @Test func `the second field's beginning is told`() throws {
        var writer = StreamWriter(Streams.sequence(references: 4) { $0.isFramesOnly = false })
        writer.fieldPair(Streams.picture(0), .idr)
        writer.fieldPair(Streams.picture(1), .p.with { $0.userData = "pair" })
        writer.frame(Streams.picture(2), .p)
        writer.field(Streams.picture(3).field(.top), .top, .p)
        let units = try Streams.units(writer.bytes(), packs: true)
        try #require(units.count == 4)
        for (number, unit) in units.enumerated() {
            let nals = writer.nalUnits.filter {
                $0.picture == number && [1, 5, 6].contains($0.type)
            }
            #expect(try bytes(unit) == lengthPrefixed(nals))
            let isPair = number < 2
            #expect(
                unit.accessUnit.structure == [.fieldPair, .fieldPair, .frame, .topField][number])
            let first = lengthPrefixed(nals.dropLast()).count
            #expect(unit.payload?.fieldBoundary == (isPair ? first : nil))
        }
    }

    @Test func `parameter sets that change between two fields stay in place`() throws {
        let sequence = Streams.sequence(references: 4) { $0.isFramesOnly = false }
        var writer = StreamWriter(sequence)
        let picture = Streams.picture(0)
        writer.field(picture.field(.top), .top, .idr)
        var set = PictureParameters(sequence: sequence)
        set.initialQP = 30
        writer.write(set)
        writer.field(picture.field(.bottom), .bottom, .p)
        writer.fieldPair(Streams.picture(1), .p)
        let nals = writer.nalUnits
        // Repeated without change it is left out.
        let same = try #require(nals.firstIndex { $0.type == 8 })
        for (isChanged, kept) in [(true, [5, 8, 1]), (false, [5, 1])] {
            var stream = nals
            let place = try #require(stream.lastIndex { $0.type == 8 })
            if !isChanged { stream[place].bytes = stream[same].bytes }
            let units = try Streams.units(Framing(.long).bytes(of: stream), packs: true)
            try #require(units.count == 2)
            let data = try bytes(units[0])
            var types: [Int] = []
            var offset = 0
            while offset < data.count {
                let length = data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
                types.append(Int(data[offset + 4] & 31))
                offset += 4 + length
            }
            #expect(types == kept)
        }
    }

    @Test(arguments: Streams.clips)
    func `of every clip nothing that is decoded is lost`(_ clip: Clip) throws {
        let stream = try #require(Checkout.bytes(clip.path))
        let units = try Streams.units(stream, packs: true)
        for unit in units {
            let wanted = unit.accessUnit.nalUnits.filter { nal in
                let type = nal.type.rawValue
                return (1...6).contains(type) || type >= 22
            }
            var expected: [UInt8] = []
            for nal in wanted {
                expected += (0..<4).map {
                    UInt8(truncatingIfNeeded: nal.byteCount >> (24 - 8 * $0))
                }
                expected += stream[Int(nal.offset)..<Int(nal.endOffset)]
            }
            guard unit.accessUnit.inBandParameterSetIndices.isEmpty else { continue }
            #expect(try bytes(unit) == expected, "decode rank \(unit.decodeRank)")
            if unit.accessUnit.second != nil {
                #expect(unit.payload?.fieldBoundary != nil)
            }
        }
    }
}
