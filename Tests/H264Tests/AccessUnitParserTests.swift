import H264
import Testing

@Suite("Access unit parser")
struct AccessUnitParserTests {
    private func units(
        _ sps: SyntheticSPS = SyntheticSPS(), _ pps: SyntheticPPS = SyntheticPPS(),
        _ nals: [[UInt8]]
    ) -> [AccessUnit] {
        accessUnits(of: ([sps.nalUnit, pps.nalUnit] + nals).annexB)
    }

    private func slices(
        _ sps: SyntheticSPS = SyntheticSPS(), _ pps: SyntheticPPS = SyntheticPPS(),
        _ slices: [SyntheticSlice]
    ) -> [AccessUnit] {
        units(sps, pps, slices.map { $0.nalUnit(sps, pps) })
    }

    private let idr = SyntheticSlice(idr: true, type: 7)

    // MARK: 7.4.1.2.4

    @Test(arguments: [
        SyntheticSlice(firstMacroblock: 4, frameNum: 2, lsb: 4),
        SyntheticSlice(refIDC: 0, firstMacroblock: 4, frameNum: 1, lsb: 4),
        SyntheticSlice(firstMacroblock: 4, frameNum: 1, lsb: 6),
        SyntheticSlice(firstMacroblock: 4, frameNum: 1, lsb: 4, deltaBottom: 1),
        SyntheticSlice(idr: true, firstMacroblock: 4, type: 7, frameNum: 1, lsb: 4),
        // The same picture cannot begin twice.
        SyntheticSlice(frameNum: 1, lsb: 4),
    ])
    func `one difference begins a picture`(other: SyntheticSlice) {
        let pps = SyntheticPPS(bottomFieldOrder: true)
        let first = SyntheticSlice(frameNum: 1, lsb: 4)
        let found = slices(SyntheticSPS(), pps, [idr, first, other])
        #expect(found.count == 3)
        #expect(found.map(\.sliceCount) == [1, 1, 1])
    }

    @Test func `slices that differ in nothing that counts are one picture`() {
        let found = slices(
            SyntheticSPS(), SyntheticPPS(),
            [
                idr, SyntheticSlice(refIDC: 1, frameNum: 1, lsb: 2),
                SyntheticSlice(refIDC: 3, firstMacroblock: 4, type: 2, frameNum: 1, lsb: 2),
                SyntheticSlice(refIDC: 2, firstMacroblock: 8, type: 1, frameNum: 1, lsb: 2),
            ])
        #expect(found.map(\.sliceCount) == [1, 3])
        #expect(found[1].pictureType == .b)
        #expect(found.allSatisfy { !$0.isDamaged })
    }

