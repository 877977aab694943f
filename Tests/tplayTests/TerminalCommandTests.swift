import TestSupport
import Testing

extension TPlayTests {
    @Suite("--probe-terminal and --test-pattern", .timeLimit(.minutes(Checkout.patience(5))))
    struct TerminalCommandTests {
        private func run(_ option: String, _ answers: PseudoTerminal.Answers) throws -> Playing {
            let playing = try Playing([option], answers: answers)
            playing.expectEnd(.status(0))
            return playing
        }

        @Test(arguments: [
            (PseudoTerminal.Answers.sixel, "sixel           yes", "renderer        sixel"),
            (.plain, "sixel           no (DA1 lacks 4)", "renderer        half"),
            (.mute, "answers         none within 1 s", "renderer        half"),
        ])
        func `a probe tells what was answered, and what that means`(
            answers: PseudoTerminal.Answers, found: String, meaning: String
        ) throws {
            let playing = try run("--probe-terminal", answers)
            #expect(playing.terminal.outputContains(found))
            #expect(playing.terminal.outputContains(meaning))
            #expect(playing.terminal.outputContains("size            64 x 24 cells"))
        }

        @Test func `a pattern has sixels where the terminal shows them`() throws {
            #expect(
                try run("--test-pattern", .sixel).terminal.outputContains("\u{1B}P7;1q"))
            #expect(
                try !run("--test-pattern", .plain).terminal.outputContains("\u{1B}P7;1q"))
        }

        @Test func `where there is no terminal a probe says so, and a pattern is text`() {
            TPlay.expectComplaint(
                TPlay.run(["--probe-terminal"]), status: 1,
                naming: ["--probe-terminal", "no terminal"])
            let pattern = TPlay.run(["--test-pattern"])
            #expect(pattern.status == 0)
            #expect(pattern.lines.count > 30)
            TPlay.expectComplaint(
                TPlay.run(["--test-pattern", TPlay.sample("main.264")]), status: 2,
                naming: ["--test-pattern", "FILE"])
        }
    }
}
