import Glibc
import TestSupport
import Testing

extension TPlayTests {
    @Suite("Playing", .timeLimit(.minutes(Checkout.patience(10))))
    struct PlayingTests {
        static let clip = TPlay.sample("main.264")
        /// So that the burnt-in counter can be read.
        static let fill = ["--fit", "fill", "--renderer", "half"]

        private func paused(
            _ name: String = "main.264", _ options: [String] = [],
            size: PseudoTerminal.Size = .init(columns: 64, rows: 24)
        ) throws -> Playing {
            try Playing(["--paused"] + Self.fill + options + [TPlay.sample(name)], size: size)
        }

        @Test(
            .measuresTime,
            arguments: [("main.264", 4.0), ("pulldown.264", 2.002), ("size-change.264", 3.0)])
        func `a clip plays to its end in its own duration`(name: String, seconds: Double) throws {
            // The machine may be busy with something else: the best of three counts.
            var best = Double.infinity
            for _ in 0..<3 where abs(best - seconds) > seconds * 0.1 {
                let playing = try Playing(Self.fill + [TPlay.sample(name)])
                playing.wait { $0.statusNumber != nil }
                let start = ContinuousClock.now
                playing.expectEnd(.status(0))
                let duration = (ContinuousClock.now - start) / .seconds(1)
                if abs(duration - seconds) < abs(best - seconds) { best = duration }
            }
            #expect(abs(best - seconds) <= seconds * 0.1)
        }

        @Test(arguments: ["q", "\u{1B}"])
        func `q and Escape quit`(key: String) throws {
            let playing = try Playing(Self.fill + [TPlay.sample("showpiece.264")])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.type(key)
            playing.expectEnd(.status(0), timeout: .seconds(10))
        }

        @Test func `the counter on the screen is the number in the status line`() throws {
            let playing = try Playing(["--timebase-rate", "0.5"] + Self.fill + [Self.clip])
            var seen: Set<Int> = []
            playing.wait { screen in
                if let number = screen.statusNumber, screen.counter == number {
                    seen.insert(number)
                }
                return seen.count > 30
            }
            playing.quit()
        }

        @Test func `pause uses no processor and writes nothing`() throws {
            let playing = try Playing(Self.fill + [TPlay.sample("showpiece.264")])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.type(" ")
            playing.wait { $0.statusLine.contains("paused") }
            playing.terminal.run(for: .seconds(1))
            let (bytes, time) = (
                playing.terminal.output.count, playing.terminal.currentProcessorTime()
            )
            playing.terminal.run(for: .seconds(2))
            #expect(playing.terminal.output.count == bytes)
            #expect(playing.terminal.currentProcessorTime() - time <= .milliseconds(20))
            // And it goes on from there.
            playing.screen.statusNumber.map { number in
                playing.type(" ")
                playing.wait { ($0.statusNumber ?? 0) > number }
            }
            playing.quit()
        }

        @Test(arguments: ["main.264", "b-pyramid.264", "paff.264", "open-gop.264"])
        func `steps on and back`(name: String) throws {
            let playing = try paused(name)
            playing.wait(picture: 0)
            for number in 1...6 {
                playing.type(".")
                playing.wait(picture: number)
            }
            for number in [5, 4, 3] {
                playing.type(",")
                playing.wait(picture: number)
            }
            playing.type("20.")
            playing.wait(picture: 23)
            playing.type("10,")
            playing.wait(picture: 13)
            playing.type(".")
            playing.wait(picture: 14)
            playing.type("1000,")
            playing.wait(picture: 0)
            playing.quit()
        }

