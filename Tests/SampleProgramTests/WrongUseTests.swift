import Glibc
import TestSupport
import Testing

/// What a newcomer does wrong, and what the walk-throughs say: one line on standard error, 1 for an input or an output that
/// cannot be used, 2 for wrong arguments.
@Suite("Sample programs: wrong use", .timeLimit(.minutes(Checkout.patience(10))))
struct WrongUseTests {
    /// Bytes that are no H.264 byte stream, or none with a picture, and a word that must be said of them.
    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var word: String
    }

    static let kinds = [
        Kind(testDescription: "empty", bytes: [], word: "empty"),
        Kind(testDescription: "text", bytes: Array("{\"a\": 1}\n".utf8), word: "text"),
        Kind(
            testDescription: "MP4",
            bytes: [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 300),
            word: "MP4"),
        Kind(
            testDescription: "Matroska",
            bytes: [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 1, count: 300), word: "Matroska"),
        Kind(
            testDescription: "a transport stream",
            bytes: (0..<10).flatMap { _ in [0x47] + [UInt8](repeating: 0xFF, count: 187) },
            word: "transport stream"),
        Kind(
            testDescription: "HEVC",
            bytes: [0, 0, 0, 1, 0x40, 1, 12, 1, 0, 0, 0, 1, 0x42, 1, 1, 1, 0, 0, 0, 1, 0x44, 1, 9],
            word: "HEVC"),
        Kind(
            testDescription: "noise", bytes: (0..<1000).map { UInt8($0 * 37 & 0xFF) | 1 },
            word: "start code"),
        Kind(
            testDescription: "slices alone",
            bytes: [0, 0, 0, 1, 0x65, 0x88, 0x80, 0x10, 0x33, 0x77],
            word: "no picture decodable"),
        Kind(
            testDescription: "an SPS cut off", bytes: [0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x68],
            word: "no picture decodable"),
    ]

    private func run(
        _ name: String, _ arguments: [String] = [], input: [UInt8] = []
    ) -> Subprocess {
        SampleProgramTests.run(name, arguments, input: .init(input))
    }

    /// Runs a program in a shell, where it can be given any standard output; `$0` is the program.
    private func shell(_ name: String, _ script: String) -> Subprocess {
        Subprocess.run("/bin/sh", ["-c", script, PseudoTerminal.product(name)])
    }

    private func expect(
        _ result: Subprocess, status: Int32, _ words: String..., from name: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "", "\(result.errors)", sourceLocation: location)
        #expect(result.errors.hasPrefix("\(name): "), "\(result.errors)", sourceLocation: location)
        #expect(result.status == status, "\(result.errors)", sourceLocation: location)
        for word in words {
            #expect(result.errors.contains(word), "\(result.errors)", sourceLocation: location)
        }
        // Words, no names of types and cases.
        for name in ["Error(", "StreamError", "notH264", "VideoCodec.", "ElementaryStream."] {
            #expect(!result.errors.contains(name), "\(result.errors)", sourceLocation: location)
        }
    }

    @Test(arguments: kinds)
    func `what is no stream is called by its name`(_ kind: Kind) throws {
        let path = "/tmp/tplay-wrong-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).bin"
        defer { unlink(path) }
        let file = try #require(fopen(path, "wb"))
        fwrite(kind.bytes, 1, kind.bytes.count, file)
        fclose(file)
        let decoded = run("decode-pictures", [path])
        expect(decoded, status: 1, path, kind.word, from: "decode-pictures")
        #expect(decoded.output.isEmpty)
        let piped = run("decode-pictures", ["-"], input: kind.bytes)
        expect(piped, status: 1, kind.word, from: "decode-pictures")
        let played = run("play-pipe", input: kind.bytes)
        expect(played, status: 1, "standard input", kind.word, from: "play-pipe")
        #expect(played.output.isEmpty)
    }

    @Test func `what cannot be opened is named`() {
        let missing = run("decode-pictures", ["/nowhere/clip.264"])
        expect(missing, status: 1, "/nowhere/clip.264", "No such file", from: "decode-pictures")
        expect(
            run("decode-pictures", ["/tmp"]), status: 1, "/tmp", "directory",
            from: "decode-pictures")
        for (redirection, word) in [("</tmp", "directory"), ("<&-", "descriptor")] {
            expect(
                shell("play-pipe", "exec \"$0\" \(redirection)"), status: 1, "standard input",
                word, from: "play-pipe")
        }
    }

    @Test func `wrong arguments get the usage`() {
        let wrong: [(name: String, arguments: [[String]])] = [
            ("play-pipe", [["clip.264"], ["-"], ["a", "b"]]),
            ("decode-pictures", [[], ["a", "b"]]),
            (
                "compress-file",
                [
                    [], ["64x48"], ["64x48", "25"], ["64", "25", "/dev/null"],
                    ["64x", "25", "/dev/null"], ["64x48x2", "25", "/dev/null"],
                    ["axb", "25", "/dev/null"], ["64x48", "0", "/dev/null"],
                    ["64x48", "-25", "/dev/null"], ["64x48", "often", "/dev/null"],
                    ["99999999999999999999x48", "25", "/dev/null"],
                    ["64x48", "99999999999", "/dev/null"],
                ]
            ),
            (
                "compress-send",
                [["0"], ["-5"], ["many"], ["5", "0"], ["5", "-1"], ["5", "100000", "7"], [""]]
            ),
        ]
        for (name, lists) in wrong {
            for arguments in lists {
                let result = run(name, arguments)
                expect(result, status: 2, "usage: \(name)", from: name)
                #expect(result.output.isEmpty)
            }
        }
    }

    @Test func `compress-file: sizes and properties that cannot be`() throws {
        for size in ["0x48", "-64x48", "20000x48", "4000000000x4000000000"] {
            let result = run("compress-file", [size, "25", "/dev/null"], input: [1, 2, 3])
            expect(result, status: 1, from: "compress-file")
        }
        for size in ["65x48", "64x49", "65x49"] {
            let result = run("compress-file", [size, "25", "/dev/null"], input: [1, 2, 3])
            expect(result, status: 2, "of an even size", from: "compress-file")
        }
        // What stands at the place of the output is not lost by a slip of the pen.
        let path = "/tmp/tplay-kept-\(getpid()).264"
        defer { unlink(path) }
        let file = try #require(fopen(path, "wb"))
        fputs("precious", file)
        fclose(file)
        for property in ["NoSuchThing=1", "Quality=7", "Quality", "AverageBitRate=much", "=", ""] {
            let result = run("compress-file", ["64x48", "25", path, property])
            expect(result, status: 2, property, from: "compress-file")
        }
        #expect(Checkout.bytes(path) == Array("precious".utf8))
    }

    @Test func `compress-file: input that is no whole number of pictures`() throws {
        let path = "/tmp/tplay-rest-\(getpid()).264"
        defer { unlink(path) }
        let size = 64 * 48 * 3 / 2
        for (count, pictures) in [(0, 0), (1, 0), (size - 1, 0), (size + 1, 1), (3 * size - 7, 2)] {
            let result = run(
                "compress-file", ["64x48", "25", path],
                input: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
            expect(
                result, status: 1, "\(count % size) bytes into picture \(pictures)", "size",
                from: "compress-file")
            // What was whole is there.
            #expect(result.text == "\(pictures) pictures\n")
            #expect(run("decode-pictures", [path]).lines.count == pictures)
        }
    }

    @Test func `compress-file: output that cannot be written`() {
        let input = [UInt8](repeating: 80, count: 64 * 48 * 3 / 2 * 3)
        for (path, word) in [
            ("/nowhere/clip.264", "No such file"), ("/tmp", "directory"), ("/dev/full", "space"),
        ] {
            let result = run("compress-file", ["64x48", "25", path], input: input)
            expect(result, status: 1, path, word, from: "compress-file")
            #expect(result.output.isEmpty)
        }
    }

    @Test func `compress-send: any rate that there can be`() {
        for rate in ["1", "7", "1000", "100000000", "9223372036854775807"] {
            let result = run("compress-send", ["3", rate])
            #expect(result.status == 0 || result.status == 1, "\(rate): \(result.status)")
            if result.status != 0 { expect(result, status: 1, from: "compress-send") }
        }
        #expect(run("compress-send", ["1"]).lines.count == 1)
    }

    @Test(arguments: [">&-", ">/dev/full"])
    func `a standard output that takes nothing is told`(_ redirection: String) throws {
        let clip = Checkout.samples + "/main.264"
        for (name, rest) in [
            ("decode-pictures", clip), ("play-pipe", "<\(clip)"), ("compress-send", "5"),
        ] {
            let result = shell(name, "exec \"$0\" \(rest) \(redirection)")
            expect(result, status: 1, "standard output", from: name)
        }
    }

    @Test func `a closed standard output does not end up in the file`() throws {
        let path = "/tmp/tplay-closed-\(getpid())"
        defer { for end in ["a", "b"] { unlink(path + end) } }
        let encode = "head -c 13824 /dev/zero | \"$0\" 64x48 25"
        let rest = "tplay.ThreadCount=1"
        #expect(shell("compress-file", "\(encode) \(path)a \(rest)").status == 0)
        _ = shell("compress-file", "\(encode) \(path)b \(rest) >&-")
        let file = try #require(Checkout.bytes(path + "a"))
        #expect(file == Checkout.bytes(path + "b"))
    }

    @Test func `a reader that goes away ends them`() {
        let clip = Checkout.samples + "/main.264"
        let start = ContinuousClock.now
        for (name, rest) in [
            ("decode-pictures", clip), ("play-pipe", "<\(clip)"), ("compress-send", "200"),
        ] {
            let result = shell(name, "\"$0\" \(rest) | head -n 1")
            #expect(result.lines.count == 1)
            #expect(result.errors.split(separator: "\n").count <= 1, "\(result.errors)")
        }
        // The clip plays for four seconds.
        #expect(ContinuousClock.now - start < .seconds(Checkout.patience(1) * 20))
    }
}
