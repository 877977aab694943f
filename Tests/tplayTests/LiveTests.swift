import Foundation
import Glibc
import TestSupport
import Testing

extension TPlayTests {
    /// Streams that are made while they are watched.
    @Suite("Live", .timeLimit(.minutes(Checkout.patience(5))))
    struct LiveTests {
        private static let fill = ["--renderer", "half", "--fit", "fill"]
        private static let picture = Duration.milliseconds(40)

        private func play(
            _ writer: LiveWriter, _ options: [String] = fill
        ) throws -> Playing {
            defer { close(writer.readEnd) }
            let playing = try Playing(
                options + ["-"], standardInput: .descriptor(writer.readEnd))
            writer.start()
            return playing
        }

        /// The first group of pictures, or what comes to that.
        private static func beginning(
            of name: String, every interval: Duration
        ) throws -> [LiveWriter.Piece] {
            Array(try LiveWriter.accessUnits(TPlay.sample(name), every: interval).prefix(50))
        }

        /// Follows the status line to the end: when each picture was first on the screen.
        private func watch(
            _ playing: Playing, timeout: Duration = .seconds(60),
            until isEnough: (TerminalScreen) -> Bool = { _ in false }
        ) -> [(picture: Int, time: ContinuousClock.Instant)] {
            var seen: [(picture: Int, time: ContinuousClock.Instant)] = []
            playing.terminal.run(
                until: {
                    playing.look { screen in
                        guard let number = screen.statusNumber, seen.last?.picture != number
                        else { return }
                        seen.append((number, ContinuousClock.now))
                    }
                    return playing.terminal.exit != nil || isEnough(playing.screen)
                }, timeout: timeout)
            return seen
        }

        @Test(arguments: [[], ["--low-delay"]])
        func `a picture is on the screen soon after it was written`(options: [String]) throws {
            try expectInThreeTries { try soonAfterItWasWritten(options) }
        }

        private func soonAfterItWasWritten(_ options: [String]) throws -> String? {
            let writer = try LiveWriter(
                LiveWriter.accessUnits(TPlay.sample("baseline.264"), every: Self.picture))
            let playing = try play(writer, Self.fill + options)
            let seen = watch(playing)
            playing.expectEnd(.status(0))
            if seen.count < 95 { return "seen \(seen.map(\.picture))" }
            let delays = seen.compactMap { shown in
                writer.time(of: shown.picture).map { shown.time - $0 }
            }.sorted()
            // 60 ms on a machine with nothing else to do.
            let median = try #require(delays.isEmpty ? nil : delays[delays.count / 2])
            return median < .milliseconds(110) ? nil : "after \(median)"
        }

        @Test(arguments: [
            ("b-pyramid.264", 8), ("open-gop.264", 5), ("main.264", 3), ("pulldown.264", 0),
            ("paff.264", 2), ("mbaff.264", 3), ("lone-fields.264", 0),
        ])
        func `reordered pictures are all shown, in order, evenly and soon`(
            name: String, depth: Int
        ) throws {
            let pieces = try LiveWriter.accessUnits(TPlay.sample(name), every: Self.picture)
            try expectInThreeTries {
                let writer = try LiveWriter(pieces)
                let playing = try play(writer)
                let seen = watch(playing)
                playing.expectEnd(.status(0))
                #expect(seen.map(\.picture) == seen.map(\.picture).sorted())
                if seen.map(\.picture) != Array(pieces.indices) {
                    return "seen \(seen.map(\.picture))"
                }
                let gaps = zip(seen.dropFirst(10), seen.dropFirst(11)).map { $1.time - $0.time }
                let even = gaps.count { (.milliseconds(25)...(.milliseconds(55))).contains($0) }
                if even < gaps.count * 3 / 4 { return "\(gaps)" }
                // Those that wait longest have been decoded long before their time.
                let delays = seen.dropFirst(10).compactMap { shown in
                    writer.time(of: shown.picture).map { shown.time - $0 }
                }
                let most = Self.picture * depth + .milliseconds(150)
                let late = delays.filter { $0 > most }
                return late.count < 10 ? nil : "\(late)"
            }
        }