        /// Two fields a picture, in this clip the bottom one first: the status line names the one on show.
        @Test func `steps go field by field`() throws {
            let playing = try Playing(
                ["--paused", "--deinterlace", "fields", "--start", "4f"] + Self.fill
                    + [TPlay.sample("mbaff.264")])
            func wait(_ number: Int, _ field: String) {
                playing.wait { $0.statusNumber == number && $0.statusLine.contains(" \(field) ") }
            }
            wait(4, "bottom")
            playing.type(".")
            wait(4, "top")
            playing.type(".")
            wait(5, "bottom")
            playing.type(",")
            wait(4, "top")
            playing.type("3,")
            wait(3, "bottom")
            playing.type("1000,")
            wait(0, "bottom")
            playing.type("5.")
            wait(2, "top")
            playing.quit()
        }

        @Test func `bob shows each field for half the time, weave all at once`() throws {
            for (way, isSplit) in [("bob", true), ("weave", false)] {
                let playing = try Playing(
                    ["--deinterlace", way, "--timebase-rate", "0.25"] + Self.fill
                        + [TPlay.sample("mbaff.264")])
                var seen: [String] = []
                playing.terminal.run(
                    until: {
                        playing.look { screen in
                            guard let number = screen.statusNumber else { return }
                            let field =
                                screen.statusLine.firstMatch(of: #/ (top|bottom) /#)?.1 ?? ""
                            // A line that is half written.
                            if isSplit, field.isEmpty { return }
                            let now = "\(number) \(field)"
                            if seen.last != now { seen.append(now) }
                        }
                        return seen.count >= 12
                    }, timeout: .seconds(20))
                playing.quit()
                let fields = Set(seen.map { $0.split(separator: " ").last ?? "" })
                #expect(fields.isSuperset(of: ["top", "bottom"]) == isSplit, "\(seen)")
                // None is left out, and they alternate.
                if isSplit {
                    for (first, next) in zip(seen, seen.dropFirst()) {
                        #expect(first.hasSuffix("top") != next.hasSuffix("top"), "\(seen)")
                    }
                }
            }
        }

        @Test func `a random walk ends where it should`() throws {
            let playing = try paused("b-pyramid.264")
            playing.wait(picture: 0)
            var place = 0
            var state: UInt64 = 42
            for _ in 0..<25 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let count = Int(state >> 33) % 12 + 1
                let isOn = state >> 50 & 1 == 0
                place = min(max(isOn ? place + count : place - count, 0), 99)
                playing.type("\(count)" + (isOn ? "." : ","))
            }
            playing.wait(picture: place)
            playing.terminal.run(for: .milliseconds(300))
            playing.wait(picture: place)
            playing.quit()
        }

        @Test func `steps at both ends`() throws {
            let playing = try paused("size-change.264")
            playing.wait(picture: 0)
            playing.type(",")
            playing.type("5.")
            playing.wait(picture: 5)
            playing.type("500.")
            playing.wait(picture: 74)
            playing.type(".")
            playing.type("2,")
            playing.wait(picture: 72)
            playing.quit()
        }

        @Test func `arrows go by seconds`() throws {
            let playing = try paused()
            playing.wait(picture: 0)
            playing.type("\u{1B}[C")
            playing.wait(picture: 25)
            playing.type("\u{1B}OC")
            playing.wait(picture: 50)
            playing.type("\u{1B}[D")
            playing.wait(picture: 25)
            playing.type("\u{1B}[1;2C")
            playing.wait(picture: 99)
            playing.type("\u{1B}[1;2D")
            playing.wait(picture: 0)
            playing.type("2\u{1B}[C")
            playing.wait(picture: 50)
            playing.quit()
        }

        @Test func `Home, End and any place`() throws {
            let playing = try paused()
            playing.wait(picture: 0)
            playing.type("\u{1B}[F")
            playing.wait(picture: 99)
            playing.type("\u{1B}[H")
            playing.wait(picture: 0)
            playing.type("g50f\r")
            playing.wait(picture: 50)
            playing.type("g1.0\r")
            playing.wait(picture: 25)
            playing.type("g#7\r")
            playing.wait(picture: 7)
            playing.quit()
        }

