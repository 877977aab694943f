import H264
import TestSupport
import Testing

@Suite("NAL unit type")
struct NALUnitTypeTests {
    @Test func `every type has its name`() {
        #expect((0...31).allSatisfy { !NALUnitType(rawValue: $0).name.isEmpty })
        #expect(NALUnitType(rawValue: 5).name == "slice, IDR")
        #expect(NALUnitType(rawValue: 37) == .sliceIDR)
        #expect((0...31).filter { NALUnitType(rawValue: $0).isVCL } == [1, 2, 3, 4, 5])
    }

    @Test func `the header byte is three fields`() {
        let header = NALUnitHeader(byte: 0xE7)
        #expect(header.forbiddenZeroBit && header.referenceIDC == 3 && header.type == .sps)
        let good = NALUnitHeader(byte: 0x41)
        #expect(!good.forbiddenZeroBit && good.referenceIDC == 2 && good.type == .sliceNonIDR)
    }
}

@Suite("Sequence parameter set")
struct SequenceParameterSetTests {
    @Test func `1080 lines are cropped by 4 progressive, by 2 interlaced`() throws {
        var sps = SyntheticSPS(width: 120, height: 68, crop: (0, 0, 0, 4))
        #expect(try SequenceParameterSet(nalUnit: sps.nalUnit).croppedSize == (1920, 1080))
        sps = SyntheticSPS(width: 120, height: 34, frameOnly: false, crop: (0, 0, 0, 2))
        let set = try SequenceParameterSet(nalUnit: sps.nalUnit)
        #expect(set.croppedSize == (1920, 1080))
        #expect(set.codedSize == (1920, 1088))
        #expect(set.cropUnit == (2, 4))
    }

    @Test(arguments: [(0, 1, 1), (1, 2, 2), (2, 2, 1), (3, 1, 1)] as [(UInt32, Int, Int)])
    func `crop units follow the chroma format`(format: UInt32, x: Int, y: Int) throws {
        let sps = SyntheticSPS(profile: 244, chromaFormat: format, crop: (1, 2, 3, 4))
        let set = try SequenceParameterSet(nalUnit: sps.nalUnit)
        #expect(set.cropUnit == (x, y))
        #expect(set.croppingRectangle == (x, 3 * y, 64 - 3 * x, 64 - 7 * y))
    }

    @Test(
        arguments: [(16, 16, 0, 0), (32, 0, 0, 0), (0, 0, 31, 1)]
            as [(UInt32, UInt32, UInt32, UInt32)])
    func `a crop of everything is refused`(
        left: UInt32, right: UInt32, top: UInt32, bottom: UInt32
    ) {
        let sps = SyntheticSPS(crop: (left, right, top, bottom))
        #expect(throws: BitstreamError.self) { try SequenceParameterSet(nalUnit: sps.nalUnit) }
    }

