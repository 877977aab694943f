import TestSupport
import Testing

/// Reports of broken streams: the same each time, and with `--strict` the end.
@Suite("Reports of damage", .timeLimit(.minutes(Checkout.patience(10))))
struct DamagedReportTests {
    /// What is done to a stream.
    enum Breakage: String, CaseIterable, CustomStringConvertible {
        case lost, flipped, cut

        var description: String { rawValue }
    }

    /// Samples in which nothing can be lost unnoticed.
    static let strictNames = [
        "baseline.264", "main.264", "b-pyramid.264", "open-gop.264", "mbaff.264",
        "intra-refresh.264", "high10.264",
    ]
    /// A field may be alone, and frame_num may have gaps, as far as the standard goes.
    static let names = strictNames + ["paff.264", "lone-fields.264", "gaps-mmco.264"]

    /// The stream with one slice in ten lost, changed in a few bits, or cut in half.
    static func broken(_ bytes: [UInt8], _ breakage: Breakage, seed: UInt64) -> [UInt8] {
        var random = Random(seed: seed)
        var result: [UInt8] = []
        for unit in Reports.nalUnits(bytes) {
            var unit = Array(unit)
            if [1, 5].contains(unit[0] & 31), unit.count > 24, random.below(10) == 0 {
                switch breakage {
                case .lost: continue
                case .flipped:
                    for _ in 0..<3 {
                        unit[10 + random.below(unit.count - 10)] ^= 1 << random.below(8)
                    }
                case .cut: unit.removeLast(unit.count / 2)
                }
            }
            result += [0, 0, 0, 1] + unit
        }
        return result
    }

    private func broken(_ name: String, _ breakage: Breakage, seed: UInt64 = 5) throws -> [UInt8] {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/" + name))
        return Self.broken(bytes, breakage, seed: seed)
    }

    @Test("A broken file's report is the same each time", arguments: names, Breakage.allCases)
    func same(_ name: String, _ breakage: Breakage) throws {
        let file = try TemporaryFile(broken(name, breakage))
        let first = Reports.run(["--report", "frames", "--md5", file.path])
        #expect(first.lines.count > 10)
        if breakage != .lost || Self.strictNames.contains(name) {
            #expect(first.lines.contains { $0.contains("\"damaged\":true") })
        }
        for _ in 0..<4 {
            let again = Reports.run(["--report", "frames", "--md5", file.path])
            #expect(again.output == first.output && again.status == first.status)
        }
        // And through a pipe.
        let bytes = try #require(Checkout.bytes(file.path))
        let pipe = Reports.run(["--report", "frames", "--md5", "-"], input: .init(bytes))
        #expect(pipe.output == first.output)
    }

    // MARK: --strict

    static let reports = [["frames"], ["frames", "--md5"], ["summary"], ["nals"]]

    @Test(
        "--strict ends every report at the first damaged picture, with one line and status 1",
        arguments: reports, [true, false])
    func strict(_ what: [String], isPipe: Bool) throws {
        for name in Self.strictNames {
            let bytes = try broken(name, .lost)
            let file = try TemporaryFile(bytes)
            let frames = Reports.run(["--report", "frames"] + what.dropFirst() + [file.path])
            let lines = frames.lines.filter {
                $0.contains("\"damaged\":true") && $0.contains("\"shown\":true")
            }
            let first = try #require(lines.first.flatMap { Reports.integer($0, "frame") })
            let arguments = ["--strict", "--report"] + what
            let run =
                isPipe
                ? Reports.run(arguments + ["-"], input: .init(bytes))
                : Reports.run(arguments + [file.path])
            #expect(run.status == 1, "\(name)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(name): \(run.errors)")
            #expect(run.errors.contains("picture \(first) is damaged"), "\(name): \(run.errors)")
            if what.first == "frames" {
                #expect(run.lines == frames.lines.prefix { $0 != lines.first } + [lines[0]])
            }
            if what == ["summary"] { #expect(run.lines.count == 1) }
            if what == ["nals"] {
                let whole = Reports.run(["--report", "nals", file.path]).lines
                #expect(run.lines == Array(whole.prefix(run.lines.count)), "\(name)")
                #expect(!run.lines.isEmpty && run.lines.count < whole.count, "\(name)")
            }
        }
    }

    @Test("--strict changes nothing of a whole stream", arguments: reports)
    func strictWhole(_ what: [String]) throws {
        for clip in Clip.samples {
            let plain = Reports.run(["--report"] + what + [clip.path])
            let strict = Reports.run(["--strict", "--report"] + what + [clip.path])
            #expect(strict.status == 0 && strict.errors.isEmpty, "\(clip): \(strict.errors)")
            #expect(strict.output == plain.output, "\(clip)")
        }
    }

    @Test("--strict backwards ends at the last damaged picture") func strictBackwards() throws {
        let file = try TemporaryFile(broken("b-pyramid.264", .lost))
        let last = try #require(
            Reports.run(["--report", "frames", file.path]).lines
                .last { $0.contains("\"damaged\":true") }.flatMap { Reports.integer($0, "frame") })
        let run = Reports.run(
            ["--strict", "--report", "frames", "--timebase-rate", "-1", file.path])
        #expect(run.status == 1)
        #expect(run.errors.contains("picture \(last) is damaged"))
    }