        @Test func `random access points`() throws {
            let points = TPlay.objects(
                TPlay.run(["--report", "frames", TPlay.sample("open-gop.264")])
            )
            .filter { ["idr", "recovery_point"].contains($0["random_access"] as? String) }
            .compactMap { $0["frame"] as? Int }
            #expect(points.count >= 4)
            let playing = try paused("open-gop.264")
            playing.wait(picture: 0)
            for point in points.dropFirst().prefix(3) {
                playing.type("\u{1B}[A")
                playing.wait(picture: point)
            }
            for point in points.prefix(3).reversed() {
                playing.type("\u{1B}[B")
                playing.wait(picture: point)
            }
            playing.quit()
        }

        @Test func `backwards every picture comes, in the other order`() throws {
            try expectInThreeTries {
                let playing = try paused("main.264", ["--start", "60f"])
                playing.wait(picture: 60)
                var seen: [Int] = []
                playing.type("r")
                playing.type(" ")
                playing.wait { screen in
                    if let number = screen.statusNumber, screen.counter == number,
                        seen.last != number
                    {
                        seen.append(number)
                    }
                    return screen.statusNumber == 20
                }
                playing.quit()
                #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 > $1 }, "\(seen)")
                return seen.count > 35 ? nil : "seen \(seen)"
            }
        }

        @Test func `rate keys`() throws {
            let playing = try Playing(Self.fill + ["--loop", "inf", TPlay.sample("showpiece.264")])
            playing.wait { $0.statusLine.contains(" 1x ") }
            for (key, rate) in [
                ("]", "1.1x"), ("]", "1.21x"), ("[", "1.1x"), ("[", "1x"), ("}", "2x"),
                ("{", "1x"), ("{", "0.5x"), ("{", "0.25x"), ("\u{7F}", "1x"),
            ] {
                playing.type(key)
                playing.wait { $0.statusLine.contains(" \(rate) ") }
            }
            playing.quit()
        }

        @Test(.measuresTime) func `faster and slower are so`() throws {
            for (rate, seconds) in [("2", 2.0), ("0.8", 5.0)] {
                var best = Double.infinity
                for _ in 0..<3 where abs(best - seconds) > seconds * 0.15 {
                    let playing = try Playing(Self.fill + ["--timebase-rate", rate, Self.clip])
                    playing.wait { $0.statusNumber != nil }
                    let start = ContinuousClock.now
                    playing.expectEnd(.status(0))
                    let duration = (ContinuousClock.now - start) / .seconds(1)
                    if abs(duration - seconds) < abs(best - seconds) { best = duration }
                }
                #expect(abs(best - seconds) <= seconds * 0.15, "at \(rate)")
            }
        }

        @Test func `files are gone through`() throws {
            let playing = try paused("main.264", [TPlay.sample("paff.264"), "--loop=1"])
            // Options may come after files: paff is first here.
            playing.wait { $0.statusLine.contains("paff.264") && $0.counter == 0 }
            playing.type(">")
            playing.wait { $0.statusLine.contains("main.264") && $0.counter == 0 }
            playing.type("3.")
            playing.wait(picture: 3)
            playing.type("<")
            playing.wait { $0.statusLine.contains("paff.264") && $0.counter == 0 }
            playing.type("<")
            playing.wait { $0.statusLine.contains("paff.264") && $0.counter == 0 }
            playing.type(">")
            playing.wait { $0.statusLine.contains("main.264") && $0.counter == 0 }
            playing.type(">")
            playing.expectEnd(.status(0))
            #expect(!playing.terminal.outputContains("tplay: "))
        }

