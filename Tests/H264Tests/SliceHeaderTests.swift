import H264
import Testing

@Suite("Slice header")
struct SliceHeaderTests {
    private func parse(
        _ slice: SyntheticSlice, _ sps: SyntheticSPS = SyntheticSPS(),
        _ pps: SyntheticPPS = SyntheticPPS()
    ) throws -> SliceHeader {
        try parse(slice.nalUnit(sps, pps), sps, pps)
    }

    private func parse(
        _ nal: [UInt8], _ sps: SyntheticSPS, _ pps: SyntheticPPS
    ) throws -> SliceHeader {
        let set = try PictureParameterSet(
            nalUnit: pps.nalUnit,
            sequenceParameterSet: try SequenceParameterSet(nalUnit: sps.nalUnit))
        return try SliceHeader(nalUnit: nal) { $0 == set.id ? set : nil }
    }

    @Test func `fields and operations`() throws {
        let sps = SyntheticSPS(frameOnly: false)
        let slice = SyntheticSlice(
            refIDC: 2, firstMacroblock: 5, type: 0, frameNum: 9, field: .bottom, lsb: 33,
            operations: [[1, 4], [2, 3], [3, 0, 1], [4, 2], [5], [6, 1]])
        let header = try parse(slice, sps)
        #expect(header.firstMacroblock == 5 && header.sliceType == .p && header.frameNum == 9)
        #expect(header.isField && header.isBottomField && header.pictureOrderCountLSB == 33)
        #expect(
            header.referenceMarking
                == .adaptive([
                    .unmarkShortTerm(differenceOfPictureNumbersMinus1: 4),
                    .unmarkLongTerm(longTermPictureNumber: 3),
                    .assignLongTerm(differenceOfPictureNumbersMinus1: 0, longTermFrameIndex: 1),
                    .setMaximumLongTermFrameIndex(plus1: 2), .unmarkAll,
                    .assignLongTermToCurrent(longTermFrameIndex: 1),
                ]))
        #expect(header.qp == 26)
        #expect(try parse(SyntheticSlice(idr: true, type: 7, idrID: 65535)).idrPictureID == 65535)
    }

    @Test func `weights and list modifications`() throws {
        var writer = BitWriter()
        for value in [0, 6, 0] as [UInt32] { writer.writeUE(value) }  // slice B, for the picture
        writer.writeBits(3, 4)
        writer.writeBits(2, 6)
        writer.writeFlag(true)  // direct spatial
        writer.writeFlag(true)  // override
        writer.writeUE(1)
        writer.writeUE(0)
        writer.writeFlag(true)
        for value in [0, 7, 1, 8, 2, 5, 3] as [UInt32] { writer.writeUE(value) }
        writer.writeFlag(false)
        writer.writeUE(5)
        writer.writeUE(4)
        writer.writeFlag(true)
        writer.writeSE(-128)
        writer.writeSE(127)
        writer.writeFlag(false)
        writer.writeFlag(false)
        writer.writeFlag(true)
        for value in [1, 2, 3, 4] as [Int32] { writer.writeSE(value) }
        writer.writeFlag(false)
        writer.writeFlag(false)
        writer.writeSE(-3)
        writer.writeTrailingBits()
        var pps = BitWriter()
        pps.writeUE(0)
        pps.writeUE(0)
        pps.writeBits(0, 2)
        for _ in 0..<3 { pps.writeUE(0) }
        pps.writeBits(0b001, 3)
        for _ in 0..<3 { pps.writeSE(0) }
        pps.writeBits(0, 3)
        pps.writeTrailingBits()
        let set = try PictureParameterSet(
            nalUnit: pps.nalUnit(header: 0x68),
            sequenceParameterSet: try SequenceParameterSet(nalUnit: SyntheticSPS().nalUnit))
        let header = try SliceHeader(nalUnit: writer.nalUnit(header: 0x01)) { _ in set }
        #expect(header.sliceType == .b && header.isSliceTypeForPicture && header.isDirectSpatial)
        #expect(header.referenceCount0 == 2 && header.referenceCount1 == 1)
        #expect(
            header.listModifications0 == [
                .pictureNumberDifference(-8), .pictureNumberDifference(9),
                .longTermPictureNumber(5),
            ])
        let weights = try #require(header.predictionWeights)
        #expect(weights.lumaLog2Denominator == 5 && weights.chromaLog2Denominator == 4)
        #expect(weights.list0[0].luma?.weight == -128 && weights.list0[0].luma?.offset == 127)
        #expect(weights.list0[1].luma == nil && weights.list0[1].cr?.offset == 4)
        #expect(weights.list1.count == 1 && header.qp == 23)
        #expect(header.referenceMarking == nil)
    }

    @Test func `impossible values throw`() {
        let bad = [
            SyntheticSlice(firstMacroblock: 16), SyntheticSlice(firstMacroblock: .max),
            SyntheticSlice(type: 10), SyntheticSlice(idr: true, idrID: 65536),
            SyntheticSlice(operations: [[7]]), SyntheticSlice(operations: [[2, 32]]),
            SyntheticSlice(operations: Array(repeating: [1, 0], count: 67)),
        ]
        for slice in bad {
            #expect(throws: BitstreamError.self) { try parse(slice) }
        }
        #expect(throws: BitstreamError.missingParameterSet(element: "pic_parameter_set_id", id: 7))
        {
            try parse(
                SyntheticSlice().nalUnit(SyntheticSPS(), SyntheticPPS(id: 7)), SyntheticSPS(),
                SyntheticPPS())
        }
        #expect(throws: BitstreamError.unexpectedNALUnitType(.sei)) {
            try parse([6], SyntheticSPS(), SyntheticPPS())
        }
    }

    @Test func `every truncation throws`() throws {
        let slice = SyntheticSlice(
            frameNum: 3, lsb: 5, operations: [[1, 100_000], [3, 70_000, 2]])
        let nal = slice.nalUnit(SyntheticSPS(), SyntheticPPS(cabac: true))
        for count in 0..<nal.count - 3 {
            #expect(throws: BitstreamError.self) {
                try parse(Array(nal.prefix(count)), SyntheticSPS(), SyntheticPPS(cabac: true))
            }
        }
    }
}