    @Test func `values over the limits are refused`() {
        let bad = [
            SyntheticSPS(id: 32), SyntheticSPS(profile: 100, chromaFormat: 4),
            SyntheticSPS(frameNumBits: 17), SyntheticSPS(orderType: 3),
            SyntheticSPS(orderBits: 17), SyntheticSPS(referenceFrames: 17),
            SyntheticSPS(width: 1025), SyntheticSPS(height: 1025),
            SyntheticSPS(height: 513, frameOnly: false),
            SyntheticSPS(width: .max), SyntheticSPS(height: .max),
        ]
        for sps in bad {
            #expect(throws: BitstreamError.self) { try SequenceParameterSet(nalUnit: sps.nalUnit) }
        }
        #expect(throws: BitstreamError.self) { try SequenceParameterSet(nalUnit: []) }
        #expect(throws: BitstreamError.unexpectedNALUnitType(.pps)) {
            try SequenceParameterSet(nalUnit: [0x68, 1, 2, 3])
        }
    }

    @Test func `every truncation throws`() {
        let nal = SyntheticSPS(profile: 100, orderType: 1, cycle: (false, -3, 5, [1, 2, 3])).nalUnit
        for count in 0..<nal.count - 1 {
            #expect(throws: BitstreamError.self) {
                try SequenceParameterSet(nalUnit: Array(nal.prefix(count)))
            }
        }
    }

    @Test func `VUI is read to the end`() throws {
        let sps = SyntheticSPS(vui: { writer in
            writer.writeFlag(true)
            writer.writeBits(255, 8)
            writer.writeBits(40, 16)
            writer.writeBits(33, 16)
            writer.writeBits(0b11, 2)  // overscan appropriate
            writer.writeBits(0b1_101_1_1, 6)  // video format 5, full range, colours
            writer.writeBits(0x01_0D_09, 24)
            writer.writeFlag(true)
            writer.writeUE(2)
            writer.writeUE(3)
            writer.writeFlag(true)
            writer.writeBits(1001, 32)
            writer.writeBits(60000, 32)
            writer.writeFlag(true)
            writer.writeFlag(true)  // NAL HRD
            writer.writeUE(1)
            writer.writeBits(0x12, 8)
            for _ in 0..<2 {
                writer.writeUE(99)
                writer.writeUE(49)
                writer.writeFlag(true)
            }
            for length in [23, 22, 21, 20] as [UInt32] { writer.writeBits(length, 5) }
            writer.writeFlag(false)  // VCL HRD
            writer.writeFlag(true)  // low delay
            writer.writeFlag(true)  // pic_struct
            writer.writeFlag(true)
            writer.writeFlag(true)
            for value in [0, 1, 11, 12, 2, 4] as [UInt32] { writer.writeUE(value) }
        })
        let set = try SequenceParameterSet(nalUnit: sps.nalUnit)
        let vui = try #require(set.vui)
        #expect(set.vuiError == nil)
        #expect(try #require(set.sampleAspectRatio) == (40, 33))
        #expect(vui.overscanAppropriate == true && vui.videoFormat == 5 && vui.isFullRange == true)
        #expect(vui.colourPrimaries == 1)
        #expect(vui.transferCharacteristics == 13 && vui.matrixCoefficients == 9)
        #expect(vui.chromaSampleLocationTopField == 2)
        #expect(vui.chromaSampleLocationBottomField == 3)
        #expect(try #require(set.frameRate) == (60000, 2002))
        let hrd = try #require(vui.nalHRD)
        #expect(hrd.buffers.count == 2)
        #expect(hrd.buffers[1].bitRate == 100 << 7 && hrd.buffers[1].size == 50 << 6)
        #expect(hrd.initialRemovalDelayLength == 24 && hrd.removalDelayLength == 23)
        #expect(hrd.outputDelayLength == 22 && hrd.timeOffsetLength == 20)
        #expect(vui.isLowDelayHRD == true && vui.isPictureStructurePresent)
        #expect(vui.bitstreamRestriction?.maximumReorderFrames == 2)
        #expect(set.maximumReorderDepth == 2)
    }

    @Test func `broken VUI is kept up to the damage`() throws {
        let sps = SyntheticSPS(vui: { writer in
            writer.writeFlag(true)
            writer.writeBits(2, 8)
            writer.writeBits(0, 3)
            writer.writeFlag(true)
            writer.writeBits(1, 32)
            writer.writeBits(50, 32)
            writer.writeBits(0b10001, 5)
            writer.writeUE(0)
            writer.writeUE(0)
            writer.writeUE(77)
        })
        let set = try SequenceParameterSet(nalUnit: sps.nalUnit)
        #expect(set.vuiError != nil)
        #expect(try #require(set.sampleAspectRatio) == (12, 11))
        #expect(try #require(set.frameRate) == (50, 2))
        #expect(set.vui?.bitstreamRestriction == nil)
    }

    @Test func `timing that is nonsense gives no rate`() throws {
        for (units, scale) in [(0, 50), (50, 0), (1, 90000), (.max, 1)] as [(UInt32, UInt32)] {
            let sps = SyntheticSPS(vui: { writer in
                writer.writeBits(0b00001, 5)
                writer.writeBits(units, 32)
                writer.writeBits(scale, 32)
                writer.writeBits(0, 5)
            })
            #expect(try SequenceParameterSet(nalUnit: sps.nalUnit).frameRate == nil)
        }
    }

    @Test(
        arguments: [
            (66, 0x40, 10, "Constrained Baseline", "1"), (66, 0x10, 11, "Baseline", "1b"),
            (77, 0, 11, "Main", "1.1"), (100, 0, 9, "High", "1b"),
            (110, 0x10, 41, "High 10 Intra", "4.1"),
            (122, 0, 62, "High 4:2:2", "6.2"), (244, 0, 50, "High 4:4:4 Predictive", "5"),
            (99, 0, 13, "99", "1.3"),
        ] as [(UInt32, UInt32, UInt32, String, String)])
    func `names of profiles and levels`(
        profile: UInt32, constraints: UInt32, level: UInt32, name: String, levelName: String
    ) throws {
        let sps = SyntheticSPS(profile: profile, constraints: constraints, level: level)
        let set = try SequenceParameterSet(nalUnit: sps.nalUnit)
        #expect(set.profileName == name)
        #expect(set.levelName == levelName)
    }

    @Test func `reorder depth is inferred from the level`() throws {
        func depth(_ sps: SyntheticSPS) throws -> Int {
            try SequenceParameterSet(nalUnit: sps.nalUnit).maximumReorderDepth
        }
        #expect(try depth(SyntheticSPS(level: 40, width: 120, height: 68)) == 4)
        #expect(try depth(SyntheticSPS(level: 40, width: 4, height: 4)) == 16)
        #expect(try depth(SyntheticSPS(orderType: 2)) == 0)
        #expect(try depth(SyntheticSPS(profile: 110, constraints: 0x10)) == 0)
        #expect(try depth(SyntheticSPS(profile: 77, constraints: 0x10)) == 16)
    }

    @Test func `a picture parameter set needs its sequence parameter set`() throws {
        let sps = try SequenceParameterSet(nalUnit: SyntheticSPS(id: 3).nalUnit)
        let nal = SyntheticPPS(id: 200, sps: 3, cabac: true, qp: -26).nalUnit
        let pps = try PictureParameterSet(nalUnit: nal, sequenceParameterSet: sps)
        #expect(pps.id == 200 && pps.isCABAC && pps.initialQP == 0 && pps.bytes == nal)
        #expect(throws: BitstreamError.missingParameterSet(element: "seq_parameter_set_id", id: 4))
        {
            try PictureParameterSet(
                nalUnit: SyntheticPPS(sps: 4).nalUnit, sequenceParameterSet: sps)
        }
        for qp in [-27, 26] as [Int32] {
            #expect(throws: BitstreamError.self) {
                try PictureParameterSet(
                    nalUnit: SyntheticPPS(sps: 3, qp: qp).nalUnit, sequenceParameterSet: sps)
            }
        }
        for count in 0..<nal.count - 1 {
            #expect(throws: BitstreamError.self) {
                try PictureParameterSet(
                    nalUnit: Array(nal.prefix(count)), sequenceParameterSet: sps)
            }
        }
    }

    @Test func `slice groups of all types`() throws {
        let sps = try SequenceParameterSet(nalUnit: SyntheticSPS().nalUnit)
        func map(
            count: UInt32, type: UInt32, _ body: (inout BitWriter) -> Void
        ) throws -> PictureParameterSet.SliceGroupMap? {
            var writer = BitWriter()
            writer.writeUE(0)
            writer.writeUE(0)
            writer.writeBits(0, 2)
            writer.writeUE(count - 1)
            writer.writeUE(type)
            body(&writer)
            writer.writeUE(0)
            writer.writeUE(0)
            writer.writeBits(0, 3)
            for _ in 0..<3 { writer.writeSE(0) }
            writer.writeBits(0, 3)
            writer.writeTrailingBits()
            return try PictureParameterSet(
                nalUnit: writer.nalUnit(header: 0x68), sequenceParameterSet: sps
            ).sliceGroupMap
        }
        #expect(
            try map(count: 2, type: 0) {
                $0.writeUE(0)
                $0.writeUE(15)
            } == .interleaved(runLengths: [1, 16]))
        #expect(throws: BitstreamError.self) { try map(count: 2, type: 0) { $0.writeUE(16) } }
        #expect(try map(count: 8, type: 1) { _ in } == .dispersed)
        #expect(
            try map(count: 2, type: 2) {
                $0.writeUE(1)
                $0.writeUE(6)
            } == .foreground(topLeft: [1], bottomRight: [6]))
        #expect(throws: BitstreamError.self) {
            try map(count: 2, type: 2) {
                $0.writeUE(6)
                $0.writeUE(1)
            }
        }
        #expect(
            try map(count: 2, type: 4) {
                $0.writeFlag(true)
                $0.writeUE(2)
            } == .changing(type: 4, directionFlag: true, changeRate: 3))
        #expect(
            try map(count: 3, type: 6) {
                $0.writeUE(15)
                for unit in 0..<16 as Range<UInt32> { $0.writeBits(unit % 3, 2) }
            } == .explicit(mapUnitCount: 16))
        #expect(throws: BitstreamError.self) { try map(count: 3, type: 6) { $0.writeUE(1000) } }
        #expect(throws: BitstreamError.self) { try map(count: 9, type: 1) { _ in } }
        #expect(throws: BitstreamError.self) { try map(count: 2, type: 7) { _ in } }
    }
}