    @Test func `IDR pictures differ in idr_pic_id, types 1 of order in their deltas`() {
        #expect(
            slices(
                SyntheticSPS(), SyntheticPPS(),
                [
                    idr, SyntheticSlice(idr: true, firstMacroblock: 4, type: 7, idrID: 1),
                ]
            ).count == 2)
        let sps = SyntheticSPS(orderType: 1)
        #expect(
            slices(
                sps, SyntheticPPS(),
                [
                    idr, SyntheticSlice(frameNum: 1),
                    SyntheticSlice(firstMacroblock: 4, frameNum: 1, delta0: 1),
                ]
            ).count == 3)
    }

    @Test func `another picture parameter set is another picture`() {
        let sps = SyntheticSPS()
        let found = units(
            sps, SyntheticPPS(),
            [
                SyntheticPPS(id: 1).nalUnit, idr.nalUnit(sps, SyntheticPPS()),
                SyntheticSlice(frameNum: 1).nalUnit(sps, SyntheticPPS()),
                SyntheticSlice(firstMacroblock: 4, frameNum: 1).nalUnit(sps, SyntheticPPS(id: 1)),
            ])
        #expect(found.count == 3)
    }

    // MARK: 7.4.1.2.3

    @Test(
        arguments: [
            [9, 0xF0], [6, 5, 1, 7, 0x80], [0x6F, 1], [0x70, 1], [0x71, 1], [0x72, 1],
        ] as [[UInt8]])
    func `NAL units that begin a unit`(nal: [UInt8]) {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let found = units(
            sps, pps,
            [
                idr.nalUnit(sps, pps), nal, SyntheticSlice(frameNum: 1).nalUnit(sps, pps),
            ])
        #expect(found.count == 2)
        #expect(found.last?.nalUnits.count == 2)
        #expect(found.last?.nalUnits.first?.header.byte == nal[0])
    }

    @Test(arguments: [0, 3, 4, 10, 11, 12, 19, 20, 21, 22, 24, 31] as [UInt8])
    func `NAL units that belong to the unit before`(type: UInt8) {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let found = units(
            sps, pps,
            [
                idr.nalUnit(sps, pps), [0x60 | type, 1, 2],
                SyntheticSlice(frameNum: 1).nalUnit(sps, pps),
            ])
        #expect(found.map(\.nalUnits.count) == [4, 1])
    }

    @Test func `prefix NAL units go with the slice behind them`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let prefix: [UInt8] = [0x6E, 0x40, 0, 7]
        let view: [UInt8] = [0x74, 0x40, 0, 7, 1]
        let next = SyntheticSlice(frameNum: 1)
        var second = next
        second.firstMacroblock = 8
        let found = units(
            sps, pps,
            [
                prefix, idr.nalUnit(sps, pps), view, prefix, next.nalUnit(sps, pps), prefix,
                second.nalUnit(sps, pps), view,
            ])
        #expect(
            found.map { $0.nalUnits.map(\.type.rawValue) } == [
                [7, 8, 14, 5, 20], [14, 1, 14, 1, 20],
            ])
    }

    @Test func `redundant pictures stay with the primary one`() {
        let pps = SyntheticPPS(redundantCount: true)
        var redundant = SyntheticSlice(frameNum: 1, lsb: 2)
        redundant.redundant = 1
        let found = slices(
            SyntheticSPS(), pps,
            [
                idr, SyntheticSlice(frameNum: 1, lsb: 2), redundant,
                SyntheticSlice(frameNum: 2, lsb: 4),
            ])
        #expect(found.map(\.nalUnits.count) == [3, 2, 1])
        #expect(found[1].first.redundantSliceCount == 1 && found[1].sliceCount == 1)
    }

    @Test func `ranges tile the stream and the end joins the last unit`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let bytes: [UInt8] =
            [1, 2, 3]
            + [sps.nalUnit, pps.nalUnit, idr.nalUnit(sps, pps)].annexB + [0, 0, 0, 0, 0]
            + [[9, 0xF0], SyntheticSlice(frameNum: 1).nalUnit(sps, pps), [9, 0x10], sps.nalUnit]
            .annexB + [0, 0]
        let found = accessUnits(of: bytes)
        #expect(found.count == 2)
        #expect(found[0].byteRange.lowerBound == 3)
        #expect(found[0].byteRange.upperBound == found[1].byteRange.lowerBound)
        #expect(found[1].byteRange.upperBound == Int64(bytes.count))
        #expect(found[1].nalUnits.map(\.type.rawValue) == [9, 1, 9, 7])
        #expect(found[1].nalUnits[0].startCodeOffset == found[1].byteRange.lowerBound)
    }

    // MARK: Fields

    private let fieldSPS = SyntheticSPS(frameOnly: false, mbaff: true)

    @Test func `complementary fields are one unit`() {
        let found = slices(
            fieldSPS, SyntheticPPS(),
            [
                SyntheticSlice(idr: true, type: 7, field: .top),
                SyntheticSlice(type: 5, field: .bottom, lsb: 1),
                SyntheticSlice(refIDC: 0, type: 6, frameNum: 1, field: .bottom, lsb: 5),
                SyntheticSlice(refIDC: 0, type: 6, frameNum: 1, field: .top, lsb: 4),
                SyntheticSlice(frameNum: 1, lsb: 8),
            ])
        #expect(found.map(\.structure) == [.fieldPair, .fieldPair, .mbaff])
        #expect(found.map(\.pictureOrderCount.value) == [0, 4, 8])
        #expect(found[0].pictureType == .p && found[0].randomAccess == .idr)
        #expect(found[1].pictureOrderCount == PictureOrderCount(top: 4, bottom: 5))
        #expect(found[0].second?.nalIndices == 3..<4)
    }

    @Test func `fields that do not match stay alone`() {
        let found = slices(
            fieldSPS, SyntheticPPS(),
            [
                SyntheticSlice(idr: true, type: 7, field: .top),
                // The same parity.
                SyntheticSlice(frameNum: 0, field: .top, lsb: 2),
                // Another number.
                SyntheticSlice(frameNum: 1, field: .bottom, lsb: 3),
                // A second field cannot be IDR.
                SyntheticSlice(idr: true, type: 7, field: .top),
                // Nor can it forget what its first field referred to.
                SyntheticSlice(frameNum: 0, field: .bottom, lsb: 3, operations: [[5]]),
                SyntheticSlice(frameNum: 1, field: .bottom, lsb: 6),
                SyntheticSlice(frameNum: 1, field: .top, lsb: 6),
            ])
        #expect(
            found.map(\.structure) == [
                .topField, .topField, .bottomField, .topField, .bottomField, .fieldPair,
            ])
        #expect(found[4].beginsPictureOrder && found[4].pictureOrderCount.value == 0)
    }

    @Test func `a parameter set that changes between the fields is told`() {
        let pps = SyntheticPPS()
        let changed = SyntheticPPS(qp: 5)
        let found = units(
            fieldSPS, pps,
            [
                SyntheticSlice(idr: true, type: 7, field: .top).nalUnit(fieldSPS, pps),
                pps.nalUnit, changed.nalUnit,
                SyntheticSlice(type: 5, field: .bottom, lsb: 1).nalUnit(fieldSPS, changed),
                SyntheticSlice(frameNum: 1, lsb: 4).nalUnit(fieldSPS, changed),
            ])
        #expect(found.map(\.structure) == [.fieldPair, .mbaff])
        #expect(found[0].inBandParameterSetIndices == [4])
        #expect(found[0].ppsBytes == [pps.nalUnit])
        #expect(found[1].ppsBytes == [changed.nalUnit])
        #expect(found[0].parameterSetsGeneration != found[1].parameterSetsGeneration)
    }

    // MARK: Parameter sets

    @Test func `sets sent again make no new generation`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let found = units(
            sps, pps,
            [
                idr.nalUnit(sps, pps), sps.nalUnit, pps.nalUnit,
                SyntheticSlice(frameNum: 1).nalUnit(sps, pps), SyntheticPPS(id: 4).nalUnit,
                SyntheticPPS(id: 5, sps: 1).nalUnit, SyntheticSlice(frameNum: 2).nalUnit(sps, pps),
            ])
        let generations = found.map(\.parameterSetsGeneration)
        #expect(generations[0] == generations[1] && generations[1] != generations[2])
        #expect(found[2].ppsBytes == [pps.nalUnit, SyntheticPPS(id: 4).nalUnit])
        #expect(found[2].spsBytes == sps.nalUnit)
    }

    @Test func `a new size takes effect at the IDR picture`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let big = SyntheticSPS(width: 8)
        let found = units(
            sps, pps,
            [
                idr.nalUnit(sps, pps), big.nalUnit, SyntheticSlice(frameNum: 1).nalUnit(sps, pps),
                SyntheticSlice(idr: true, type: 7, idrID: 1).nalUnit(big, pps),
            ])
        #expect(found.map(\.sequenceParameterSet.codedSize.width) == [64, 64, 128])
    }

    // MARK: Damage

    @Test func `slices without parameter sets join the next unit`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let other = SyntheticPPS(id: 9)
        let bytes = [
            SyntheticSlice().nalUnit(sps, pps), [9, 0xF0], SyntheticSlice().nalUnit(sps, pps),
            [9, 0xF0], sps.nalUnit, pps.nalUnit, idr.nalUnit(sps, pps),
            SyntheticSlice(frameNum: 1).nalUnit(sps, other),
            SyntheticSlice(frameNum: 1).nalUnit(sps, pps),
            SyntheticSlice(firstMacroblock: 4, frameNum: 1).nalUnit(sps, other),
        ].annexB
        let found = accessUnits(of: bytes)
        #expect(found.count == 2)
        #expect(found[0].byteRange.lowerBound == 0)
        #expect(found[0].undecodableNALCount == 3 && found[0].unparsableSliceCount == 2)
        #expect(found[0].first.nalIndices == 3..<7)
        #expect(found[1].undecodableNALCount == 1 && found[1].unparsableSliceCount == 2)
        #expect(found[1].byteRange.upperBound == Int64(bytes.count))
        // Those in front are no part of the picture, and do it no harm.
        #expect(found.map(\.damage) == [[], .unparsableSlice])
    }

    @Test func `nothing decodable is no unit`() {
        let bytes = [SyntheticSlice().nalUnit(SyntheticSPS(), SyntheticPPS()), [9, 0xF0]].annexB
        var parser = AccessUnitParser()
        #expect(accessUnits(of: bytes, parser: &parser).isEmpty)
        #expect(parser.unparsableSliceCount == 1)
        #expect(parser.undecodableByteRange == 0..<Int64(bytes.count))
        #expect(accessUnits(of: []).isEmpty)
    }

    @Test func `lost first slices and lost frames are told`() {
        let found = slices(
            SyntheticSPS(), SyntheticPPS(),
            [
                idr, SyntheticSlice(firstMacroblock: 4, frameNum: 1, lsb: 2),
                SyntheticSlice(frameNum: 5, lsb: 10),
                SyntheticSlice(refIDC: 0, frameNum: 6, lsb: 12),
                SyntheticSlice(refIDC: 0, frameNum: 6, lsb: 13),
                SyntheticSlice(frameNum: 6, lsb: 14),
                SyntheticSlice(idr: true, type: 7), SyntheticSlice(frameNum: 0, lsb: 2),
            ])
        #expect(found.map(\.damage) == [[], .missingFirstSlice, [], [], [], [], [], []])
        #expect(found.map(\.lostFrameCount) == [0, 0, 3, 0, 0, 0, 0, 0])
        let allowed = slices(
            SyntheticSPS(gapsAllowed: true), SyntheticPPS(),
            [
                idr, SyntheticSlice(frameNum: 3, lsb: 2),
            ])
        #expect(allowed[1].lostFrameCount == 0 && allowed[1].frameNumGap?.frameCount == 2)
        #expect(!allowed[1].isDamaged)
    }

    @Test func `a stream that begins in the middle has no gap before it`() {
        let found = slices(
            SyntheticSPS(), SyntheticPPS(),
            [
                SyntheticSlice(refIDC: 0, frameNum: 7), SyntheticSlice(frameNum: 7, lsb: 2),
                SyntheticSlice(frameNum: 8, lsb: 4),
            ])
        #expect(found.map(\.lostFrameCount) == [0, 0, 0])
    }

    @Test func `NAL units without number are not kept`() {
        var parser = AccessUnitParser()
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        var offset: Int64 = 0
        func feed(_ bytes: [UInt8]) -> AccessUnit? {
            let nal = NALUnit(
                startCodeOffset: offset, startCodeLength: 3, byteCount: bytes.count,
                header: NALUnitHeader(byte: bytes[0]))
            offset += Int64(bytes.count) + 3
            return bytes.withUnsafeBytes { parser.append(nal, bytes: $0) }
        }
        for nal in [sps.nalUnit, pps.nalUnit, idr.nalUnit(sps, pps)] { _ = feed(nal) }
        for _ in 0..<AccessUnitParser.maximumNALUnitCount + 10 { _ = feed([0x0C]) }
        let unit = feed(SyntheticSlice(frameNum: 1).nalUnit(sps, pps))
        #expect(unit?.nalUnits.count == AccessUnitParser.maximumNALUnitCount)
        #expect(unit?.damage == .tooManyNALUnits)
        #expect(parser.finish(endOffset: offset)?.nalUnits.count == 1)
    }

    // MARK: Random access

    @Test func `recovery points belong to the unit they precede`() {
        let sps = SyntheticSPS()
        let pps = SyntheticPPS()
        let point: [UInt8] = [6, 6, 2, 0b0001_0100 | 1, 0x80, 0x80]
        let found = units(
            sps, pps,
            [
                idr.nalUnit(sps, pps), point, SyntheticSlice(frameNum: 1).nalUnit(sps, pps),
                SyntheticSlice(type: 2, frameNum: 2).nalUnit(sps, pps),
                SyntheticSlice(frameNum: 3).nalUnit(sps, pps),
            ])
        #expect(
            found.map(\.randomAccess) == [
                .idr, .recoveryPoint(recoveryFrameCount: 9), .intra, .none,
            ])
    }
}

