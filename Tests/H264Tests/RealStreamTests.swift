import H264
import TestSupport
import Testing

@Suite("Real streams", .enabled(if: StreamFiles.areThere))
struct RealStreamTests {
    @Test(arguments: StreamFiles.entries)
    func `pictures are counted, tiled and ordered`(entry: StreamFiles.Entry) throws {
        let bytes = try StreamFiles.bytes(entry.name)
        var parser = AccessUnitParser()
        let units = accessUnits(of: bytes, parser: &parser)
        #expect(units.count == entry.pictureCount)
        guard let first = units.first, let last = units.last else {
            #expect(parser.unparsableSliceCount > 0)
            return
        }
        for (unit, next) in zip(units, units.dropFirst()) {
            #expect(unit.byteRange.upperBound == next.byteRange.lowerBound)
        }
        #expect(first.byteRange.lowerBound == first.nalUnits[0].startCodeOffset)
        #expect(last.byteRange.upperBound == Int64(bytes.count))
        #expect(parser.unparsableSliceCount == 0)
        let size = last.sequenceParameterSet.croppedSize
        if !entry.features.contains("resolution_change") && entry.name != "Error_I_P.264" {
            #expect(size == (entry.width, entry.height))
        }

        // No two pictures of a sequence stand at one place.
        var seen: Set<Int> = []
        for unit in units {
            if unit.beginsPictureOrder { seen.removeAll() }
            #expect(seen.insert(unit.pictureOrderCount.value).inserted)
            let reorder = unit.sequenceParameterSet.maximumReorderDepth
            #expect(reorder >= 0 && reorder <= 16)
        }

        #expect(units.contains { $0.structure == .mbaff } == entry.features.contains("mbaff"))
        if entry.features.contains("field_pictures_only") {
            #expect(units.allSatisfy { [.fieldPair, .topField].contains($0.structure) })
        }
        let types = Set(units.map(\.pictureType))
        let hasB = entry.features.contains {
            $0.hasPrefix("slices_") && $0.dropFirst("slices_".count).contains("B")
        }
        #expect(types.contains(.b) == hasB)
        #expect(
            units.contains { $0.recoveryPoint != nil }
                == entry.features.contains("recovery_point_sei"))
    }

    /// FFmpeg's output order, as `ffprobe -flags2 +showall -show_entries frame=pkt_pos` gives it.
    @Test(arguments: [
        ("HCAFF1_HHI.264", [0, 2, 3, 1, 5, 6, 4, 8, 9, 7]),
        ("FRExt4_Panasonic.avc", [0, 2, 3, 1, 4, 5, 6, 8, 9, 7]),
        ("MVCDS-4.264", [0, 5, 3, 6, 2, 7, 4, 8, 1]),
        ("riverbed-II-360p-48961.264", [0, 3, 2, 4, 1, 5]),
    ])
    func `pictures come in FFmpeg's order`(name: String, order: [Int]) throws {
        let units = accessUnits(of: try StreamFiles.bytes(name))
        var sequence = 0
        let keys = units.map { unit in
            if unit.beginsPictureOrder { sequence += 1 }
            return (sequence, unit.pictureOrderCount.value)
        }
        #expect(units.indices.sorted { keys[$0] < keys[$1] } == order)
    }

    @Test(arguments: [
        "HCAFF1_HHI.264", "FRExt4_Panasonic.avc", "supp-nals.264", "SarVui.264",
        "riverbed-II-360p-48961.264", "tsduck_test-138_video.264",
    ])
    func `any reads give the same units`(name: String) throws {
        let bytes = try StreamFiles.bytes(name)
        let expected = accessUnits(of: bytes).map(Facts.init)
        var random = SplitMix64(state: 7)
        for limit in [1, 50, 5000] as [Int] where limit > 1 || bytes.count < 60_000 {
            var parser = AccessUnitParser()
            let units = accessUnits(of: bytes, parser: &parser) {
                .random(in: 1...limit, using: &random)
            }
            #expect(units.map(Facts.init) == expected)
        }
    }

    @Test func `every cut gives the same units`() throws {
        let bytes = try StreamFiles.bytes("supp-nals.264")
        let expected = accessUnits(of: bytes).map(Facts.init)
        for cut in 0...bytes.count {
            var reads = [cut, bytes.count - cut]
            var parser = AccessUnitParser()
            let units = accessUnits(of: bytes, parser: &parser) { reads.removeFirst() }
            #expect(units.map(Facts.init) == expected)
        }
    }

    struct Facts: Equatable {
        let nalUnits: [NALUnit]
        let range: Range<Int64>
        let order: PictureOrderCount
        let damage: AccessUnit.Damage
        let generation: Int

        init(_ unit: AccessUnit) {
            nalUnits = unit.nalUnits
            range = unit.byteRange
            order = unit.pictureOrderCount
            damage = unit.damage
            generation = unit.parameterSetsGeneration
        }
    }

    @Test(.timeLimit(.minutes(Checkout.patience(10))), arguments: StreamFiles.entries)
    func `damage never traps`(entry: StreamFiles.Entry) throws {
        // The beginning holds every kind of header.
        let bytes = try StreamFiles.bytes(entry.name).prefix(20_000)
        var random = SplitMix64(state: UInt64(bytes.count))
        for round in 0..<40 {
            var damaged = [UInt8](bytes)
            for _ in 0..<(round % 4 == 0 ? 1 : 200) {
                // Half of the damage is near start codes, where the headers are.
                var index = Int.random(in: damaged.indices, using: &random)
                if Bool.random(using: &random) {
                    let code = damaged[index...].prefix(4000).firstIndex(of: 1) ?? index
                    index = min(code + .random(in: 0..<24, using: &random), damaged.count - 1)
                }
                damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            damaged.removeLast(.random(in: 0..<damaged.count, using: &random) / 4)
            var end: Int64?
            for unit in accessUnits(of: damaged) {
                #expect(end == nil || unit.byteRange.lowerBound == end)
                end = unit.byteRange.upperBound
                #expect(unit.first.nalIndices.upperBound <= unit.nalUnits.count)
                _ = unit.sequenceParameterSet.croppedSize
                _ = unit.sequenceParameterSet.maximumReorderDepth
                _ = (unit.pictureType, unit.structure, unit.fieldTicks, unit.ppsBytes)
            }
            forEachNALUnit(of: damaged) { nal, content in
                let copy = [UInt8](content.prefix(2000))
                if nal.type == .sei { _ = try? SEIMessage.messages(nalUnit: copy) }
                if nal.type == .sps { _ = try? AVCDecoderConfigurationRecord(sps: [copy], pps: []) }
            }
        }
    }
}