@Suite("Parameter sets")
struct ParameterSetsTests {
    @Test func `sets sent again change nothing`() {
        var sets = ParameterSets()
        #expect(sets.insert(SyntheticSPS().nalUnit) == .changed)
        #expect(sets.insert(SyntheticPPS().nalUnit) == .changed)
        let generation = sets.generation
        let pps = sets.pictureParameterSet(0)
        #expect(pps != nil)
        #expect(sets.insert(SyntheticSPS().nalUnit) == .unchanged)
        #expect(sets.insert(SyntheticPPS().nalUnit) == .unchanged)
        #expect(sets.generation == generation)
        #expect(sets.pictureParameterSet(0) === pps)
        #expect(sets.insert(SyntheticPPS(qp: 1).nalUnit) == .changed)
        #expect(sets.generation != generation)
    }

    @Test func `a picture parameter set may come first`() {
        var sets = ParameterSets()
        #expect(sets.insert(SyntheticPPS().nalUnit) == .changed)
        #expect(sets.pictureParameterSet(0) == nil)
        sets.insert(SyntheticSPS().nalUnit)
        #expect(sets.pictureParameterSet(0) != nil)
    }

    @Test func `broken sets replace none`() {
        var sets = ParameterSets()
        sets.insert(SyntheticSPS().nalUnit)
        sets.insert(SyntheticPPS().nalUnit)
        guard case .invalid = sets.insert(SyntheticSPS(referenceFrames: 20).nalUnit) else {
            Issue.record("accepted")
            return
        }
        guard case .invalid = sets.insert(SyntheticPPS(qp: 30).nalUnit) else {
            Issue.record("accepted")
            return
        }
        #expect(sets.sequenceParameterSet(0)?.maximumReferenceFrames == 4)
        #expect(sets.pictureParameterSet(0)?.initialQP == 26)
        #expect(sets.pictureParameterSet(-1) == nil && sets.pictureParameterSet(256) == nil)
        #expect(sets.sequenceParameterSet(-1) == nil && sets.sequenceParameterSet(32) == nil)
    }

