import TestSupport
import Testing

extension TPlayTests {
    @Suite("Options", .timeLimit(.minutes(Checkout.patience(10))))
    struct OptionTests {
        struct Wrong: Sendable, CustomTestStringConvertible {
            var arguments: [String]
            var words: [String]
            init(_ arguments: [String], _ words: String...) {
                (self.arguments, self.words) = (arguments, words)
            }
            var testDescription: String { arguments.joined(separator: " ") }
        }

        static let clip = TPlay.sample("main.264")

        static let wrong: [Wrong] = [
            Wrong([], "no file", "--help"),
            Wrong(["--"], "no file"),
            Wrong(["--report", "frames"], "no file"),
            Wrong(["--timebase-rate", "fast", clip], "--timebase-rate", "fast"),
            Wrong(["--timebase-rate", "", clip], "--timebase-rate"),
            Wrong(["--timebase-rate", "1/0", clip], "--timebase-rate", "1/0"),
            Wrong(["--timebase-rate", "1001", clip], "--timebase-rate", "1001"),
            Wrong(["--timebase-rate", "nan", clip], "--timebase-rate", "nan"),
            Wrong(["--timebase-rate=--1", clip], "--timebase-rate", "--1"),
            Wrong(["--start", "12:99", clip], "--start", "12:99"),
            Wrong(["--start", "#", clip], "--start", "#"),
            Wrong(["--start", "x", clip], "--start", "x"),
            Wrong(["--start", "-1", clip], "--start", "-1"),
            Wrong(["--start", "1:2:3:4", clip], "--start", "1:2:3:4"),
            Wrong(["--until", "12x", clip], "--until", "12x"),
            Wrong(["--until", "99999999999999999999f", clip], "--until"),
            Wrong(["--start", "5f", "--until", "4f", clip], "--until", "4f", "5f"),
            Wrong(["--start", "5", "--until", "4", clip], "--until", "--start"),
            Wrong(["--until", "0", clip], "--until", "0f"),
            Wrong(["--loop", "0", clip], "--loop", "0"),
            Wrong(["--loop", "-1", clip], "--loop"),
            Wrong(["--loop", "often", clip], "--loop", "often"),
            Wrong(["--fps", "0", clip], "--fps"),
            Wrong(["--fps", "25/0", clip], "--fps", "25/0"),
            Wrong(["--fps", "2000", clip], "--fps", "2000"),
            Wrong(["--fps", "x", clip], "--fps", "x"),
            Wrong(["--renderer", "vga", clip], "--renderer", "vga", "auto", "half", "none"),
            Wrong(["--colors", "many", clip], "--colors", "many", "auto", "256"),
            Wrong(["--size", "160", clip], "--size", "160"),
            Wrong(["--size", "0x10", clip], "--size", "0x10"),
            Wrong(["--size", "10x2000", clip], "--size", "10x2000"),
            Wrong(["--size", "10x20x30", clip], "--size", "10x20x30"),
            Wrong(["--cell-size", "8", clip], "--cell-size", "8"),
            Wrong(["--cell-size", "300x8", clip], "--cell-size", "300x8"),
            Wrong(["--fit", "big", clip], "--fit", "big", "contain"),
            Wrong(["--report", "all", clip], "--report", "all", "summary"),
            Wrong(["--md5", clip], "--md5", "--report frames"),
            Wrong(["--md5", "--report", "nals", clip], "--md5"),
            Wrong(["-", "-"], "standard input"),
            Wrong(["--fps"], "--fps", "needs an argument"),
            Wrong([clip, "--report"], "--report", "needs an argument"),
            Wrong(["--paused=yes", clip], "--paused", "takes no argument"),
            Wrong(["--renderr", "half", clip], "--renderr", "did you mean --renderer?"),
            Wrong(["--untimd", clip], "--untimd", "--untimed"),
            Wrong(["--fsp=25", clip], "--fsp", "--fps"),
            Wrong(["--re", "half", clip], "--re", "--renderer", "--report"),
            Wrong(["-x", clip], "-x"),
            Wrong(["-hx"], "x"),
            Wrong(["--log", "/nonexistent/log", clip], "--log", "/nonexistent/log"),
            Wrong(["--\u{1B}[31m", clip], "?[31m"),
        ]

        @Test(arguments: wrong)
        func `a wrong command line has status 2 and one line that says what`(_ wrong: Wrong) {
            TPlay.expectComplaint(TPlay.run(wrong.arguments), status: 2, naming: wrong.words)
        }