        /// What is late may belong in front of what is there already.
        @Test(arguments: ["main.264", "b-pyramid.264", "mbaff.264"])
        func `a writer that stops anywhere leaves pictures in order`(name: String) throws {
            let pieces = try Self.beginning(of: name, every: Self.picture)
            // Prime to all that groups of pictures are made of.
            let stopping = pieces.enumerated().map { index, piece in
                var piece = piece
                if index > 8, index % 7 < 2 { piece.pause = .milliseconds(170) }
                return piece
            }
            try expectInThreeTries {
                let playing = try play(LiveWriter(stopping))
                let seen = watch(playing).map(\.picture)
                playing.expectEnd(.status(0))
                #expect(seen == seen.sorted())
                return seen == Array(pieces.indices) ? nil : "seen \(seen)"
            }
        }

        /// Half a picture counts as a whole one until the rest comes.
        @Test(arguments: ["main.264", "b-pyramid.264", "mbaff.264"])
        func `a writer that stops inside pictures loses none of them`(name: String) throws {
            let pieces = try Self.beginning(of: name, every: Self.picture)
            let halves = pieces.enumerated().flatMap { index, piece -> [LiveWriter.Piece] in
                guard [12, 20, 33, 41].contains(index) else { return [piece] }
                let middle = piece.bytes.startIndex + piece.bytes.count / 2
                return [
                    .init(bytes: piece.bytes[..<middle], pause: piece.pause),
                    .init(
                        bytes: piece.bytes[middle...], pause: .milliseconds(300),
                        picture: piece.picture),
                ]
            }
            try expectInThreeTries {
                let playing = try play(LiveWriter(halves))
                let seen = watch(playing).map(\.picture)
                playing.expectEnd(.status(0))
                #expect(seen == seen.sorted())
                return seen == Array(pieces.indices) ? nil : "seen \(seen)"
            }
        }

        @Test(
            arguments: [
                ("main.264", ["\u{1B}[C"]), ("main.264", ["\u{1B}[1;2C"]),
                ("main.264", [".", " "]), ("main.264", ["5.", " "]), ("main.264", ["\u{1B}[F"]),
                ("main.264", [" ", "\u{1B}[F", " "]), ("main.264", [" ", " "]),
                ("b-pyramid.264", ["\u{1B}[C"]), ("paff.264", ["5.", " "]),
            ])
        func `keys where a stream has stopped are no end of it`(name: String, keys: [String]) throws
        {
            let pieces = try LiveWriter.accessUnits(TPlay.sample(name), every: .zero)
            var stopping = pieces.prefix(30)
            stopping[16].pause = .milliseconds(1700)
            for index in 17..<30 { stopping[index].pause = Self.picture }
            let playing = try play(LiveWriter(Array(stopping)))
            playing.wait { ($0.statusNumber ?? 0) > 9 && $0.statusLine.contains("waiting") }
            for key in keys {
                playing.type(key)
                playing.terminal.run(for: .milliseconds(100))
            }
            let seen = watch(playing, timeout: .seconds(15)).map(\.picture)
            playing.expectEnd(.status(0), timeout: .seconds(1))
            #expect(seen == seen.sorted())
            #expect((seen.last ?? 0) >= 27, "\(seen)")
        }