@Suite("Picture order count")
struct PictureOrderCountTests {
    private func orders(_ sps: SyntheticSPS, _ pictures: [SyntheticSlice]) -> [Int] {
        let pps = SyntheticPPS(bottomFieldOrder: true)
        let nals = [sps.nalUnit, pps.nalUnit] + pictures.map { $0.nalUnit(sps, pps) }
        return accessUnits(of: nals.annexB).map(\.pictureOrderCount.value)
    }

    @Test func `type 0 wraps both ways`() {
        let sps = SyntheticSPS(orderBits: 4)
        let found = orders(
            sps,
            [
                SyntheticSlice(idr: true, type: 7), SyntheticSlice(frameNum: 1, lsb: 6),
                SyntheticSlice(frameNum: 2, lsb: 12), SyntheticSlice(frameNum: 3, lsb: 2),
                SyntheticSlice(refIDC: 0, frameNum: 4, lsb: 14),
                SyntheticSlice(frameNum: 4, lsb: 8, deltaBottom: -3),
            ])
        #expect(found == [0, 6, 12, 18, 14, 21])
    }

    @Test func `type 0 begins again after operation 5`() {
        let found = orders(
            SyntheticSPS(orderBits: 8),
            [
                SyntheticSlice(idr: true, type: 7), SyntheticSlice(frameNum: 1, lsb: 40),
                SyntheticSlice(frameNum: 2, lsb: 44, deltaBottom: -2, operations: [[5]]),
                SyntheticSlice(frameNum: 1, lsb: 6),
            ])
        #expect(found == [0, 40, 0, 6])
    }

    @Test func `type 1 runs through its cycle`() {
        let sps = SyntheticSPS(orderType: 1, cycle: (false, -2, 1, [4, 6]))
        let found = orders(
            sps,
            [
                SyntheticSlice(idr: true, type: 7), SyntheticSlice(frameNum: 1),
                SyntheticSlice(refIDC: 0, frameNum: 2), SyntheticSlice(frameNum: 2),
                SyntheticSlice(frameNum: 3, delta0: 1),
            ])
        #expect(found == [0, 4, 2, 10, 15])
    }

    @Test func `type 2 is decoding order, across the wrap of frame_num`() {
        let sps = SyntheticSPS(orderType: 2)
        let found = orders(
            sps,
            [
                SyntheticSlice(idr: true, type: 7), SyntheticSlice(refIDC: 0, frameNum: 1),
                SyntheticSlice(frameNum: 1), SyntheticSlice(frameNum: 15),
                SyntheticSlice(frameNum: 0),
                SyntheticSlice(refIDC: 0, frameNum: 1),
            ])
        #expect(found == [0, 1, 2, 30, 32, 33])
    }
}