    @Test("--strict looks at the range that was asked for", arguments: reports)
    func strictRange(_ what: [String]) throws {
        let file = try TemporaryFile(broken("baseline.264", .lost))
        let decoding = what.contains("--md5") ? ["--md5"] : []
        let frames = Reports.run(["--report", "frames"] + decoding + [file.path]).lines
        let first = try #require(
            frames.first { $0.contains("\"damaged\":true") }
                .flatMap { Reports.integer($0, "frame") })
        let run = Reports.run(
            ["--strict", "--until", "\(first - 1)f", "--report"] + what + [file.path])
        #expect(run.status == 0 && run.errors.isEmpty)
    }

    // MARK: Nothing is unaccounted for

    /// A sample with slices behind it that no parameter set explains.
    private func withUnreadableEnd(_ name: String) throws -> (bytes: [UInt8], nals: Int, count: Int)
    {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/" + name))
        // An IDR slice of its own picture, whose PPS has number 30: ue(0) ue(7) ue(30).
        let slice: [UInt8] = [0x65, 0b1000_1000, 0b0000_1111, 0b1000_0000, 0x55, 0x55, 0x55]
        let tail = [[UInt8]](repeating: [0, 0, 0, 1] + slice, count: 5).flatMap(\.self)
        return (bytes + tail, 5, tail.count)
    }

    @Test("Slices that nothing explains are told of in every report", arguments: Clip.samples)
    func strays(_ clip: Clip) throws {
        let (bytes, nals, count) = try withUnreadableEnd(clip.name)
        let file = try TemporaryFile(bytes)
        let summary = try #require(Reports.run(["--report", "summary", file.path]).lines.first)
        let frames = Reports.run(["--report", "frames", file.path]).lines
        let lines = Reports.run(["--report", "nals", file.path]).lines
        #expect(Reports.integer(summary, "stray_nals") == nals)
        #expect(Reports.integer(summary, "stray_bytes") == count)
        #expect(lines.count { $0.contains("\"decode\":null") } == nals)
        #expect(Reports.integer(summary, "nals") == lines.count)
        let inFrames = frames.reduce(0) { $0 + (Reports.integer($1, "bytes") ?? 0) }
        #expect(inFrames + count == bytes.count)
        #expect(Reports.integer(summary, "bytes") == bytes.count)
        for what in Self.reports {
            let run = Reports.run(["--strict", "--report"] + what + [file.path])
            #expect(run.status == 1, "\(what)")
            #expect(run.errors.contains("from byte \(bytes.count - count) "), "\(run.errors)")
        }
    }

    @Test("What belongs to no picture is counted in front of it too") func straysInFront() throws {
        let bytes = try #require(Checkout.bytes(Checkout.samples + "/main.264"))
        let units = Reports.nalUnits(bytes)
        // The first picture's slices before their parameter sets; the rest as it is.
        let slice = [0, 0, 1] + (try #require(units.first { $0.first.map { $0 & 31 } == 5 }))
        let file = try TemporaryFile(slice + slice + bytes)
        let summary = try #require(Reports.run(["--report", "summary", file.path]).lines.first)
        let lines = Reports.run(["--report", "nals", file.path]).lines
        #expect(Reports.integer(summary, "stray_nals") == 2)
        #expect(Reports.integer(summary, "stray_bytes") == 2 * slice.count)
        #expect(lines.count { $0.contains("\"decode\":null") } == 2)
    }

    @Test(
        "Who joins late gets every picture whole from the first parameter sets on",
        arguments: ["baseline.264", "main.264", "b-pyramid.264", "mbaff.264", "size-change.264"],
        [1, 5])
    func lateJoin(_ name: String, before: Int) throws {
        let path = Checkout.samples + "/" + name
        let whole = Reports.run(["--report", "frames", "--md5", path]).lines
        let join = try #require(
            whole.filter { $0.contains("\"idr\":true") }.dropFirst().first
                .flatMap { Reports.integer($0, "decode") })
        let start = try #require(
            whole.first { Reports.integer($0, "decode") == join - before }
                .flatMap { Reports.integer($0, "offset") })
        let bytes = try #require(Checkout.bytes(path))
        let file = try TemporaryFile(Array(bytes[start...]))
        // From the slices before the parameter sets nothing comes, and the pictures behind them are as always.
        func pictures(_ lines: ArraySlice<Substring>) -> [Substring] {
            lines.flatMap {
                Reports.fields($0).filter { $0.contains("damaged") || $0.contains("md5") }
            }
        }
        let late = Reports.run(["--report", "frames", "--md5", file.path]).lines
        #expect(late.count == whole.count - join)
        #expect(pictures(late[...]) == pictures(whole[join...]))
    }

    @Test("Of whole streams all belongs to pictures", arguments: Clip.samples)
    func noStrays(_ clip: Clip) throws {
        let summary = try #require(Reports.run(["--report", "summary", clip.path]).lines.first)
        #expect(Reports.integer(summary, "stray_nals") == 0)
        #expect(Reports.integer(summary, "stray_bytes") == 0)
    }
}
