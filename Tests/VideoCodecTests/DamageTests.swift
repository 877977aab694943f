import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import Testing
import VideoCodec

/// Broken and missing data: D-7, D-8, D-19b, D-19e.
@Suite("Decompression session: damage")
struct DamageTests {
    static let modes: [VTDecodeFrameFlags] = [[], .enableTemporalProcessing]

    @Test(
        arguments: [
            [0, 0, 0, 0], [0, 0, 0, 9, 0x65], [0, 0, 0], [0, 0, 0, 1, 0x09, 0],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x65], [0, 0, 0, 1, 0x09, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `D-7 broken framing is refused`(_ bytes: [UInt8]) throws {
        let stream = Synthesis.simple(2)
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        let sample = try TestStream.sample(payload: bytes, format: stream.units[0].format)
        #expect(session.decodeFrame(sample) == -12909)
        #expect(collector.entries.isEmpty)
        session.decodeFrame(try stream.sample(0))
        session.decodeFrame(try stream.sample(1))
        #expect(collector.entries.allSatisfy { $0.status == noErr && !$0.isDamaged })
        #expect(collector.entries.count == 2)
    }

    @Test(arguments: modes)
    func `D-7 what the codec rejects is told by the callback and decoding goes on`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        var sequence = SequenceParameters(Synthesis.format)
        sequence.levelIDC = 10
        var writer = StreamWriter(sequence)
        for number in 0..<3 { writer.idr(Synthesis.card(number)) }
        let stream = TestStream(bytes: writer.bytes())
        // An IDR slice that names a picture parameter set which is not there.
        let entries = try stream.decode(
            flags, keepsImages: true, replacing: [1: [0, 0, 0, 4, 0x65, 0x88, 0x07, 0xFF]])
        #expect(entries.count == 3)
        for entry in entries {
            #expect(entry.status == (entry.token == 1 ? -12909 : noErr))
            #expect((entry.image == nil) == (entry.token == 1))
            #expect(entry.isDamaged == false)
        }
    }

    @Test(arguments: modes)
    func `D-8 pictures without their references are given, and marked`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        let stream = Synthesis.simple(6)
        let late = try stream.decode(flags, keepsImages: true, range: 2..<6)
        #expect(late.count == 4)
        #expect(late.allSatisfy { $0.status == noErr && $0.image != nil && $0.isDamaged })
        #expect(late.allSatisfy { $0.image?.attachments[.damaged] == true })
        let gap = try stream.decode(flags, keepsImages: true, omitting: [3])
        #expect(gap.map(\.isDamaged) == [false, false, false, true, true])
        #expect(gap[0].image?.attachments[.damaged] == nil)
    }

    @Test(arguments: modes)
    func `D-8 an IDR picture ends damage`(_ flags: VTDecodeFrameFlags) throws {
        var writer = StreamWriter(SequenceParameters(Synthesis.format))
        writer.idr(Synthesis.card(0))
        for number in 1..<4 { writer.p(Synthesis.card(number)) }
        writer.idr(Synthesis.card(4))
        writer.p(Synthesis.card(5))
        let stream = TestStream(bytes: writer.bytes())
        let entries = try stream.decode(flags, omitting: [1])
        #expect(entries.map(\.isDamaged) == [false, true, true, false, false])
    }

    @Test(arguments: modes)
    func `D-8 gaps that the stream may have are no damage`(_ flags: VTDecodeFrameFlags) throws {
        for isAllowed in [false, true] {
            var sequence = SequenceParameters(Synthesis.format)
            sequence.allowsFrameNumGaps = isAllowed
            sequence.maxReferenceFrames = 2
            var writer = StreamWriter(sequence)
            writer.idr(Synthesis.card(0))
            writer.p(Synthesis.card(1))
            writer.i(Synthesis.card(2), .i.with { $0.frameNumGap = 3 })
            writer.p(Synthesis.card(3))
            let stream = TestStream(bytes: writer.bytes())
            let entries = try stream.decode(flags)
            #expect(entries.map(\.isDamaged) == [false, false, !isAllowed, !isAllowed])
        }
    }