        @Test func `going back leaves out what cannot be played`() throws {
            let names = ["main.264", "paff.264"].map(TPlay.sample)
            let playing = try Playing(
                ["--paused"] + Self.fill + [names[0], "/nonexistent/a", "/nonexistent/b", names[1]])
            playing.wait { $0.statusLine.contains("main.264") && $0.counter == 0 }
            for _ in 0..<2 {
                playing.type(">")
                playing.wait { $0.statusLine.contains("paff.264") && $0.counter == 0 }
                playing.type("<")
                playing.wait { $0.statusLine.contains("main.264") && $0.counter == 0 }
            }
            playing.type("q")
            playing.expectEnd(.status(1))
        }

        @Test(arguments: ["><>", ">>>", "<>>>", ">><>"])
        func `keys typed at once each count, whatever file they fall into`(keys: String) throws {
            let names = ["main.264", "paff.264", "baseline.264", "mbaff.264"]
            var place = 0
            for key in keys { place = max(0, place + (key == ">" ? 1 : -1)) }
            let playing = try Playing(["--paused"] + Self.fill + names.map(TPlay.sample))
            playing.wait { $0.statusLine.contains(names[0]) && $0.counter == 0 }
            playing.type(keys + "3.")
            playing.wait { $0.statusLine.contains(names[place]) && $0.counter == 3 }
            playing.quit()
        }

