import Glibc
import TestSupport
import Testing

extension TPlayTests {
    /// Terminals that change their size all the time, take little, answer in pieces or never, and a user who hits every key.
    @Suite("Torture", .timeLimit(.minutes(Checkout.patience(3))))
    struct TortureTests {
        static let clip = TPlay.sample("main.264")
        static let size = PseudoTerminal.Size(columns: 64, rows: 24)
        /// Everything but what ends it, changes the renderer, or hides the picture.
        static let keys = [
            ".", ",", "3.", "2,", " ", "r", "\u{7F}", "[", "]", "{", "}", "l", "\u{1B}[C",
            "\u{1B}[D",
            "\u{1B}[A", "\u{1B}[B", "\u{1B}[H", "\u{1B}[F", "g5\r", "g1\r", "ii", "??",
            "\u{1B}[1;2C",
        ]

        /// A renderer, and how its terminal answers.
        struct Kind: CustomTestStringConvertible {
            var renderer: String
            var answers: PseudoTerminal.Answers
            var testDescription: String { renderer }
        }

        static let split = PseudoTerminal.Answers.plain.slowed(
            by: .milliseconds(30), byteInterval: .milliseconds(1))
        static let kinds = [
            Kind(renderer: "half", answers: split), Kind(renderer: "octant", answers: .mute),
            Kind(renderer: "braille", answers: split), Kind(renderer: "ascii", answers: .plain),
            Kind(
                renderer: "sixel",
                answers: .sixel.slowed(by: .milliseconds(5), byteInterval: .milliseconds(1))),
            Kind(renderer: "kitty", answers: .kitty.slowed(by: .milliseconds(20))),
        ]

        @Test(arguments: kinds)
        func `a flood of sizes, signals and keys leaves the right picture`(kind: Kind) throws {
            var random = SplitMix(seed: 7)
            let playing = try Playing(
                ["--loop", "inf", "--fit", "fill", "--renderer", kind.renderer, Self.clip],
                size: Self.size,
                answers: kind.answers)
            // Before that what is typed is echoed, and an Escape may come alone.
            playing.wait { $0.statusNumber != nil }
            flood(playing.terminal, &random)
            // Peace: all that was asked for is drawn for the size that it has now.
            playing.terminal.drainRate = nil
            playing.terminal.resize(to: Self.size)
            playing.terminal.run(for: .milliseconds(100))
            #expect(playing.terminal.exit == nil, "\(playing.terminal.output.suffix(300))")
            playing.terminal.run(for: .milliseconds(500))
            playing.wait { $0.columns == 64 && $0.statusNumber != nil }
            // A step pauses, whatever the keys before it left.
            playing.type(".")
            playing.wait { $0.statusLine.contains("paused") }
            playing.type("g37f\r")
            let screen = try #require(standing(playing))

            let other = try Playing(
                [
                    "--paused", "--start", "37f", "--fit", "fill", "--renderer", kind.renderer,
                    Self.clip,
                ],
                size: Self.size, answers: kind.answers)
            let expected = try #require(standing(other))
            let differing = zip(screen.cells, expected.cells).dropLast(64).enumerated()
                .filter { looks($0.element.0) != looks($0.element.1) }
            #expect(
                differing.isEmpty,
                """
                \(differing.count) cells, first \(String(describing: differing.first))
                \(screen.statusLine)
                \(expected.statusLine)
                """)
            playing.quit()
            other.quit()
        }

        /// Sizes and signals by the thousand, with keys among them and a reader that dawdles.
        private func flood(_ terminal: PseudoTerminal, _ random: inout SplitMix) {
            let odd = [(1, 1), (1000, 400), (2, 1), (1, 200), (500, 2), (64, 24), (0, 0), (65, 25)]
            for round in 0..<1500 where terminal.exit == nil {
                terminal.drainRate = [30_000, 2_000_000, 300_000][round / 100 % 3]
                if round % 4 == 0 {
                    var (columns, rows) = odd.randomElement(using: &random)!
                    if round % 3 == 0 {
                        columns = .random(in: 1...200, using: &random)
                        rows = .random(in: 1...60, using: &random)
                    }
                    let cell = [(8, 16), (0, 0), (7, 18), (1, 999)].randomElement(using: &random)!
                    terminal.resize(
                        to: .init(
                            columns: columns, rows: rows, cellWidth: cell.0, cellHeight: cell.1))
                } else {
                    terminal.send(signal: SIGWINCH)
                }
                if round % 9 == 0 { terminal.type(Self.keys.randomElement(using: &random)!) }
                terminal.run(for: .milliseconds(1))
            }
        }

        /// A cell in one of the ways that look the same: a pattern may come as its complement with the colours exchanged.
        private func looks(_ cell: TerminalScreen.Cell) -> TerminalScreen.Cell {
            var cell = cell
            switch cell.scalar {
            case " ": cell.foreground = cell.background
            case "█": (cell.scalar, cell.background) = (" ", cell.foreground)
            case "▄":
                cell.scalar = "▀"
                swap(&cell.foreground, &cell.background)
            case "\u{1CD00}"..."\u{1CEFF}", "\u{1FB00}"..."\u{1FBFF}", "▖"..."▟", "▁"..."▐":
                cell.scalar = "?"
                if cell.foreground > cell.background { swap(&cell.foreground, &cell.background) }
            default: break
            }
            return cell
        }

        /// The screen once picture 37 is there, and nothing more came for a while.
        private func standing(_ playing: Playing) -> TerminalScreen? {
            guard playing.wait(until: { $0.statusNumber == 37 }) else { return nil }
            var count = -1
            for _ in 0..<60 where count != playing.terminal.output.count {
                count = playing.terminal.output.count
                playing.terminal.run(for: .milliseconds(500))
            }
            playing.look { _ in }
            return playing.screen
        }
    }
}