    @Test(arguments: modes)
    func `D-8 a recovery point ends damage when it is complete`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        var writer = StreamWriter(SequenceParameters(Synthesis.format))
        writer.idr(Synthesis.card(0))
        writer.p(Synthesis.card(1))
        writer.i(Synthesis.card(2), .i.with { $0.recoveryFrameCount = 2 })
        for number in 3..<7 { writer.p(Synthesis.card(number)) }
        let stream = TestStream(bytes: writer.bytes())
        let entries = try stream.decode(flags, range: 1..<7)
        #expect(entries.map(\.isDamaged) == [true, true, true, false, false, false])
    }

    @Test(arguments: modes)
    func `D-8 leading pictures of a recovery point are marked after a start there`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        let stream = Self.openGOP()
        let whole = try stream.decode(flags)
        #expect(whole.allSatisfy { !$0.isDamaged })
        let late = try stream.decode(flags, range: 3..<stream.units.count)
        let damaged = late.filter(\.isDamaged).compactMap(\.token)
        #expect(damaged.sorted() == [4, 5])
    }

    /// I P b | I(recovery point) b b P: the Bs precede the second I in presentation order.
    static func openGOP() -> TestStream {
        var sequence = SequenceParameters(Synthesis.format)
        sequence.maxReferenceFrames = 2
        var writer = StreamWriter(sequence)
        writer.idr(Synthesis.card(0))
        writer.p(Synthesis.card(2), .p.with { $0.pictureOrderCount = 4 })
        writer.b(Synthesis.card(1), .b.with { $0.pictureOrderCount = 2 })
        writer.i(
            Synthesis.card(5),
            .i.with {
                $0.pictureOrderCount = 10
                $0.recoveryFrameCount = 0
            })
        writer.b(Synthesis.card(3), .b.with { $0.pictureOrderCount = 6 })
        writer.b(Synthesis.card(4), .b.with { $0.pictureOrderCount = 8 })
        writer.p(Synthesis.card(6), .p.with { $0.pictureOrderCount = 12 })
        return TestStream(bytes: writer.bytes())
    }

    @Test(arguments: modes)
    func `D-8 a leading picture that gives nothing is told apart`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        let stream = Self.openGOP()
        // The slice header stays, all else goes: but for the first slice's macroblocks nothing can be decoded.
        let unit = stream.units[4]
        let broken = try stream.decode(
            flags, keepsImages: true, range: 3..<stream.units.count,
            replacing: [4: Self.nameMissingSet(unit.payload)])
        let entry = try #require(broken.first { $0.token == 4 })
        #expect(entry.image == nil)
        #expect(entry.status != noErr || entry.flags.contains(.frameDropped))
        #expect(broken.count == stream.units.count - 3)
        #expect(broken.filter { $0.token == 3 || $0.token == 6 }.allSatisfy { !$0.isDamaged })
    }

    /// Turns the only slice into one of an unknown picture parameter set (id 2: `011` where `1` was).
    static func nameMissingSet(_ payload: [UInt8]) -> [UInt8] {
        var payload = payload
        // first_mb_in_slice `1`, slice_type 6 or 1, pic_parameter_set_id: set the bits behind.
        payload[5] = 0b1010_0011
        return payload
    }

    @Test(arguments: modes)
    func `D-8 a picture that cannot be had for want of references says so`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        #expect(VTError.referenceMissing.status == -17694)
        let stream = Synthesis.simple(4)
        let entries = try stream.decode(
            flags, keepsImages: true, range: 1..<4,
            replacing: [2: [0, 0, 0, 3, 0x41, 0x9A, 0x00]])
        #expect(entries.count == 3)
        #expect(entries.filter { $0.token != 2 }.allSatisfy { $0.image != nil && $0.isDamaged })
        let cut = try #require(entries.first { $0.token == 2 })
        #expect(cut.image == nil ? [-17694, -12909].contains(cut.status) : cut.isDamaged)
    }

    // MARK: Lost slices

    static func payload(of unit: TestStream.Unit, without lost: Int) -> [UInt8] {
        var result: [UInt8] = []
        var slice = 0
        var position = 0
        while position < unit.payload.count {
            let length = unit.payload[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let next = position + 4 + length
            let isSlice = [1, 5].contains(unit.payload[position + 4] & 31)
            if !isSlice || slice != lost { result += unit.payload[position..<next] }
            if isSlice { slice += 1 }
            position = next
        }
        return result
    }

    @Test(arguments: [0, 1, 2, 3], modes)
    func `D-19 e: a lost slice is noticed in frames`(
        _ lost: Int, _ flags: VTDecodeFrameFlags
    ) throws {
        for threadCount in [1, 3] {
            var writer = StreamWriter(SequenceParameters(Synthesis.format))
            writer.idr(Synthesis.card(0), .idr.with { $0.sliceCount = 3 })
            for number in 1..<4 { writer.p(Synthesis.card(number), .p.with { $0.sliceCount = 3 }) }
            writer.idr(Synthesis.card(4))
            let stream = TestStream(bytes: writer.bytes())
            let bytes = Self.payload(of: stream.units[1], without: lost)
            let entries = try stream.decode(flags, threadCount: threadCount, replacing: [1: bytes])
            let isDamaged = lost < 3
            #expect(
                entries.map(\.isDamaged) == [false, isDamaged, isDamaged, isDamaged, false],
                "\(threadCount) threads")
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4], modes)
    func `D-19 e: a lost slice is noticed in fields`(
        _ lost: Int, _ flags: VTDecodeFrameFlags
    ) throws {
        var sequence = SequenceParameters(PictureFormat(width: 64, height: 64))
        sequence.isFramesOnly = false
        sequence.maxReferenceFrames = 2
        let card = TestCard(sequence.format)
        var writer = StreamWriter(sequence)
        writer.fieldPair(card.picture(0), .idr.with { $0.sliceCount = 2 })
        for number in 1..<4 {
            writer.fieldPair(card.picture(number), .p.with { $0.sliceCount = 2 })
        }
        writer.fieldPair(card.picture(4), .idr)
        let stream = TestStream(bytes: writer.bytes())
        #expect(stream.units.count == 5)
        let bytes = Self.payload(of: stream.units[1], without: lost)
        let entries = try stream.decode(flags, replacing: [1: bytes])
        let isDamaged = lost < 4
        #expect(entries.map(\.isDamaged) == [false, isDamaged, isDamaged, isDamaged, false])
    }

    @Test(arguments: modes)
    func `D-19 e: damage in a picture that is held back marks those shown before it`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        var sequence = SequenceParameters(Synthesis.format)
        sequence.maxReferenceFrames = 4
        var writer = StreamWriter(sequence)
        writer.idr(Synthesis.card(0))
        writer.p(
            Synthesis.card(4),
            .p.with {
                $0.pictureOrderCount = 8
                $0.sliceCount = 3
            })
        for order in [2, 4, 6] {
            writer.b(Synthesis.card(order / 2), .b.with { $0.pictureOrderCount = order })
        }
        let stream = TestStream(bytes: writer.bytes())
        let bytes = Self.payload(of: stream.units[1], without: 1)
        let entries = try stream.decode(flags, threadCount: 3, replacing: [1: bytes])
        #expect(entries.filter(\.isDamaged).compactMap(\.token).sorted() == [1, 2, 3, 4])
    }

    @Test(arguments: modes)
    func `D-19 e: a broken picture that is no reference harms only itself`(
        _ flags: VTDecodeFrameFlags
    ) throws {
        var sequence = SequenceParameters(Synthesis.format)
        sequence.maxReferenceFrames = 2
        var writer = StreamWriter(sequence)
        writer.idr(Synthesis.card(0))
        writer.p(Synthesis.card(2), .p.with { $0.pictureOrderCount = 4 })
        writer.b(
            Synthesis.card(1),
            .b.with {
                $0.pictureOrderCount = 2
                $0.sliceCount = 3
            })
        writer.p(Synthesis.card(3), .p.with { $0.pictureOrderCount = 6 })
        let stream = TestStream(bytes: writer.bytes())
        let bytes = Self.payload(of: stream.units[2], without: 1)
        let entries = try stream.decode(flags, replacing: [2: bytes])
        #expect(entries.filter(\.isDamaged).compactMap(\.token) == [2])
    }

    // MARK: Nothing is lost

    @Test(arguments: [nil, 0, 1, 2, 4] as [Int?], [true, false])
    func `D-19 b: pictures out are samples in, whatever the VUI says`(
        _ depth: Int?, _ hasDecodeTimes: Bool
    ) throws {
        let (stream, pictures) = Synthesis.pyramid(groups: 6, saying: depth)
        for threadCount in [1, 4] {
            let entries = try stream.decode(
                .enableTemporalProcessing, keepsImages: true, threadCount: threadCount,
                hasDecodeTimes: hasDecodeTimes)
            #expect(entries.allSatisfy { $0.image != nil && !$0.isDamaged })
            #expect(entries.map { $0.image?.rawBytes } == pictures.map(\.picture.rawBytes))
        }
    }
}