        @Test func `a pause while a stream has stopped keeps its picture`() throws {
            let pieces = try LiveWriter.accessUnits(TPlay.sample("main.264"), every: Self.picture)
            var stopping = pieces.prefix(60)
            stopping[32].pause = .milliseconds(1500)
            let writer = try LiveWriter(Array(stopping), holdsOpen: true)
            let playing = try play(writer)
            playing.wait { ($0.statusNumber ?? 0) > 25 && $0.statusLine.contains("waiting") }
            let number = try #require(playing.screen.statusNumber)
            playing.type(" ")
            playing.terminal.run(for: .seconds(2))
            playing.look { #expect($0.statusNumber == number) }
            playing.type(".")
            playing.wait(picture: number + 1)
            writer.close()
            playing.quit()
        }

        /// A decoder that is fast for holding pictures back gives them up.
        @Test(arguments: ["main.264", "baseline.264"], [0, 15])
        func `the last picture of a pipe that falls silent is shown`(
            name: String, interval: Int
        ) throws {
            let pieces = try Self.beginning(of: name, every: .milliseconds(interval))
            let writer = try LiveWriter(pieces, holdsOpen: true)
            let playing = try play(writer)
            playing.wait(picture: pieces.count - 1)
            writer.close()
            playing.expectEnd(.status(0))
        }

        @Test func `after a stop all that comes at once is shown at its time`() throws {
            try expectInThreeTries { try afterAStop() }
        }

        private func afterAStop() throws -> String? {
            let pieces = try LiveWriter.accessUnits(
                TPlay.sample("baseline.264"), every: Self.picture)
            // A second of silence, and then what was held up on the way.
            let stopped = pieces.enumerated().map { index, piece in
                var piece = piece
                if index == 30 { piece.pause = .seconds(1) }
                if (31...54).contains(index) { piece.pause = .zero }
                return piece
            }
            let playing = try play(LiveWriter(stopped))
            var words: Set<Bool> = []
            let seen = watch(playing) { screen in
                if screen.statusNumber == 29 {
                    words.insert(screen.statusLine.contains("waiting for data"))
                }
                return false
            }
            playing.expectEnd(.status(0))
            #expect(words.contains(true))
            #expect(!playing.screen.statusLine.contains("waiting for data"))
            let after = seen.drop { $0.picture < 30 }
            guard after.map(\.picture) == Array(30...99) else {
                return "seen \(after.map(\.picture))"
            }
            let gaps = zip(after, after.dropFirst()).map { $1.time - $0.time }.sorted()
            let median = gaps[gaps.count / 2]
            return median > .milliseconds(20) ? nil : "every \(median)"
        }

        @Test(.measuresTime) func `a source that is faster than its rate gains no ground`() throws {
            let writer = try LiveWriter(
                LiveWriter.accessUnits(
                    TPlay.sample("no-timing.264"), every: .milliseconds(34)))
            let playing = try play(writer)
            let seen = watch(playing)
            playing.expectEnd(.status(0))
            let last = seen.suffix(20).compactMap { shown in
                writer.time(of: shown.picture).map { shown.time - $0 }
            }.sorted()
            // Untreated it would be 6 ms more with each picture.
            #expect(last[last.count / 2] < .milliseconds(250), "\(last[last.count / 2])")
        }

        @Test func `a file through a pipe takes its own time`() throws {
            let pieces = try LiveWriter.accessUnits(TPlay.sample("baseline.264"), every: .zero)
            try expectInThreeTries {
                let start = ContinuousClock.now
                let playing = try play(LiveWriter(pieces))
                let seen = watch(playing).map(\.picture)
                playing.expectEnd(.status(0))
                if seen != Array(0..<100) { return "seen \(seen)" }
                let elapsed = (ContinuousClock.now - start) / .seconds(1)
                return (3.9...5.5).contains(elapsed) ? nil : "\(elapsed) s"
            }
        }

        /// A picture is not there yet, or not whole: what is asked for then waits or is refused, and the stream plays on.
        @Test(arguments: ["r", ",", ".", "\u{1B}[D", "\u{1B}[F", "\u{1B}[A", "l", " ,", "3,"])
        func `keys at the beginning of a stream end nothing`(keys: String) throws {
            for (name, head) in [("main.264", 1000), ("showpiece.264", 8000)] {
                let bytes = try #require(Checkout.bytes(TPlay.sample(name)))
                let writer = try LiveWriter(
                    [
                        .init(bytes: bytes[..<head], pause: .zero),
                        .init(bytes: bytes[head...], pause: .milliseconds(900)),
                    ], holdsOpen: true)
                let playing = try play(writer)
                playing.terminal.run(for: .milliseconds(450))
                playing.type(keys)
                playing.terminal.run(for: .milliseconds(200))
                #expect(playing.terminal.exit == nil, "\(name), \(head) bytes")
                playing.wait { _ in
                    playing.terminal.exit != nil || playing.screen.statusNumber != nil
                }
                playing.terminal.run(for: .milliseconds(300))
                #expect(playing.terminal.exit == nil, "\(name), \(head) bytes")
                writer.close()
                playing.quit()
            }
        }

        @Test(
            "A writer that stops at every NAL unit for longer than it takes to think it is done",
            .measuresTime,
            arguments: [
                "baseline.264", "paff.264", "gaps-mmco.264", "intra-refresh.264", "size-change.264",
            ])
        func pauses(_ name: String) throws {
            let path = TPlay.sample(name)
            let pieces = LiveWriter.nalUnits(path, every: .milliseconds(30))
            let frames = TPlay.objects(TPlay.run(["--report", "frames", path]))
            let last = try #require(frames.compactMap { $0["frame"] as? Int }.max())
            let playing = try play(LiveWriter(pieces))
            var wrong: [String] = []
            let seen = watch(playing) { screen in
                if let number = screen.statusNumber, number > last { wrong.append("\(number)") }
                if screen.statusLine.contains("DAMAGED") { wrong.append(screen.statusLine) }
                return false
            }
            playing.expectEnd(.status(0))
            #expect(wrong.isEmpty, "\(wrong)")
            #expect(seen.map(\.picture).max() == last)
            // Nothing was lost for having been thought to be over.
            #expect(!playing.terminal.outputContains("were damaged"))
        }

        @Test func `pauses inside NAL units lose nothing`() throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let pieces = stride(from: 0, to: 12_000, by: 400).map {
                LiveWriter.Piece(bytes: bytes[$0..<$0 + 400], pause: .milliseconds(45))
            }
            let rest = LiveWriter.Piece(bytes: bytes[12_000...], pause: .milliseconds(45))
            let playing = try play(LiveWriter(pieces + [rest]))
            let seen = watch(playing).map(\.picture)
            playing.expectEnd(.status(0))
            #expect(seen.last == 99)
            #expect(!playing.terminal.outputContains("were damaged"))
        }

