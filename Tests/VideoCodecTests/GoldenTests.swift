import Testing
import VideoCodec

/// Every stream with a golden file, against FFmpeg's checksums.
@Suite("Golden")
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

    @Test(arguments: names)
    func presentation(_ name: String) throws {
        let stream = try #require(TestStream(named: name))
        let golden = try #require(Self.golden(name))
        let entries = try stream.decode(.enableTemporalProcessing, hashes: true)
        report(name, stream, golden, entries, "P")
        let d = try stream.decode([], hashes: true).sorted { $0.time < $1.time }
        report(name, stream, golden, d, "D")
    }
    func report(_ name: String, _ stream: TestStream, _ golden: [String], _ entries: [Collector.Entry], _ m: String) {
        let sorted = zip(entries, entries.dropFirst()).allSatisfy { $0.time < $1.time }
        let md5 = entries.map { $0.md5 ?? "none" }
        let kept = Array(entries.drop { $0.isDamaged }.map { $0.md5 ?? "none" })
        let diff = zip(kept, golden).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        print(m, name, "units", stream.units.count, "out", entries.count, "nil", md5.filter { $0 == "none" }.count, "golden", golden.count, "kept", kept.count, "sorted", sorted, "differs", diff.prefix(6), diff.count, "damaged", entries.filter { $0.isDamaged }.count, "dmgIdx", entries.enumerated().filter { $1.isDamaged }.map(\.offset).prefix(8), "status", Set(entries.map(\.status)))
    }
}