@Suite("Hostile input")
struct HostileInputTests {
    @Test(
        .timeLimit(.minutes(Checkout.patience(5))),
        arguments: [5, 1, 7, 8, 6, 13, 2, 20] as [UInt8])
    func `random NAL units of every kind never trap`(type: UInt8) {
        var random = SplitMix64(state: UInt64(type))
        for _ in 0..<1500 {
            var sps = SyntheticSPS(profile: [66, 77, 100, 244].randomElement(using: &random) ?? 66)
            sps.orderType = UInt32.random(in: 0...2, using: &random)
            sps.cycle.frames = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                .random(in: -Int32.max...Int32.max, using: &random)
            }
            sps.frameOnly = .random(using: &random)
            let pps = SyntheticPPS(
                cabac: .random(using: &random), redundantCount: .random(using: &random))
            var nals = [sps.nalUnit, pps.nalUnit]
            for _ in 0..<6 {
                let count = Int.random(in: 0...40, using: &random)
                // Ones make short codes, zeros long ones.
                let mask: UInt8 = [0, 0x80, 0xC0].randomElement(using: &random) ?? 0
                nals.append(
                    [.random(in: 0...7, using: &random) << 5 | type]
                        + (0..<count).map { _ in mask | .random(in: 0...255, using: &random) })
            }
            for unit in accessUnits(of: nals.annexB) {
                _ = unit.pictureOrderCount.value
            }
        }
    }
}