        @Test func `who joins late is told what is waited for`() throws {
            let pieces = try LiveWriter.accessUnits(
                TPlay.sample("baseline.264"), every: Self.picture)
            let late = Array(pieces[20...70])
            // What a camera repeats with each picture.
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let sets = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample("baseline.264")]))
                .filter { [7, 8].contains($0["type"] as? Int) }.prefix(2)
            let head = sets.compactMap { set -> ArraySlice<UInt8>? in
                guard let offset = set["offset"] as? Int, let code = set["start_code"] as? Int,
                    let count = set["bytes"] as? Int
                else { return nil }
                return bytes[offset..<offset + code + count]
            }
            let first = LiveWriter.Piece(bytes: ArraySlice(head.joined()), pause: .zero)
            let playing = try play(LiveWriter([first] + late))
            var words: [String] = []
            _ = watch(playing) { screen in
                if screen.statusLine.contains("random access"), words.last != screen.statusLine {
                    words.append(screen.statusLine)
                }
                return false
            }
            playing.expectEnd(.status(0))
            #expect(
                words.contains { $0.contains("waiting for a random access point, 2") }, "\(words)")
            #expect(playing.screen.statusNumber != nil)

            let any = try play(LiveWriter([first] + late), Self.fill + ["--from-any"])
            let seen = watch(any).map(\.picture)
            any.expectEnd(.status(0))
            #expect((seen.first ?? 99) < 10, "\(seen)")
        }

        @Test func `q ends the wait for a stream that does not come`() throws {
            let writer = try LiveWriter([], holdsOpen: true)
            let playing = try play(writer)
            playing.wait { $0.statusLine.contains("waiting for data") }
            playing.quit()
            writer.close()
        }

        @Test func `Ctrl-C ends the player and leaves the writer to itself`() throws {
            // Both in the foreground of the terminal, as a shell starts them; the writer minds SIGINT itself.
            let mark = try TemporaryFile([], suffix: ".txt")
            let script = """
                (trap 'echo INT >> \(mark.path)' INT; trap 'echo PIPE >> \(mark.path)' PIPE
                 cat \(TPlay.sample("baseline.264")); for i in 1 2 3 4 5 6 7 8; do sleep 0.5; done
                 echo END >> \(mark.path)) | \(TPlay.path) --renderer half --fit fill -
                """
            let playing = try Playing(size: .init(columns: 64, rows: 24), shell: script)
            playing.wait { ($0.statusNumber ?? 0) > 5 }
            playing.type("\u{3}")
            _ = playing.terminal.waitForExit(timeout: .seconds(20))
            #expect(playing.terminal.isAsFound)
            let told = try String(contentsOfFile: mark.path, encoding: .utf8)
            #expect(told.contains("END"), "\(told)")
        }

        // MARK: Files that grow

        @Test func `--follow goes on with what is written`() throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let file = try TemporaryFile(Array(bytes[..<15_000]))
            let playing = try Playing(Self.fill + ["--follow", file.path])
            playing.wait { $0.statusNumber != nil && $0.statusLine.contains("waiting for data") }
            let before = try #require(playing.screen.statusNumber)
            #expect(before < 99)
            let handle = try #require(FileHandle(forWritingAtPath: file.path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(bytes[15_000...]))
            playing.wait(picture: 99)
            #expect(playing.terminal.exit == nil)
            playing.type(",")
            playing.wait(picture: 98)
            playing.quit()
        }

        /// The last picture of a file is known to be the last only when nothing has come for a while.
        @Test(arguments: [("main.264", 3), ("b-pyramid.264", 8)])
        func `--follow shows each picture soon after it was written`(
            name: String, depth: Int
        ) throws {
            let pieces = try Self.beginning(of: name, every: Self.picture)
            try expectInThreeTries {
                let file = try TemporaryFile([])
                let writer = try LiveWriter(pieces, appendingTo: file.path)
                let playing = try Playing(Self.fill + ["--follow", file.path])
                playing.wait { $0.statusLine.contains("waiting") }
                writer.start()
                let seen = watch(playing) { $0.statusNumber == pieces.count - 1 }
                playing.quit()
                #expect(seen.map(\.picture) == seen.map(\.picture).sorted())
                #expect(seen.last?.picture == pieces.count - 1)
                if seen.count < 45 { return "seen \(seen.map(\.picture))" }
                let delays = seen.dropLast(3).compactMap { shown in
                    writer.time(of: shown.picture).map { shown.time - $0 }
                }.sorted()
                let median = delays[delays.count / 2]
                let most = Self.picture * depth + .milliseconds(250)
                return median < most ? nil : "after \(median)"
            }
        }

        @Test func `--follow begins with an empty file`() throws {
            let file = try TemporaryFile([])
            let playing = try Playing(Self.fill + ["--follow", file.path])
            playing.wait { $0.statusLine.contains("waiting for data") }
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            try Data(bytes).write(to: URL(filePath: file.path), options: [])
            playing.quit()
        }

        @Test func `a file that becomes shorter while it is followed is told in one line`() throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let file = try TemporaryFile(Array(bytes[..<15_000]))
            let playing = try Playing(Self.fill + ["--follow", file.path])
            playing.wait { $0.statusNumber != nil && $0.statusLine.contains("waiting for data") }
            #expect(truncate(file.path, 1000) == 0)
            _ = playing.terminal.waitForExit(timeout: .seconds(20))
            #expect(playing.terminal.outputContains("has become shorter"))
            #expect(playing.terminal.isAsFound)
        }
    }
}
