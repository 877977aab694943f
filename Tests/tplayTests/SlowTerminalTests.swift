import TestSupport
import Testing

extension TPlayTests {
    /// Terminals that take few bytes, or say nothing.
    @Suite("Slow terminals", .timeLimit(.minutes(Checkout.patience(3))))
    struct SlowTerminalTests {
        /// 24 pictures a second of 144 KB each.
        static let clip = TPlay.sample("showpiece.264")
        static let size = PseudoTerminal.Size(columns: 160, rows: 45)

        private func play(
            _ arguments: [String], rate: Int?, answers: PseudoTerminal.Answers = .plain
        ) throws -> Playing {
            let playing = try Playing(
                arguments + ["--fit", "fill", Self.clip], size: Self.size, answers: answers)
            playing.terminal.drainRate = rate
            return playing
        }

        /// Plays to the end; the pictures seen and the seconds from the first on.
        private func watch(_ playing: Playing) -> (pictures: Int, seconds: Double, said: Bool) {
            var seen: Set<Int> = []
            var first: ContinuousClock.Instant?
            var hasSaid = false
            playing.terminal.run(
                until: {
                    playing.look { screen in
                        guard let number = screen.statusNumber else { return }
                        first = first ?? .now
                        seen.insert(number)
                        if screen.statusLine.contains("link") { hasSaid = true }
                    }
                    return playing.terminal.exit != nil
                }, timeout: .seconds(30))
            let seconds = first.map { (ContinuousClock.now - $0) / .seconds(1) } ?? 0
            return (seen.count, seconds, hasSaid)
        }

        /// Waits until the status line has told for a while of nothing that is left out.
        private func waitForAll(of number: Int?, _ playing: Playing) {
            var rounds = 0
            for _ in 0..<400 where rounds < 6 {
                playing.terminal.run(for: .milliseconds(50))
                playing.look { screen in
                    let isRight = number == nil || screen.statusNumber == number
                    rounds = isRight && !screen.statusLine.contains("link") ? rounds + 1 : 0
                }
            }
            #expect(rounds == 6, "\(playing.screen.statusLine)")
        }

        // 96 pictures in 4 s. The machine may be busy with something else: the best of three counts.
        @Test(
            .measuresTime,
            arguments: [
                (2_000_000, 86), (250_000, 45), (32_000, 20),
            ])
        func `the time is kept, and most pictures are shown`(rate: Int, least: Int) throws {
            var results: [(pictures: Int, seconds: Double, said: Bool)] = []
            func isRight(_ result: (pictures: Int, seconds: Double, said: Bool)) -> Bool {
                result.pictures >= least && abs(result.seconds - 4) < 0.25
            }
            for _ in 0..<3 where !results.contains(where: isRight) {
                let playing = try play(["--until", "96f", "--start", "1f"], rate: rate)
                results.append(watch(playing))
                playing.terminal.run(for: .milliseconds(500))
                playing.expectEnd(.status(0))
            }
            #expect(results.contains(where: isRight), "\(results)")
            // And the status line says what is left out.
            #expect(!results.contains { !$0.said })
        }

        @Test func `a terminal that takes all is sent all`() throws {
            try expectInThreeTries {
                let exact = try exactCount()
                return exact > 20 ? nil : "\(exact) pictures"
            }
        }

        private func exactCount() throws -> Int {
            let playing = try play(["--until", "72f"], rate: nil)
            var exact = 0
            playing.terminal.run(
                until: {
                    playing.look {
                        if $0.statusNumber ?? 0 > 8, !$0.statusLine.contains("link") { exact += 1 }
                    }
                    return playing.terminal.exit != nil
                }, timeout: .seconds(20))
            playing.expectEnd(.status(0))
            return exact
        }

        @Test(.measuresTime, arguments: [[], ["--renderer", "sixel"], ["--untimed"]])
        func `q ends within 300 ms at 32 KB a second`(options: [String]) throws {
            var best = Duration.seconds(100)
            for _ in 0..<3 where best > .milliseconds(300) {
                let playing = try play(options, rate: 32_000, answers: .sixel)
                playing.terminal.run(for: .seconds(1))
                let begin = ContinuousClock.now
                playing.type("q")
                playing.terminal.drainRate = 32_000
                _ = playing.terminal.waitForExit(timeout: .seconds(10))
                best = min(best, ContinuousClock.now - begin)
                playing.terminal.run(for: .milliseconds(500))
                // Nothing is left half-written: the terminal's modes are back, and no question is open.
                playing.expectEnd(.status(0))
            }
            #expect(best <= .milliseconds(300))
        }

