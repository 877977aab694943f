import Foundation
import StreamSynthesis
import TestSupport
import Testing

/// The clips of `Samples/`, decoded, against their golden digests.
@Suite("Samples", .timeLimit(.minutes(Checkout.patience(3))))
struct SamplesTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return files.filter { $0.hasSuffix(".264") }.sorted()
    }()

    static func golden(_ name: String) throws -> [String] {
        // Where ffmpeg leaves pictures out there is also what the writer wrote.
        let written = folder.appending(path: "golden/\(name).written.framemd5")
        let file =
            FileManager.default.fileExists(atPath: written.path())
            ? written : folder.appending(path: "golden/\(name).framemd5")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    @Test func `are all there`() {
        #expect(Self.names.count == 19)
    }

    @Test(arguments: names)
    func `decode to their golden pictures`(name: String) throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: name))
        let decoded = try Decoded.all(of: [UInt8](bytes))
        let golden = try Self.golden(name)
        let shown = decoded.compactMap(\.digest)
        #expect(shown.count == golden.count)
        #expect(zip(shown, golden).enumerated().filter { $1.0 != $1.1 }.map(\.offset) == [])
    }
}