        @Test func `? shows the keys, and hides them`() throws {
            let playing = try paused()
            playing.wait(picture: 0)
            func hasKeys(_ screen: TerminalScreen) -> Bool {
                (0..<screen.rows).contains { screen.text(row: $0).contains("pause and go on") }
            }
            playing.type("?")
            playing.wait { hasKeys($0) }
            playing.type("?")
            playing.wait { !hasKeys($0) }
            playing.quit()
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        func `signals end it as signals, the terminal as found`(signal: Int32) throws {
            let playing = try Playing(Self.fill + [TPlay.sample("showpiece.264")])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.terminal.send(signal: signal)
            playing.expectEnd(.signal(signal), timeout: .seconds(10))
        }

        @Test func `Ctrl-C ends it`() throws {
            let playing = try Playing(Self.fill + [TPlay.sample("showpiece.264")])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.type("\u{3}")
            playing.expectEnd(.signal(SIGINT), timeout: .seconds(10))
        }

        @Test func `Ctrl-Z stops it, and fg goes on`() throws {
            let playing = try Playing(Self.fill + [TPlay.sample("showpiece.264")])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.type("\u{1A}")
            #expect(playing.terminal.waitForStop() != nil)
            #expect(playing.terminal.isAsFound)
            playing.terminal.run(for: .seconds(2))
            let before = playing.screen.statusNumber ?? 0
            let bytes = playing.terminal.output.count
            playing.terminal.continueProgram()
            #expect(playing.terminal.waitForOutput("\u{1B}[?1049h", from: bytes))
            playing.wait { ($0.statusNumber ?? 0) > before + 3 }
            // The clock stood still: two seconds are 48 pictures.
            #expect((playing.screen.statusNumber ?? 0) < before + 40)
            playing.quit()
        }

        @Test func `another size is drawn in at once`() throws {
            let playing = try paused("main.264", ["--start", "7f"])
            playing.wait(picture: 7)
            for (columns, rows) in [(80, 30), (32, 14), (120, 20), (64, 24)] {
                playing.terminal.resize(
                    to: .init(columns: columns, rows: rows))
                playing.wait { $0.columns == columns && $0.statusNumber == 7 && $0.counter == 7 }
            }
            playing.type(".")
            playing.wait(picture: 8)
            playing.quit()
        }

        @Test(arguments: [(1, 1), (2, 2), (5, 1), (300, 100)])
        func `any size will do`(columns: Int, rows: Int) throws {
            let playing = try Playing(
                ["--untimed", "--until", "20f", Self.clip],
                size: .init(columns: columns, rows: rows))
            playing.expectEnd(.status(0))
        }

        @Test func `a mute terminal plays too`() throws {
            let playing = try Playing(
                ["--untimed", "--until", "20f", Self.clip], answers: .mute)
            playing.expectEnd(.status(0))
            #expect(playing.terminal.outputContains("▀") || playing.terminal.outputContains("▄"))
        }

        @Test func `answers that come slowly are no keys`() throws {
            let playing = try Playing(
                ["--until", "30f"] + Self.fill + [Self.clip],
                answers: .plain.slowed(by: .milliseconds(300), byteInterval: .milliseconds(2)))
            playing.expectEnd(.status(0))
        }

        private static let sixel = "\u{1B}P7;1q"

        @Test func `sixel is drawn where the terminal says it has it, and only there`() throws {
            for (answers, isDrawn) in [
                (PseudoTerminal.Answers.sixel, true), (.plain, false), (.mute, false),
            ] {
                let playing = try Playing(
                    ["--untimed", "--until", "5f", Self.clip], answers: answers)
                playing.expectEnd(.status(0))
                #expect(playing.terminal.outputContains(Self.sixel) == isDrawn)
            }
            let asked = try Playing(
                ["--untimed", "--until", "5f", "--renderer", "sixel", Self.clip])
            asked.expectEnd(.status(0))
            #expect(asked.terminal.outputContains(Self.sixel))
            let refused = try Playing(
                ["--untimed", "--until", "5f", "--renderer", "half", Self.clip], answers: .sixel)
            refused.expectEnd(.status(0))
            #expect(!refused.terminal.outputContains(Self.sixel))
        }

        @Test func `a first image that stands still is sent once`() throws {
            let playing = try Playing(
                ["--paused", "--renderer", "sixel", Self.clip], answers: .sixel)
            playing.wait { $0.statusNumber == 0 }
            playing.terminal.run(for: .milliseconds(250))
            let count = playing.terminal.output.count
            #expect(playing.terminal.outputContains("\u{1B}P7;1q"))
            playing.terminal.run(for: .milliseconds(1200))
            // Nothing more than a word in the status line.
            #expect(playing.terminal.output.count - count < 400)
            playing.quit()
        }

        @Test func `--renderer none draws nothing but the status line`() throws {
            let playing = try Playing(["--paused", "--renderer", "none", Self.clip])
            playing.wait { $0.statusNumber == 0 }
            #expect((0..<23).allSatisfy { playing.screen.text(row: $0).allSatisfy { $0 == " " } })
            playing.quit()
        }

        @Test func `--no-status leaves it out`() throws {
            let playing = try Playing(
                ["--untimed", "--until", "20f", "--no-status", Self.clip])
            playing.expectEnd(.status(0))
            #expect(!playing.terminal.outputContains("main.264"))
        }

        @Test(arguments: ["dumb", ""])
        func `a terminal that cannot do it is told so`(name: String) throws {
            let terminal = try PseudoTerminal(
                TPlay.path, [Self.clip], environment: ["TERM": name])
            #expect(terminal.waitForExit() == .status(1))
            #expect(terminal.outputContains("tplay: "))
            #expect(terminal.outputContains("--report"))
            #expect(!terminal.outputContains("\u{1B}"))
            #expect(terminal.output.count { $0 == 10 } == 1)
            #expect(terminal.modes == terminal.modesAtStart)
        }

        @Test func `the next file's first picture comes at once`() throws {
            try expectInThreeTries {
                for first in ["baseline.264", "b-pyramid.264", "baseline.264", "main.264"] {
                    let playing = try Playing(
                        ["--paused"] + Self.fill + [TPlay.sample(first), TPlay.sample("paff.264")])
                    playing.wait(picture: 0)
                    playing.terminal.run(for: .milliseconds(600))
                    let begin = ContinuousClock.now
                    playing.type(">")
                    playing.wait { $0.statusLine.contains("paff.264") && $0.statusNumber == 0 }
                    let time = ContinuousClock.now - begin
                    playing.quit()
                    if time > .milliseconds(800) { return "\(time) after \(first)" }
                }
                return nil
            }
        }

        @Test func `interlaced pictures are woven unless asked otherwise`() throws {
            for name in ["mbaff.264", "paff.264"] {
                for start in 0..<8 {
                    let playing = try Playing(
                        ["--paused", "--start", "\(start)f"] + Self.fill + [TPlay.sample(name)])
                    playing.wait { $0.statusNumber == start }
                    #expect(!playing.screen.statusLine.contains(" top "))
                    #expect(!playing.screen.statusLine.contains(" bottom "))
                    playing.quit()
                }
            }
        }

        @Test func `a wrong file leaves the terminal alone`() throws {
            let terminal = try PseudoTerminal(TPlay.path, ["/nonexistent.264"])
            #expect(terminal.waitForExit() == .status(1))
            #expect(terminal.outputContains("tplay: /nonexistent.264: "))
            #expect(!terminal.outputContains("\u{1B}[?1049h"))
            #expect(terminal.isAsFound)
        }

        @Test func `a wrong file among others is told at the end`() throws {
            let playing = try Playing(
                ["--untimed", "--until", "5f", Self.clip, "/nonexistent.264", Self.clip])
            playing.expectEnd(.status(1))
            #expect(playing.terminal.outputContains("tplay: /nonexistent.264: "))
        }

        @Test func `keys come from the terminal where the clip comes from standard input`() throws {
            let playing = try Playing(
                ["--paused"] + Self.fill + ["-"], standardInput: .file(Self.clip))
            playing.wait(picture: 0)
            playing.type("3.")
            playing.wait(picture: 3)
            playing.quit()
        }

        @Test func `a terminal is no stream`() throws {
            let playing = try Playing(["-"])
            playing.expectEnd(.status(2))
            #expect(playing.terminal.outputContains("-: the standard input is the terminal"))
        }

        @Test func `--start, --until and --loop`() throws {
            let playing = try Playing(
                Self.fill + ["--start", "40f", "--until", "45f", "--loop", "2", Self.clip])
            var seen: [Int] = []
            playing.terminal.run(
                until: {
                    playing.look { screen in
                        guard let number = screen.statusNumber, seen.last != number else { return }
                        seen.append(number)
                    }
                    return playing.terminal.exit != nil
                }, timeout: .seconds(30))
            playing.expectEnd(.status(0))
            #expect(seen.first == 40)
            #expect(seen.last == 45)
            #expect(seen.allSatisfy { (40...45).contains($0) })
            #expect(zip(seen, seen.dropFirst()).count { $0 > $1 } == 1, "\(seen)")
        }

        @Test func `damage is counted at the end`() throws {
            let clip = TPlay.sample("baseline.264")
            let bytes = try #require(Checkout.bytes(clip))
            let nals = TPlay.objects(TPlay.run(["--report", "nals", clip]))
            let slice = try #require(nals.first { $0["decode"] as? Int == 10 })
            let start = try #require(slice["offset"] as? Int)
            let count = try #require(slice["start_code"] as? Int) + (slice["bytes"] as? Int ?? 0)
            let file = try TemporaryFile(Array(bytes[..<start] + bytes[(start + count)...]))
            let playing = try Playing(["--untimed", "--renderer", "none", file.path])
            playing.expectEnd(.status(0))
            #expect(playing.terminal.outputContains("damaged; --report frames --md5 lists them"))
            let strict = try Playing(["--untimed", "--strict", "--renderer", "none", file.path])
            strict.expectEnd(.status(1))
            #expect(strict.terminal.outputContains("picture 10 is damaged"))
        }

        @Test func `a line that is lost ends it`() throws {
            let playing = try Playing(Self.fill + ["--loop", "inf", Self.clip])
            playing.wait { ($0.statusNumber ?? 0) > 3 }
            playing.terminal.hangUp()
            let exit = playing.terminal.waitForExit(timeout: .seconds(10))
            #expect(exit != nil)
        }
    }
}
