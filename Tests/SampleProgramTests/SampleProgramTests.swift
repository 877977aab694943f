import Glibc
import TestSupport
import Testing

/// The four walk-throughs, run as a newcomer would.
@Suite("Sample programs", .timeLimit(.minutes(Checkout.patience(10))))
struct SampleProgramTests {
    static func run(
        _ name: String, _ arguments: [String] = [], input: Subprocess.Input? = nil
    ) -> Subprocess {
        Subprocess.run(PseudoTerminal.product(name), arguments, input: input)
    }

    static func clip(_ name: String) throws -> Clip {
        try #require(Clip.samples.first { $0.name == name })
    }

    @Test func `a newcomer reads each on a page or two`() throws {
        for name in ["play-pipe", "decode-pictures", "compress-file", "compress-send"] {
            let path = Checkout.samples + "/Sources/\(name)/main.swift"
            let text = String(decoding: try #require(Checkout.bytes(path)), as: UTF8.self)
            #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 120)
            #expect(text.hasPrefix("//"))
        }
    }

    @Test(arguments: [1500, 65536])
    func `play-pipe shows every picture at its time`(piece: Int) throws {
        // Reordered pictures, in pieces that end anywhere.
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/size-change.264"))
        let start = ContinuousClock.now
        let result = Self.run("play-pipe", input: .init(bytes, inPiecesOf: piece))
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(result.lines.count == 75)
        let times = result.lines.compactMap { Int($0.split(separator: " ")[0]) }
        #expect(times == (0..<75).map { $0 * 40 })
        // Three seconds at rate 1.
        #expect(ContinuousClock.now - start > .milliseconds(2900))
        #expect(result.lines.first?.hasSuffix("160x120") == true)
        #expect(result.lines.last?.hasSuffix("96x128") == true)
    }

    @Test(arguments: ["main.264", "b-pyramid.264", "paff.264", "high10.264", "size-change.264"])
    func `decode-pictures prints the pictures that FFmpeg decodes`(name: String) throws {
        let clip = try Self.clip(name)
        let result = Self.run("decode-pictures", [clip.path])
        #expect(result.status == 0 && result.errors.isEmpty)
        let fields = result.lines.map { $0.split(separator: " ") }
        #expect(fields.compactMap { Int($0[0]) } == Array(fields.indices))
        #expect(fields.map { String($0[3]) } == clip.digests)
        #expect(fields.allSatisfy { $0.count == 4 }, "nothing is damaged")
        let times = fields.compactMap { Double($0[1]) }
        #expect(times == times.sorted() && times.count == fields.count)
        // The second field of paff's first frame is predicted from the first.
        #expect(fields[0][2] == (name == "paff.264" ? "P" : "I"))
    }

    @Test func `compress-file writes a file that plays, with SPS and PPS before every key frame`()
        throws
    {
        let path = "/tmp/tplay-compress-file-\(getpid()).264"
        defer { unlink(path) }
        let raw = Self.run("make-samples", ["raw", "anamorphic"]).output
        #expect(raw.count == 50 * 180 * 144 * 3 / 2)
        let arguments = [
            "180x144", "25", path, "MaxKeyFrameInterval=20", "Quality=0.8",
            "ProfileLevel=H264_Main_AutoLevel",
        ]
        let result = Self.run("compress-file", arguments, input: .init(raw))
        #expect(result.status == 0 && result.text == "50 pictures\n")
        let types = try nalUnitTypes(#require(Checkout.bytes(path)))
        #expect(types.filter { $0 == 5 }.count == 3)
        for index in types.indices where types[index] == 5 {
            let before = types[..<index].suffix(3).filter { $0 != 6 }.suffix(2)
            #expect(before == [7, 8])
        }
        let play = Subprocess.run(
            "/usr/bin/env", ["ffmpeg", "-nostdin", "-v", "warning", "-i", path, "-f", "null", "-"])
        #expect(play.status == 0 && play.errors.isEmpty, "\(play.errors)")
        let decoded = Self.run("decode-pictures", [path])
        #expect(decoded.lines.count == 50)
        #expect(decoded.lines.last?.hasPrefix("49 1.96 ") == true)
        // One thread: the same bytes each time.
        var versions: Set<[UInt8]> = []
        for _ in 0..<2 {
            let again = Self.run(
                "compress-file", arguments + ["tplay.ThreadCount=1"], input: .init(raw))
            #expect(again.status == 0)
            versions.insert(try #require(Checkout.bytes(path)))
        }
        #expect(versions.count == 1)
    }

    @Test func `compress-send hands out each picture, with a key frame on request`() {
        let result = Self.run("compress-send", ["75", "400000"])
        #expect(result.status == 0 && result.errors.isEmpty)
        let lines = result.lines.map { $0.split(separator: " ") }
        #expect(lines.compactMap { Int($0[0]) } == (0..<75).map { $0 * 40 })
        #expect(lines.indices.filter { lines[$0].last == "frame" } == [0, 25])
        let sizes = lines.compactMap { Int($0[2]) }
        func sum(_ range: Range<Int>) -> Int { sizes[range].reduce(0, +) }
        #expect(sum(0..<25) * 8 < 600_000)
        #expect(sum(55..<75) < sum(5..<25))
    }

    private func nalUnitTypes(_ bytes: [UInt8]) -> [UInt8] {
        var types: [UInt8] = []
        for index in 3..<bytes.count
        where bytes[index - 1] == 1 && bytes[index - 2] == 0 && bytes[index - 3] == 0 {
            types.append(bytes[index] & 0x1F)
        }
        return types
    }
}