@Suite("SEI message")
struct SEIMessageTests {
    @Test func `several messages, long types and sizes`() throws {
        let long = [UInt8](repeating: 0xAB, count: 300)
        var rbsp: [UInt8] = [6, 2, 0b0001_0100 | 1, 0x80]  // recovery point
        rbsp += [5, 255, 61] + (0..<16) + long
        rbsp += [4, 3, 0xB5, 0, 0x31]
        rbsp += [255, 10, 2, 0, 0, 0x80]
        let nal = [6] + EmulationPrevention.insert(into: rbsp)
        let messages = try SEIMessage.messages(nalUnit: nal)
        #expect(messages.map(\.payloadType) == [6, 5, 4, 265])
        guard case .recoveryPoint(let point) = messages[0].content else {
            Issue.record("no recovery point")
            return
        }
        #expect(point.recoveryFrameCount == 9)
        #expect(
            messages[1].content == .userDataUnregistered(uuid: Array(0..<16), data: long))
        #expect(
            messages[2].content
                == .userDataRegistered(country: 0xB5, countryExtension: nil, data: [0, 0x31]))
        #expect(messages[3].content == .other && messages[3].payload == [0, 0])
        for count in 1..<nal.count {
            let cut = try SEIMessage.messages(nalUnit: Array(nal.prefix(count)))
            #expect(cut == Array(messages.prefix(cut.count)))
        }
    }

    @Test(arguments: [(0, 2), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 6)])
    func `picture structure tells how long`(structure: UInt32, ticks: Int) throws {
        let sps = try SequenceParameterSet(
            nalUnit: SyntheticSPS(vui: { $0.writeBits(0b0_0_0_0_0_0_0_1_0, 9) }).nalUnit)
        var writer = BitWriter()
        writer.writeBits(structure, 4)
        writer.writeTrailingBits()
        let timing = try PictureTimingSEI(payload: writer.bytes, sequenceParameterSet: sps)
        #expect(timing.pictureStructure == UInt8(structure) && timing.fieldTicks == ticks)
        #expect(timing.removalDelay == nil)
        #expect(throws: BitstreamError.self) {
            try PictureTimingSEI(payload: [], sequenceParameterSet: sps)
        }
    }
}