        @Test(arguments: [
            ["--report", "summary"], ["--report=summary"], ["--rep", "summary"], ["--rep=summary"],
            ["--report", "summary", "--"], ["--fps", "25", "--report", "summary"],
            ["--fps=25/1", "--rep=summary"], ["--unti", "2", "--unt", "--report=summary"],
        ])
        func `long options take their argument either way, and abbreviations`(
            _ options: [String]
        ) {
            if options.contains("--unt") {
                // --until and --untimed begin alike.
                TPlay.expectComplaint(
                    TPlay.run(options + [Self.clip]), status: 2,
                    naming: ["--until", "--untimed"])
                return
            }
            let result = TPlay.run(options + [Self.clip])
            #expect(result.status == 0, "\(result.errors)")
            #expect(TPlay.objects(result).first?["frames"] as? Int == 100)
        }

        @Test func `options may follow files`() {
            let result = TPlay.run([Self.clip, "--report", "summary"])
            #expect(result.status == 0)
            #expect(result.lines.count == 1)
        }

        @Test func `-- ends options`() throws {
            let result = TPlay.run(["--report", "summary", "--", "--report"])
            TPlay.expectComplaint(result, status: 1, naming: ["--report: "])
        }

        @Test func `--log keeps libav's messages, and nothing else shows them`() throws {
            let log = try TemporaryFile([], suffix: ".log")
            var bytes = try #require(Checkout.bytes(Self.clip))
            for place in stride(from: 3000, to: bytes.count, by: 400) { bytes[place] ^= 0x55 }
            let clip = try TemporaryFile(bytes)
            let arguments = ["--report", "frames", "--md5", clip.path]
            let plain = TPlay.run(arguments)
            let logged = TPlay.run(["--log", log.path] + arguments)
            #expect(plain.errors.isEmpty, "libav is silent: \(plain.errors)")
            #expect(logged.errors.isEmpty)
            let lines = String(decoding: try #require(Checkout.bytes(log.path)), as: UTF8.self)
            #expect(lines.contains("h264") || lines.contains("error"), "\(lines.prefix(200))")
        }
    }

    @Suite("Help", .timeLimit(.minutes(Checkout.patience(5))))
    struct HelpTests {
        let help = TPlay.run(["--help"])

        @Test func `help goes to standard output`() {
            #expect(help.status == 0)
            #expect(help.errors.isEmpty)
            #expect(TPlay.run(["-h"]).output == help.output)
            #expect(TPlay.run(["--help", "--fps", "25"]).output == help.output)
        }

        @Test func `it fits 80 columns and 50 rows`() {
            let lines = help.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 50)
            for line in lines { #expect(line.count <= 80, "\(line)") }
        }

        @Test func `each option in it is accepted, with its default told`() throws {
            let options = help.lines.filter { $0.hasPrefix("  ") && $0.contains("--") }
            #expect(options.count >= 18)
            for line in options {
                let name = try #require(line.firstMatch(of: /--([a-z0-9-]+)/)?.1)
                let result = TPlay.run(["--\(name)"])
                #expect(!result.errors.contains("unknown"), "\(name)")
                if !["help", "version", "probe-terminal", "test-pattern"].contains(name) {
                    #expect(line.contains("default"), "\(line)")
                }
            }
        }

        @Test func `every option of the design is in it`() {
            for name in Self.known { #expect(help.text.contains("--\(name) "), "\(name)") }
        }

        /// The options of `design/cli.md`.
        static let known = [
            "start", "until", "paused", "loop", "fps", "untimed", "order", "from-any",
            "low-delay", "follow", "buffer", "cache", "strict", "log", "renderer", "colors",
            "dither", "size", "cell-size", "fit", "matrix", "range", "deinterlace", "max-rate",
            "no-status", "probe-terminal", "test-pattern", "report", "md5", "snapshot",
        ]

        @Test func `options that the README names are there`() throws {
            guard let bytes = Checkout.bytes(Checkout.root + "/README.md") else { return }
            let readme = String(decoding: bytes, as: UTF8.self)
            for line in readme.split(separator: "\n") where line.contains("tplay") {
                for match in line.matches(of: /\s--([a-z0-9-]+)/) {
                    #expect(help.text.contains("--\(match.1)"), "\(line)")
                }
            }
        }

        @Test func `the version names FFmpeg's libraries`() {
            let version = TPlay.run(["--version"])
            #expect(version.status == 0)
            #expect(version.text.hasPrefix("tplay "))
            for library in ["libavcodec", "libavutil", "libswscale"] {
                #expect(version.text.contains(library))
            }
        }

        @Test func `a closed pipe ends it quietly`() {
            let result = Subprocess.run(
                "/bin/sh", ["-c", "\(TPlay.path) --help | head -c 10; true"])
            #expect(result.output.count == 10)
            #expect(result.errors.isEmpty)
        }
    }
}