        @Test(.measuresTime) func `a key shows within 300 ms at 32 KB a second`() throws {
            var best = Duration.seconds(100)
            for _ in 0..<3 where best > .milliseconds(300) {
                let playing = try play([], rate: 32_000)
                playing.terminal.run(for: .milliseconds(1500))
                var worst = Duration.zero
                for word in ["paused", "1x", "paused"] {
                    let begin = ContinuousClock.now
                    playing.type(" ")
                    playing.wait(timeout: .seconds(5)) { $0.statusLine.contains(word) }
                    worst = max(worst, ContinuousClock.now - begin)
                    playing.terminal.run(for: .milliseconds(500))
                }
                best = min(best, worst)
                // What is on its way is read to its end.
                playing.terminal.drainRate = nil
                playing.quit()
            }
            #expect(best <= .milliseconds(300))
        }

        @Test(arguments: [200_000, 60_000])
        func `a picture that stands still is completed to the exact one`(rate: Int) throws {
            let fast = try play(["--paused", "--start", "40f", "--renderer", "half"], rate: nil)
            let slow = try play(["--paused", "--start", "40f", "--renderer", "half"], rate: rate)
            for number in 40...42 {
                if number > 40 {
                    fast.type(".")
                    slow.type(".")
                }
                waitForAll(of: number, fast)
                waitForAll(of: number, slow)
                var wanted: [TerminalScreen.Cell] = []
                fast.look { wanted = Array($0.cells.prefix(160 * 44)) }
                slow.look { screen in
                    let wrong = zip(screen.cells, wanted).count { !$0.looksLike($1) }
                    #expect(wrong == 0, "picture \(number)")
                }
            }
            fast.quit()
            slow.terminal.drainRate = nil
            slow.quit()
        }

        @Test func `what plays on a slow link and is paused is completed`() throws {
            let playing = try play(["--renderer", "half"], rate: 250_000)
            playing.wait { $0.statusLine.contains("link") && $0.statusNumber ?? 0 > 20 }
            playing.type(" ")
            playing.wait { $0.statusLine.contains("paused") }
            waitForAll(of: nil, playing)
            // And then nothing more is sent.
            playing.terminal.run(for: .milliseconds(500))
            let count = playing.terminal.output.count
            playing.terminal.run(for: .seconds(1))
            #expect(playing.terminal.output.count == count)
            playing.terminal.drainRate = nil
            playing.quit()
        }

        @Test(.measuresTime, arguments: [nil, 2_000_000, 100_000])
        func `a mute terminal stalls nothing`(rate: Int?) throws {
            let playing = try play(["--until", "96f", "--start", "1f"], rate: rate, answers: .mute)
            let (pictures, seconds, _) = watch(playing)
            playing.terminal.run(for: .milliseconds(500))
            playing.expectEnd(.status(0))
            #expect(pictures >= 20)
            #expect(seconds > 3 && seconds < 5.5)
        }

        @Test(.measuresTime)
        func `a terminal that answers the first question alone stalls nothing`() throws {
            var answers = PseudoTerminal.Answers.plain
            answers.table["\u{1B}[5n"] = nil
            let playing = try play(
                ["--until", "96f", "--start", "1f"], rate: nil, answers: answers)
            let (pictures, seconds, _) = watch(playing)
            playing.expectEnd(.status(0))
            #expect(pictures >= 60)
            #expect(seconds > 3 && seconds < 5)
        }

        @Test(arguments: [
            ["--max-rate", "100K", "--renderer", "sixel"],
            ["--max-rate", "100K", "--renderer", "half", "--untimed"],
            ["--max-rate=40K"],
        ])
        func `--max-rate is kept within 5 % over any two seconds`(options: [String]) throws {
            try expectInThreeTries {
                let limit = options.contains("100K") ? 102_400.0 : 40_960.0
                let fullest = try fullest(options, limit)
                // What is asked for is also used where there is more to send than that.
                let least = options.count > 1 ? 0.95 : 0
                return (least...1.05).contains(fullest) ? nil : "\(fullest) of the limit"
            }
        }

        /// The share of a limit that was written in the fullest two seconds.
        private func fullest(_ options: [String], _ limit: Double) throws -> Double {
            let playing = try play(options, rate: nil, answers: .sixel)
            var samples: [(time: ContinuousClock.Instant, count: Int)] = []
            playing.terminal.run(
                until: {
                    samples.append((.now, playing.terminal.output.count))
                    return false
                }, timeout: .seconds(6))
            playing.type("q")
            playing.expectEnd(.status(0))
            var end = 0
            var fullest = 0.0
            for start in samples.indices {
                while end + 1 < samples.count,
                    samples[end + 1].time - samples[start].time <= .seconds(2)
                { end += 1 }
                let count = Double(samples[end].count - samples[start].count)
                fullest = max(fullest, count / (2 * limit))
            }
            return fullest
        }
    }
}

extension TerminalScreen.Cell {
    /// Whether the two look the same, however they are drawn.
    func looksLike(_ other: TerminalScreen.Cell) -> Bool { halves == other.halves }

    private var halves: [UInt32] {
        switch scalar {
        case "▀": [foreground, background]
        case "▄": [background, foreground]
        case "█": [foreground, foreground]
        default: [background, background]
        }
    }
}
