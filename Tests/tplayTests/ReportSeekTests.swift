import TestSupport
import Testing

/// `--start`, `--until`, backwards and decoding order: every line as the whole report has it.
@Suite("Reports from anywhere", .timeLimit(.minutes(Checkout.patience(10))))
struct ReportSeekTests {
    static let clips =
        Clip.samples + (Clip.hasStreams ? Clip.streams.filter { $0.digests != nil } : [])

    private func frames(_ clip: Clip, _ options: String...) -> [Substring] {
        Reports.run(["--report", "frames", "--md5"] + options + [clip.path]).lines
    }

    @Test("A picture alone is as in the whole report", arguments: clips)
    func single(_ clip: Clip) {
        let whole = frames(clip)
        var random = Random(seed: 7)
        for _ in 0..<4 where !whole.isEmpty {
            let number = random.below(whole.count)
            let place = "\(number)f"
            #expect(
                frames(clip, "--start", place, "--until", place) == [whole[number]],
                "picture \(number)")
        }
    }

    @Test("A range is as in the whole report", arguments: clips)
    func range(_ clip: Clip) {
        let whole = frames(clip)
        var random = Random(seed: 11)
        let first = random.below(max(whole.count, 1))
        let last = first + random.below(max(whole.count - first, 1))
        #expect(
            frames(clip, "--start", "#\(first)", "--until", "#\(last)")
                == Array(whole.dropFirst(first).prefix(last - first + 1)))
    }

    @Test(
        "A time as the report writes it is that picture's",
        arguments: ["30000/1001", "24000/1001", "7", "999"])
    func writtenTime(rate: String) throws {
        let clip = try #require(Clip.samples.first { $0.name == "b-pyramid.264" })
        let whole = frames(clip, "--fps", rate)
        for number in stride(from: 1, to: whole.count - 1, by: 9) {
            let field = Reports.fields(whole[number]).first { $0.hasPrefix("\"pts_time\":") }
            let time = try #require(field).dropFirst(11).filter { $0 != "\"" }
            let range = frames(
                clip, "--fps", rate, "--start", time, "--until", "\(number + 1)f")
            #expect(range.first == whole[number])
            #expect(frames(clip, "--fps", rate, "--until", time).last == whole[number - 1])
            // The player goes by the same times as the reports.
            let end = ["--until", "\(number)f", "--fps", rate, clip.path]
            let player = ["--untimed", "--size", "20x5", "--start"]
            let shown = Reports.run(player + [time] + end)
            #expect(shown.status == 0)
            let isSame = shown.output == Reports.run(player + ["\(number)f"] + end).output
            #expect(isSame, "picture \(number)")
        }
    }

    @Test("Backwards is the report reversed", arguments: clips)
    func backwards(_ clip: Clip) {
        #expect(frames(clip, "--timebase-rate", "-1") == frames(clip).reversed())
    }

    @Test("Backwards keeps to the range") func backwardsRange() throws {
        let clip = try #require(Clip.samples.first { $0.name == "open-gop.264" })
        let whole = frames(clip)
        #expect(
            frames(clip, "--timebase-rate", "-1", "--start", "30f", "--until", "75f")
                == whole[30...75].reversed())
    }

    @Test("Backwards from behind the end is refused as forwards", arguments: Clip.samples)
    func backwardsBehindTheEnd(_ clip: Clip) {
        for place in ["100000f", "10:00"] {
            for more in [[], ["--md5"], ["--until", "200000f"]] {
                let options = ["--report", "frames", "--start", place] + more + [clip.path]
                let forwards = Subprocess.run(PseudoTerminal.product("tplay"), options)
                let backwards = Subprocess.run(
                    PseudoTerminal.product("tplay"), ["--timebase-rate", "-1"] + options)
                #expect(forwards.status == 1 && forwards.output.isEmpty)
                #expect(backwards.status == forwards.status && backwards.output == forwards.output)
                #expect(backwards.errors == forwards.errors)
            }
        }
    }

    @Test(
        "What cannot be decoded is damaged, and a stream of nothing else is refused",
        .enabled(if: Clip.hasStreams))
    func undecodable() throws {
        let path = try #require(Clip.streams.first { $0.name == "FM2_SVA_B.264" }).path
        let result = Reports.run(["--report", "frames", "--md5", path])
        #expect(result.status == 1)
        #expect(result.errors.contains("no picture decodable"))
        #expect(result.lines.count == 17)
        #expect(result.lines.allSatisfy { $0.contains("\"damaged\":true") })
    }

    @Test("Decoding order has the same lines by decode rank", arguments: Clip.samples)
    func decodingOrder(_ clip: Clip) {
        let lines = frames(clip, "--order", "decode")
        #expect(lines.map { Reports.integer($0, "decode") } == Array(0..<lines.count))
        #expect(lines.sorted() == frames(clip).sorted())
    }

    @Test(
        "With --from-any everything is shown, and what is shown anyway stays as it is",
        .enabled(if: Clip.hasStreams))
    func fromAny() throws {
        for clip in Self.clips where clip.digests != nil {
            let (all, usual) = (frames(clip, "--from-any"), frames(clip))
            #expect(all.count == usual.count)
            for (first, second) in zip(all, usual) {
                #expect(first.contains("\"shown\":true"))
                if second.contains("\"shown\":true") { #expect(first == second) }
            }
        }
    }

    @Test("A picture on a pipe is found without going back") func pipe() throws {
        let clip = try #require(Clip.samples.first { $0.name == "b-pyramid.264" })
        let bytes = try #require(Checkout.bytes(clip.path))
        let alone = Reports.run(
            ["--report", "frames", "--md5", "--start", "61f", "--until", "61f", "-"],
            input: .init(bytes))
        #expect(alone.lines == [frames(clip)[61]])
    }

    @Test("Summary and nals keep to the range") func otherReports() throws {
        let clip = try #require(Clip.samples.first { $0.name == "open-gop.264" })
        let range = ["--start", "10f", "--until", "20f", clip.path]
        let frames = Reports.run(["--report", "frames"] + range).lines
        let summary = try #require(Reports.run(["--report", "summary"] + range).lines.first)
        #expect(Reports.integer(summary, "frames") == 11)
        #expect(
            Reports.integer(summary, "bytes")
                == frames.reduce(0) { $0 + (Reports.integer($1, "bytes") ?? 0) })
        let nals = Reports.run(["--report", "nals"] + range).lines
        #expect(nals.count == Reports.integer(summary, "nals"))
        #expect(
            Set(nals.map { Reports.integer($0, "decode") })
                == Set(frames.map { Reports.integer($0, "decode") }))
        let whole = Set(Reports.run(["--report", "nals", clip.path]).lines)
        #expect(whole.isSuperset(of: nals))
    }

    @Test(
        "What cannot be is said in one line",
        arguments: [
            (["--report", "frames", "--start", "99999f"], Int32(1), "behind the end"),
            (["--report", "nals", "--timebase-rate", "-1"], 2, "not backwards"),
            (["--report", "frames", "--timebase-rate", "2"], 2, "--timebase-rate"),
            (["--report", "frames", "--timebase-rate=-1", "--order", "decode"], 2, "forwards"),
        ])
    func refusals(_ options: [String], status: Int32, words: String) throws {
        let clip = try #require(Clip.samples.first)
        let run = Reports.run(options + [clip.path])
        #expect(run.status == status)
        #expect(run.errors.contains(words))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test("Backwards needs a file") func backwardsPipe() throws {
        let clip = try #require(Clip.samples.first)
        let bytes = try #require(Checkout.bytes(clip.path))
        let run = Reports.run(
            ["--report", "frames", "--timebase-rate", "-1", "-"], input: .init(bytes))
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("backwards needs a file"))
    }
}
