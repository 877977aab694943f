import H264
import Testing
import VideoCodec

/// Every shared stream with a golden file, against FFmpeg's checksums.
@Suite("Golden pictures", .serialized)
struct GoldenTests {
    /// The checksums of a golden file; nil where it is not there.
    static func golden(_ name: String) -> [String]? {
        readBytes("\(sharedStreams)/golden/\(name).framemd5").map { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .filter { !$0.hasPrefix("#") }
                .compactMap { $0.split(separator: " ").last.map(String.init) }
        }
    }

    static let names: [String] = {
        guard let index = readBytes(sharedStreams + "/INDEX.tsv") else { return [] }
        return String(decoding: index, as: UTF8.self).split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: "\t").first.map(String.init) }
            .filter { golden($0) != nil }
    }()

    /// Frames whose checksum depends on how FFmpeg conceals.
    static let notReproducible: [String: Set<Int>] = {
        let here = String(#filePath.dropLast("GoldenTests.swift".count))
        guard let table = readBytes(here + "NotReproducible.tsv") else { return [:] }
        var frames: [String: Set<Int>] = [:]
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let frame = Int(fields[1]) else { continue }
            frames[String(fields[0]), default: []].insert(frame)
        }
        return frames
    }()

    @Test func `the shared streams are there`() {
        if Self.names.isEmpty {
            print("SKIPPED: no streams at \(sharedStreams); the golden tests proved nothing")
        } else {
            #expect(Self.names.count >= 34)
        }
    }

    /// What FFmpeg withholds: at a start without IDR all that is not recovered, in presentation order.
    static func shown(_ entries: [Collector.Entry], of stream: TestStream) -> [Collector.Entry] {
        guard stream.units.first?.accessUnit.isIDR == false else { return entries }
        return Array(entries.drop { $0.isDamaged })
    }

    static func check(_ name: String, _ entries: [Collector.Entry], _ stream: TestStream) throws {
        #expect(entries.count == stream.units.count, "one answer a sample")
        #expect(entries.allSatisfy { $0.status == 0 && $0.md5 != nil }, "a picture each")
        let golden = try #require(Self.golden(name))
        let shown = Self.shown(entries, of: stream)
        try #require(shown.count == golden.count)
        let ignored = notReproducible[name] ?? []
        for (frame, (entry, md5)) in zip(shown, golden).enumerated() where !ignored.contains(frame)
        {
            #expect(entry.md5 == md5, "frame \(frame), sample \(entry.token ?? -1)")
            #expect(!entry.isDamaged, "frame \(frame)")
        }
        for frame in ignored { #expect(shown[frame].isDamaged, "frame \(frame)") }
    }

    @Test(arguments: names)
    func `D-3 presentation order gives FFmpeg's pictures in order`(_ name: String) throws {
        let stream = try #require(TestStream(named: name))
        let entries = try stream.decode(.enableTemporalProcessing, hashes: true)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.time < $1.time })
        try Self.check(name, entries, stream)
    }

    @Test(arguments: names)
    func `D-19 a: decode order gives the same pictures`(_ name: String) throws {
        let stream = try #require(TestStream(named: name))
        let entries = try stream.decode([], hashes: true)
        #expect(entries.map(\.token) == stream.units.indices.map { Int64($0) })
        try Self.check(name, entries.sorted { $0.time < $1.time }, stream)
    }

    @Test(arguments: ["BA1_FT_C.264", "CABASTBR3_Sony_B.264", "PPH10I2_Panasonic_A.264"])
    func `D-19 a: slice threads give the same pictures`(_ name: String) throws {
        guard let stream = TestStream(named: name) else { return }
        let entries = try stream.decode([], hashes: true, threadCount: 4)
        try Self.check(name, entries.sorted { $0.time < $1.time }, stream)
    }

    @Test(arguments: [
        "riverbed-II-360p-48961.264", "test-25fps-interlaced.h264", "CVSEFDFT3_Sony_E.264",
        "FRExt4_Panasonic.avc",
    ])
    func `the number of frame threads changes nothing`(_ name: String) throws {
        guard let stream = TestStream(named: name) else { return }
        for count in [1, 3, 8] {
            let entries = try stream.decode(
                .enableTemporalProcessing, hashes: true, threadCount: count)
            try Self.check(name, entries, stream)
        }
    }

    @Test(arguments: ["FRExt4_Panasonic.avc", "HCAFF1_HHI.264", "CVFI1_SVA_C.264"])
    func `D-19 c: fields are found without the attachment`(_ name: String) throws {
        guard let stream = TestStream(named: name) else { return }
        let entries = try stream.decode([], hashes: true, isBoundaryTold: false)
        try Self.check(name, entries.sorted { $0.time < $1.time }, stream)
    }
}