    @Test func `sets too long to be real are refused`() {
        var sets = ParameterSets()
        let padding = [UInt8](repeating: 0xFF, count: 65535)
        guard case .invalid = sets.insert(SyntheticSPS().nalUnit + padding) else {
            Issue.record("accepted")
            return
        }
        var accepted = 0
        for id in 0..<20 as Range<UInt32> {
            let nal = SyntheticPPS(id: id).nalUnit + padding.prefix(60_000)
            if sets.insert(nal) == .changed { accepted += 1 }
        }
        #expect(accepted == 2)
        // One that takes another's place has its room.
        #expect(sets.insert(SyntheticPPS(id: 1, qp: 1).nalUnit) == .changed)
        #expect(sets.insert(SyntheticPPS(id: 9).nalUnit + padding.prefix(60_000)) == .changed)
    }

    @Test(.timeLimit(.minutes(Checkout.patience(5))))
    func `sets that change with every picture cost no more than their bytes allow`() {
        var parser = AccessUnitParser()
        var nals: [[UInt8]] = []
        for id in 0..<256 as Range<UInt32> {
            nals.append(
                SyntheticPPS(id: id).nalUnit + (0..<150).flatMap { _ in [0, 0, 3] as [UInt8] })
        }
        for round in 0..<10 as Range<UInt32> {
            let sps = SyntheticSPS(width: 4 + round % 2)
            nals.append(sps.nalUnit)
            nals.append(SyntheticSlice(idr: true, type: 7).nalUnit(sps, SyntheticPPS()))
        }
        #expect(accessUnits(of: nals.annexB, parser: &parser).count == 10)
    }

    @Test func `a set in use changes when a sequence begins`() {
        var sets = ParameterSets()
        sets.insert(SyntheticSPS().nalUnit)
        sets.activate(0)
        #expect(sets.insert(SyntheticSPS(width: 8).nalUnit) == .changed)
        #expect(sets.sequenceParameterSet(0)?.codedSize.width == 64)
        sets.activate(0)
        #expect(sets.sequenceParameterSet(0)?.codedSize.width == 128)
    }
}

