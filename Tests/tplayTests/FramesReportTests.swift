import Foundation
import TestSupport
import Testing

extension TPlayTests {
    @Suite("Report of frames", .timeLimit(.minutes(Checkout.patience(5))))
    struct FramesReportTests {
        /// Pictures of which FFmpeg's digest cannot be expected, from `unreproducible.tsv`.
        static let unreproducible: [String: Set<Int>] = {
            let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
            let table = Checkout.bytes("/" + folder + "/unreproducible.tsv") ?? []
            var pictures: [String: Set<Int>] = [:]
            for line in String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: "\t")
                guard fields.count == 3, let picture = Int(fields[1]) else { continue }
                pictures[String(fields[0]), default: []].insert(picture)
            }
            return pictures
        }()

        static let clips = Clip.samples + (Clip.hasStreams ? Clip.streams : [])
        static let golden = clips.filter { $0.digests != nil }

        private func checkNumbers(_ frames: [[String: Any]], byteCount: Int) throws {
            func values(_ name: String, of frames: [[String: Any]]) throws -> [Int] {
                try frames.map { try #require($0[name] as? Int, "\(name)") }
            }
            #expect(try values("frame", of: frames) == Array(frames.indices))
            let pts = try values("pts", of: frames)
            let durations = try values("duration", of: frames)
            #expect(pts.first ?? 0 == 0)
            var end = 0
            for (time, duration) in zip(pts, durations) {
                #expect(time == end)
                #expect(duration > 0)
                end = time + duration
            }
            let decoded = try frames.sorted {
                try #require($0["decode"] as? Int) < #require($1["decode"] as? Int)
            }
            #expect(try values("decode", of: decoded) == Array(frames.indices))
            let dts = try values("dts", of: decoded)
            for (early, late) in zip(dts, dts.dropFirst()) { #expect(early < late) }
            for (time, limit) in zip(dts, try values("pts", of: decoded)) {
                #expect(time <= limit)
            }
            var offset = 0
            for (start, count) in zip(
                try values("offset", of: decoded), try values("bytes", of: decoded))
            {
                #expect(start == offset)
                offset += count
            }
            #expect(offset == byteCount)
            for frame in frames {
                let timescale = try #require(frame["timescale"] as? Int)
                for name in ["pts", "dts", "duration"] {
                    let ticks = try #require(frame[name] as? Int)
                    let seconds = try #require(frame[name + "_time"] as? Double)
                    #expect(abs(seconds - Double(ticks) / Double(timescale)) < 0.6e-6)
                }
                #expect((frame["nals"] as? [Int])?.isEmpty == false)
                let isShown = try #require(frame["shown"] as? Bool)
                #expect((frame["md5"] != nil) == isShown)
            }
        }

        @Test(arguments: golden)
        func `the k-th shown picture has FFmpeg's k-th digest`(_ clip: Clip) throws {
            let result = TPlay.run(["--report", "frames", "--md5", clip.path])
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
            let frames = TPlay.objects(result)
            let shown = frames.filter { $0["shown"] as? Bool == true }
            let digests = try #require(clip.writtenDigests ?? clip.digests)
            try #require(shown.count == digests.count)
            let ignored = Self.unreproducible[clip.name] ?? []
            for (place, (frame, digest)) in zip(shown, digests).enumerated()
            where !ignored.contains(place) {
                #expect(frame["md5"] as? String == digest, "picture \(place)")
            }
            for place in ignored where clip.name != "size-change.264" {
                #expect(shown[place]["damaged"] as? Bool == true, "picture \(place)")
            }
            try checkNumbers(frames, byteCount: try #require(Checkout.bytes(clip.path)).count)
        }

        @Test(arguments: [7, 4097])
        func `through a pipe, in pieces, it is the same`(piece: Int) throws {
            for clip in Self.clips {
                let bytes = try #require(Checkout.bytes(clip.path))
                if bytes.count > (piece < 100 ? 50_000 : 300_000) { continue }
                let file = TPlay.run(["--report", "frames", "--md5", clip.path])
                let pipe = TPlay.run(
                    ["--report", "frames", "--md5", "-"],
                    input: .init(bytes, inPiecesOf: piece))
                #expect(pipe.output == file.output, "\(clip)")
                #expect(pipe.status == file.status, "\(clip)")
            }
        }

        @Test func `in single bytes too`() throws {
            for clip in Self.clips {
                let bytes = try #require(Checkout.bytes(clip.path))
                if bytes.count > 15_000 { continue }
                let file = TPlay.run(["--report", "frames", "--md5", clip.path])
                let pipe = TPlay.run(
                    ["--report", "frames", "--md5", "-"], input: .init(bytes, inPiecesOf: 1))
                #expect(pipe.output == file.output, "\(clip)")
            }
        }

        @Test func `--start and --until cut it`() throws {
            let clip = TPlay.sample("b-pyramid.264")
            func frames(_ options: String...) throws -> [Int] {
                let result = TPlay.run(["--report", "frames"] + options + [clip])
                #expect(result.status == 0)
                return TPlay.objects(result).compactMap { $0["frame"] as? Int }
            }
            #expect(try frames("--start", "10f", "--until", "20f") == Array(10...20))
            #expect(try frames("--start", "#10", "--until", "#10") == [10])
            #expect(try frames("--start", "3.5") == Array(87...99))
            #expect(try frames("--until", "0.4") == Array(0...9))
            #expect(try frames("--until", "0.401") == Array(0...10))
            #expect(try frames("--start", "0:01", "--until", "1.2") == Array(25...29))
            #expect(try frames("--start", "1.03", "--until", "26f") == [25, 26])
            TPlay.expectComplaint(
                TPlay.run(["--report", "frames", "--start", "100f", clip]), status: 1,
                naming: ["--start", "100 pictures"])
        }

        @Test func `what is cut out has the digests it has in the whole`() throws {
            let clip = TPlay.sample("open-gop.264")
            let whole = TPlay.run(["--report", "frames", "--md5", clip]).lines
            for number in [0, 1, 23, 24, 60, 119] {
                let one = TPlay.run([
                    "--report", "frames", "--md5", "--start", "\(number)f", "--until",
                    "\(number)f", clip,
                ])
                #expect(one.lines == [whole[number]])
            }
        }

        @Test func `--fps gives other times`() throws {
            let result = TPlay.run([
                "--report", "frames", "--fps", "30000/1001", TPlay.sample("main.264"),
            ])
            let frames = TPlay.objects(result)
            #expect(frames[0]["timescale"] as? Int == 60000)
            #expect(frames.compactMap { $0["pts"] as? Int } == (0..<100).map { $0 * 2002 })
        }

        @Test func `--strict ends at the first damage`() throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let nals = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample("baseline.264")]))
            // One slice of picture 10 is left out.
            let slice = try #require(nals.first { $0["decode"] as? Int == 10 })
            let start = try #require(slice["offset"] as? Int)
            let count = try #require(slice["start_code"] as? Int) + (slice["bytes"] as? Int ?? 0)
            let file = try TemporaryFile(Array(bytes[..<start] + bytes[(start + count)...]))
            let lenient = TPlay.objects(TPlay.run(["--report", "frames", file.path]))
            #expect(lenient.count == 100)
            #expect(lenient.firstIndex { $0["damaged"] as? Bool == true } == 10)
            let strict = TPlay.run(["--report", "frames", "--strict", file.path])
            #expect(strict.status == 1)
            #expect(strict.lines.count == 11)
            #expect(strict.errors.contains("picture 10 is damaged"))
        }

        @Test func `several files follow one another`() {
            let (first, second) = (TPlay.sample("main.264"), TPlay.sample("paff.264"))
            let both = TPlay.run(["--report", "frames", first, second])
            #expect(
                both.output
                    == TPlay.run(["--report", "frames", first]).output
                    + TPlay.run(["--report", "frames", second]).output)
            let partly = TPlay.run(["--report", "summary", "/nonexistent", first])
            #expect(partly.status == 1)
            #expect(partly.lines.count == 1)
        }

        @Test func `a closed pipe ends it quietly`() {
            let result = Subprocess.run(
                "/bin/sh",
                [
                    "-c",
                    "\(TPlay.path) --report frames --md5 \(TPlay.sample("showpiece.264"))"
                        + " | head -n 1",
                ])
            #expect(result.lines.count == 1)
            #expect(result.errors.isEmpty)
        }

        @Test func `structures and random access are told`() throws {
            func all(_ name: String, _ field: String) -> [String] {
                TPlay.objects(TPlay.run(["--report", "frames", TPlay.sample(name)]))
                    .compactMap { $0[field] as? String }
            }
            #expect(Set(all("paff.264", "structure")) == ["frame", "field_pair"])
            #expect(Set(all("mbaff.264", "structure")) == ["mbaff"])
            #expect(all("lone-fields.264", "structure").count { $0 == "top" } == 9)
            #expect(all("open-gop.264", "random_access").count { $0 == "idr" } == 1)
            #expect(all("open-gop.264", "random_access").contains("recovery_point"))
            #expect(Set(all("high10.264", "pix_fmt")) == ["yuv420p10le"])
            #expect(Set(all("high422.264", "pix_fmt")) == ["yuv422p"])
            #expect(Set(all("high444.264", "pix_fmt")) == ["yuv444p"])
        }

        @Test func `the format told without decoding is the one decoded`() {
            // One of each format is enough.
            for clip in Self.golden
            where !clip.path.hasPrefix(Clip.streamsFolder) || clip.name.hasPrefix("HPCVMOLQ") {
                func formats(_ options: [String]) -> [String] {
                    TPlay.objects(TPlay.run(["--report", "frames"] + options + [clip.path]))
                        .filter { $0["shown"] as? Bool == true }
                        .compactMap { $0["pix_fmt"] as? String }
                }
                #expect(formats([]) == formats(["--md5"]), "\(clip)")
            }
        }
    }
}
