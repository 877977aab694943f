import TestSupport
import Testing

/// The same stream, however its bytes come and whatever stands between its NAL units.
@Suite("Reports of the same stream", .timeLimit(.minutes(Checkout.patience(10))))
struct ReportSameTests {
    static let reports = [["summary"], ["frames", "--md5"], ["nals"]]

    private func report(_ what: [String], _ bytes: [UInt8], piece: Int = 65536) -> Subprocess {
        Reports.run(["--report"] + what + ["-"], input: .init(bytes, inPiecesOf: piece))
    }

    /// The stream with 4-byte start codes and 0 to 8 zeros in front of each.
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var random = Random(seed: 3)
        var result: [UInt8] = []
        for unit in Reports.nalUnits(bytes) {
            result += [UInt8](repeating: 0, count: random.below(9)) + [0, 0, 0, 1] + unit
        }
        return result + [UInt8](repeating: 0, count: random.below(9))
    }

    @Test("A file and a pipe", arguments: Clip.samples, reports)
    func pipe(_ clip: Clip, _ what: [String]) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let file = Reports.run(["--report"] + what + [clip.path])
        #expect(report(what, bytes).lines == file.lines)
    }

    @Test("A byte at a time", arguments: Clip.samples, reports)
    func bytewise(_ clip: Clip, _ what: [String]) throws {
        // Each byte is a call of the system: of long ones the beginning.
        let bytes = Array(try #require(Checkout.bytes(clip.path)).prefix(60_000))
        #expect(report(what, bytes, piece: 1).lines == report(what, bytes).lines)
    }

    @Test("Longer start codes and zeros", arguments: Clip.samples, reports)
    func padding(_ clip: Clip, _ what: [String]) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let (plain, other) = (report(what, bytes).lines, report(what, padded(bytes)).lines)
        #expect(plain.map(Reports.comparable) == other.map(Reports.comparable))
    }

    @Test(
        "Cut at a NAL unit: as far as it goes, and never a hang or a crash",
        arguments: ["open-gop.264", "paff.264", "gaps-mmco.264"])
    func cuts(_ name: String) throws {
        let clip = try #require(Clip.samples.first { $0.name == name })
        let bytes = try #require(Checkout.bytes(clip.path))
        let units = Reports.nalUnits(bytes)
        func digest(_ line: Substring) -> Substring? {
            Reports.fields(line).first { $0.contains("\"md5\":") }
        }
        let whole = Reports.run(["--report", "frames", "--md5", clip.path]).lines.map(digest)
        for count in 1...units.count {
            let cut = units[..<count].flatMap { unit -> [UInt8] in [0, 0, 1] + unit }
            let run = report(["frames", "--md5"], cut)
            #expect(run.status == 0 || run.status == 1 && !run.errors.isEmpty, "\(count) units")
            #expect(run.lines.allSatisfy { $0.contains("\"damaged\":false") }, "\(count) units")
            // A picture of which all is there is as in the whole report.
            let known = Set(whole)
            #expect(run.lines.count { !known.contains(digest($0)) } <= 1, "\(count) units")
        }
    }

    @Test("A million NAL units of one byte", arguments: [0x01, 0x06, 0x09, 0x67, 0x68])
    func tiny(_ header: Int) throws {
        let clip = try #require(Clip.samples.first { $0.name == "baseline.264" })
        let bytes = try #require(Checkout.bytes(clip.path))
        let flood = (0..<1_000_000).flatMap { _ -> [UInt8] in [0, 0, 1, UInt8(header)] }
        let run = report(["summary"], bytes + flood + bytes)
        #expect(run.status == 0)
        #expect(Reports.integer(try #require(run.lines.first), "frames") == 200)
    }
}