@Suite("AVC decoder configuration record")
struct AVCDecoderConfigurationRecordTests {
    @Test(arguments: [77, 100, 244] as [UInt32], [1, 2, 4])
    func `what is written is read`(profile: UInt32, length: Int) throws {
        let sps = [SyntheticSPS(profile: profile, constraints: 0x40).nalUnit]
        let pps = [SyntheticPPS().nalUnit, SyntheticPPS(id: 1).nalUnit]
        let spsExtension = [[0x6D, 0xC0] as [UInt8]]
        let record = try AVCDecoderConfigurationRecord(
            sps: sps, pps: pps, spsExtensions: spsExtension, nalUnitHeaderLength: length)
        let bytes = record.serialized
        #expect(Array(bytes.prefix(4)) == [1, UInt8(profile), 0x40, 40])
        #expect(bytes[4] == 0xFC | UInt8(length - 1) && bytes[5] == 0xE1)
        #expect((record.format != nil) == (profile == 100))
        let read = try AVCDecoderConfigurationRecord(bytes: bytes)
        #expect(read == record)
        for count in 0..<bytes.count {
            // One that ends behind the picture parameter sets is whole.
            let cut = try? AVCDecoderConfigurationRecord(bytes: Array(bytes.prefix(count)))
            if let cut { #expect(cut.pictureParameterSets == pps && cut.format == nil) }
        }
    }

    @Test func `wrong records are refused`() throws {
        let good = try AVCDecoderConfigurationRecord(
            sps: [SyntheticSPS().nalUnit], pps: [SyntheticPPS().nalUnit]
        ).serialized
        var bad = good
        bad[0] = 0
        #expect(throws: BitstreamError.self) { try AVCDecoderConfigurationRecord(bytes: bad) }
        bad = good
        bad[4] = 0xFE
        #expect(throws: BitstreamError.self) { try AVCDecoderConfigurationRecord(bytes: bad) }
        bad = good
        bad[6] = 0xFF
        #expect(throws: BitstreamError.self) { try AVCDecoderConfigurationRecord(bytes: bad) }
        #expect(throws: BitstreamError.self) { try AVCDecoderConfigurationRecord(bytes: []) }
        #expect(throws: BitstreamError.self) { try AVCDecoderConfigurationRecord(sps: [], pps: []) }
        #expect(throws: BitstreamError.self) {
            try AVCDecoderConfigurationRecord(sps: [SyntheticSPS().nalUnit], pps: [[]])
        }
    }
}

@Suite("AVCC")
struct AVCCTests {
    @Test(arguments: [1, 2, 4])
    func `random NAL units come back`(length: Int) throws {
        var random = SplitMix64(state: 5)
        for _ in 0..<200 {
            let nals = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                [0x61 as UInt8]
                    + EmulationPrevention.insert(
                        into: (0..<Int.random(in: 0...80, using: &random)).map { _ in
                            UInt8([0, 0, 1, 2, 3, 9].randomElement(using: &random) ?? 0)
                        }) + [0x80]
            }
            let framed = try AVCC.lengthPrefixed(annexB: nals.annexB, lengthByteCount: length)
            #expect(
                try AVCC.nalUnitRanges(in: framed, lengthByteCount: length).map {
                    Array(framed[$0])
                } == nals)
            #expect(try AVCC.annexB(from: framed, lengthByteCount: length) == nals.annexB)
        }
    }

    @Test func `lengths are checked`() {
        #expect(throws: BitstreamError.invalidLength(offset: 0, length: 5, available: 4)) {
            try AVCC.nalUnitRanges(in: [0, 0, 0, 5, 1, 2, 3, 4])
        }
        #expect(throws: BitstreamError.invalidLength(offset: 5, length: 4, available: 3)) {
            try AVCC.nalUnitRanges(in: [0, 0, 0, 1, 9, 0, 0, 0])
        }
        #expect(throws: BitstreamError.self) { try AVCC.nalUnitRanges(in: [255, 255, 255, 255]) }
        #expect(throws: Never.self) { try AVCC.nalUnitRanges(in: [0, 0, 0, 0]) }
        let long = [0, 0, 1] + [UInt8](repeating: 7, count: 256)
        #expect(throws: BitstreamError.self) {
            try AVCC.lengthPrefixed(annexB: long, lengthByteCount: 1)
        }
    }

    @Test func `key frames get their parameter sets in front`() throws {
        let sets = [SyntheticSPS().nalUnit, SyntheticPPS().nalUnit]
        let bytes = try AVCC.annexB(from: [0, 0, 0, 2, 0x65, 9], parameterSets: sets)
        #expect(bytes == (sets + [[0x65, 9]]).annexB)
    }
}
