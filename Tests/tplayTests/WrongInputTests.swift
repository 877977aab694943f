import Foundation
import TestSupport
import Testing

extension TPlayTests {
    @Suite("Wrong input", .timeLimit(.minutes(Checkout.patience(10))))
    struct WrongInputTests {
        struct Wrong: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var bytes: [UInt8]
            var words: [String]
        }

        private static let box: [UInt8] = [0, 0, 0, 24] + Array("ftypisom".utf8) + [0, 0, 2, 0]
        private static let transport: [UInt8] = (0..<10).flatMap { _ in
            [0x47] + [UInt8](repeating: 0xFF, count: 187)
        }

        /// Samples' NAL units behind lengths.
        private static let lengthPrefixed: [UInt8] = {
            let bytes = Checkout.bytes(TPlay.sample("baseline.264")) ?? []
            var result: [UInt8] = []
            for nal in TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample("baseline.264")]))
            {
                guard let offset = nal["offset"] as? Int, let code = nal["start_code"] as? Int,
                    let count = nal["bytes"] as? Int
                else { continue }
                result += (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
                result += bytes[offset + code..<offset + code + count]
            }
            return result
        }()

        /// A sample without its parameter sets.
        private static let headless: [UInt8] = {
            let bytes = Checkout.bytes(TPlay.sample("main.264")) ?? []
            let nals = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample("main.264")]))
            return nals.filter { ![7, 8].contains($0["type"] as? Int) }.flatMap { nal in
                let offset = nal["offset"] as? Int ?? 0
                let count = (nal["start_code"] as? Int ?? 0) + (nal["bytes"] as? Int ?? 0)
                return bytes[offset..<offset + count]
            }
        }()

        static let wrong: [Wrong] = [
            Wrong(
                testDescription: "MP4", bytes: box + [UInt8](repeating: 0, count: 200),
                words: ["MP4", "ffmpeg -nostdin -v error -i ", "h264_mp4toannexb", "| tplay -"]),
            Wrong(
                testDescription: "Matroska", bytes: [0x1A, 0x45, 0xDF, 0xA3, 1, 2, 3],
                words: ["Matroska", "ffmpeg -nostdin -v error -i "]),
            Wrong(
                testDescription: "transport stream", bytes: transport,
                words: ["transport stream", "ffmpeg -nostdin -v error -i "]),
            Wrong(
                testDescription: "AVCC", bytes: lengthPrefixed,
                words: ["AVCC", "ffmpeg -nostdin -v error -i "]),
            Wrong(testDescription: "text", bytes: Array("Hello, world\n".utf8), words: ["text"]),
            Wrong(testDescription: "empty", bytes: [], words: ["empty"]),
            Wrong(
                testDescription: "no parameter sets", bytes: headless,
                words: ["no picture decodable", "SPS and PPS"]),
            Wrong(
                testDescription: "noise", bytes: (0..<1000).map { UInt8($0 * 37 & 0xFF) | 1 },
                words: ["not H.264", "start code"]),
            Wrong(
                testDescription: "zeros", bytes: [UInt8](repeating: 0, count: 100_000),
                words: ["not H.264"]),
            Wrong(
                testDescription: "ones", bytes: [UInt8](repeating: 0xFF, count: 100_000),
                words: ["not H.264", "start code"]),
            Wrong(
                testDescription: "a start code", bytes: [0, 0, 0, 1], words: ["not H.264"]),
        ]

        private static let ways: [[String]] = [
            [], ["--report", "frames"], ["--report", "summary"], ["--report", "frames", "--md5"],
        ]

        @Test(arguments: wrong)
        func `what cannot be played is named in one line`(_ wrong: Wrong) throws {
            let file = try TemporaryFile(wrong.bytes)
            for way in Self.ways {
                let result = TPlay.run(way + [file.path])
                TPlay.expectComplaint(result, status: 1, naming: wrong.words + [file.path])
            }
        }

        @Test(arguments: wrong)
        func `through a pipe too`(_ wrong: Wrong) throws {
            for way in Self.ways {
                let result = TPlay.run(way + ["-"], input: .init(wrong.bytes))
                TPlay.expectComplaint(result, status: 1, naming: wrong.words + ["-: "])
            }
        }

        @Test func `what cannot be opened`() throws {
            for way in Self.ways {
                TPlay.expectComplaint(
                    TPlay.run(way + ["/tmp"]), status: 1, naming: ["/tmp: is a directory"])
                TPlay.expectComplaint(
                    TPlay.run(way + ["/nonexistent/a.264"]), status: 1,
                    naming: ["/nonexistent/a.264: No such file"])
            }
        }

        @Test func `a name with control characters does not reach the terminal`() {
            let result = TPlay.run(["/nonexistent/\u{1B}[31m\n.264"])
            TPlay.expectComplaint(result, status: 1, naming: ["/nonexistent/?[31m?.264"])
        }

        @Test(.enabled(if: Clip.hasStreams)) func `HEVC is called by its name`() throws {
            let clip = try #require(Clip.streams.first { $0.name == "bear.h265" })
            let bytes = try #require(Checkout.bytes(clip.path))
            for way in Self.ways {
                TPlay.expectComplaint(TPlay.run(way + [clip.path]), status: 1, naming: ["HEVC"])
                TPlay.expectComplaint(
                    TPlay.run(way + ["-"], input: .init(bytes, inPiecesOf: 100)), status: 1,
                    naming: ["HEVC"])
            }
        }

        @Test(
            .enabled(if: Clip.hasStreams),
            arguments: [
                ("input-30-240p-no-sps-pps.h264", "no picture decodable"),
                ("reference-idr-sps-pps-non-idr.h264", "no IDR picture"),
            ])
        func `real streams that cannot be shown`(name: String, words: String) throws {
            let clip = try #require(Clip.streams.first { $0.name == name })
            TPlay.expectComplaint(TPlay.run([clip.path]), status: 1, naming: [words])
        }

        @Test(arguments: ["--log", "--snapshot"])
        func `what an option writes takes the place of no clip`(option: String) throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("main.264")))
            let file = try TemporaryFile(bytes)
            let other = file.path + ".other"
            symlink(file.path, other)
            defer { unlink(other) }
            for (written, read) in [
                (file.path, [file.path]), (other, [file.path]), (file.path, [other]),
                ("/tmp/../" + file.path, [file.path]),
            ] {
                let result = TPlay.run([option, written] + read)
                TPlay.expectComplaint(result, status: 2, naming: [option, "write over"])
                #expect(Checkout.bytes(file.path) == bytes)
            }
            let result = TPlay.run(
                ["--log", file.path, TPlay.sample("baseline.264"), other])
            TPlay.expectComplaint(result, status: 2, naming: ["--log", "write over"])
            #expect(Checkout.bytes(file.path) == bytes)
        }

        @Test func `--start behind the end`() {
            let result = TPlay.run(["--start", "100f", TPlay.sample("main.264")])
            TPlay.expectComplaint(result, status: 1, naming: ["--start", "100 pictures"])
        }
    }

    @Suite("Text frames", .timeLimit(.minutes(Checkout.patience(5))))
    struct TextFrameTests {
        @Test func `where there is no terminal pictures are lines of text`() {
            let result = TPlay.run(["--untimed", "--size", "40x10", TPlay.sample("main.264")])
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
            #expect(result.lines.count == 100 * 10)
            #expect(!result.text.contains("\u{1B}[?"), "no modes")
            #expect(!result.text.contains("H"), "no cursor moves, no status line")
        }

        @Test(arguments: [
            ("b-pyramid.264", "0.24", 6), ("mbaff.264", "0.08", 2), ("gaps-mmco.264", "0.6", 15),
            ("main.264", "3.96", 99),
        ])
        func `nothing behind --until is shown`(name: String, time: String, count: Int) {
            for _ in 0..<8 {
                let result = TPlay.run(
                    ["--untimed", "--size", "40x10", "--until", time, TPlay.sample(name)])
                #expect(result.status == 0)
                #expect(result.lines.count == count * 10)
            }
        }

        @Test func `columns and lines of the environment are the size`() {
            let result = Subprocess.run(
                "/usr/bin/env",
                [
                    "COLUMNS=30", "LINES=7", TPlay.path, "--untimed", "--until", "9f",
                    TPlay.sample("main.264"),
                ])
            #expect(result.lines.count == 10 * 7)
            let plain = Subprocess.run(
                "/usr/bin/env",
                [
                    "-u", "COLUMNS", "-u", "LINES", TPlay.path, "--untimed", "--until", "0f",
                    TPlay.sample("main.264"),
                ])
            #expect(plain.lines.count == 24)
        }

        @Test func `several files, loops and parts`() {
            let (a, b) = (TPlay.sample("main.264"), TPlay.sample("size-change.264"))
            let options = ["--untimed", "--size", "20x5"]
            #expect(TPlay.run(options + [a, b]).lines.count == 175 * 5)
            #expect(TPlay.run(options + ["--loop", "3", a]).lines.count == 300 * 5)
            #expect(
                TPlay.run(options + ["--start", "10f", "--until", "19f", a]).lines.count == 50)
            #expect(TPlay.run(options + ["--start", "3.9", a]).lines.count == 3 * 5)
        }

        @Test func `backwards every picture, from the end of the range to its beginning`() {
            let clip = TPlay.sample("open-gop.264")
            func pictures(_ options: String...) -> [[Substring]] {
                let result = TPlay.run(["--untimed", "--size", "20x5"] + options + [clip])
                #expect(result.status == 0)
                let lines = result.text.split(separator: "\n")
                return stride(from: 0, to: lines.count, by: 5).map { Array(lines[$0..<($0 + 5)]) }
            }
            let whole = pictures()
            #expect(whole.count == 120)
            #expect(pictures("--timebase-rate", "-1") == whole.reversed())
            #expect(
                pictures("--timebase-rate", "-1", "--start", "30f", "--until", "75f")
                    == whole[30...75].reversed())
            #expect(
                pictures("--timebase-rate=-2", "--start", "1.0", "--until", "2.0", "--loop", "2")
                    == (whole[25...49].reversed() + whole[25...49].reversed()))
        }

        @Test func `a full disk is told`() {
            let result = Subprocess.run(
                "/bin/sh", ["-c", "\(TPlay.path) --untimed \(TPlay.sample("main.264")) >/dev/full"])
            #expect(result.status == 1)
            #expect(result.errors == "tplay: standard output: No space left on device\n")
        }

        @Test func `nothing between --start and --until`() {
            for options in [["--start", "3.0"], ["--start", "3.0", "--timebase-rate", "-1"]] {
                TPlay.expectComplaint(
                    TPlay.run(options + ["--until", "10f", TPlay.sample("main.264")]), status: 1,
                    naming: ["--start", "--until"])
            }
        }

        @Test func `a pipe plays as a file does`() throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("open-gop.264")))
            let options = ["--untimed", "--size", "20x5"]
            let file = TPlay.run(options + [TPlay.sample("open-gop.264")])
            let pipe = TPlay.run(options + ["-"], input: .init(bytes, inPiecesOf: 1000))
            #expect(pipe.output == file.output)
            #expect(pipe.lines.count == 120 * 5)
        }

        @Test func `a closed pipe ends it quietly`() {
            let result = Subprocess.run(
                "/bin/sh",
                [
                    "-c",
                    "\(TPlay.path) --untimed --loop inf \(TPlay.sample("main.264"))"
                        + " | head -c 1000 >/dev/null; echo done",
                ])
            #expect(result.text == "done\n")
            #expect(result.errors.isEmpty)
        }

        @Test(.measuresTime) func `pictures come at their times`() throws {
            var best = Double.infinity
            for _ in 0..<3 where abs(best - 2) > 0.25 {
                let start = ContinuousClock.now
                let result = TPlay.run([
                    "--size", "20x5", "--until", "2.0", TPlay.sample("main.264"),
                ])
                #expect(result.lines.count == 250)
                let time = (ContinuousClock.now - start) / .seconds(1)
                if abs(time - 2) < abs(best - 2) { best = time }
            }
            #expect(abs(best - 2) <= 0.25)
        }
    }
}
