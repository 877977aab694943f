import Glibc
import TestSupport
import Testing

/// Keys, answers, sizes, and the writer, on a real pseudo-terminal.
@Suite(
    "Terminal events", .tags(.pseudoTerminal), .serialized,
    .timeLimit(.minutes(Checkout.patience(10))))
struct TerminalEventTests {
    typealias Answers = PseudoTerminal.Answers

    private static func query(
        _ answers: Answers, environment: [String: String?] = [:],
        size: PseudoTerminal.Size = .init()
    ) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["query"], environment: environment,
            size: size, answers: answers)
        try #require(terminal.waitForOutput("<ready>"))
        return terminal
    }

    private static func quit(_ terminal: PseudoTerminal) {
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
        #expect(terminal.unreadInput == [], "nothing is left for the shell")
        #expect(!terminal.outputContains("<key"), "no answer was a key")
    }

    @Test func `sixel, kitty and plain terminals are told apart`() throws {
        let sixel = try Self.query(.sixel)
        #expect(sixel.outputContains("answered=true sixel=true kitty=false sync=false cell=8x16"))
        #expect(sixel.outputContains("version=XTerm(379)"))
        Self.quit(sixel)
        let kitty = try Self.query(.kitty)
        #expect(kitty.outputContains("answered=true sixel=false kitty=true sync=true cell=8x16"))
        #expect(kitty.outputContains("colors=trueColor"))
        Self.quit(kitty)
        let plain = try Self.query(.plain)
        #expect(plain.outputContains("answered=true sixel=false kitty=false sync=true cell=8x16"))
        #expect(plain.outputContains("colors=palette256"))
        Self.quit(plain)
    }

    @Test func `all questions go out in one run, DA1 last`() throws {
        let terminal = try Self.query(.sixel)
        #expect(terminal.answeredQueries.last == "\u{1B}[c")
        #expect(terminal.answeredQueries.count >= 7)
        Self.quit(terminal)
    }

    @Test func `a cell size is asked for where the kernel has none`() throws {
        let terminal = try Self.query(
            Answers.plain.adding(["\u{1B}[16t": "\u{1B}[6;20;10t"]),
            size: .init(cellWidth: 0, cellHeight: 0))
        #expect(terminal.outputContains("cell=10x20"))
        let mark = terminal.output.count
        terminal.answers.table["\u{1B}[16t"] = "\u{1B}[6;22;11t"
        terminal.resize(to: .init(columns: 70, rows: 20, cellWidth: 0, cellHeight: 0))
        #expect(terminal.waitForOutput("<resize 70x20>", from: mark))
        #expect(terminal.waitForOutput("cell=11x22", from: mark))
        Self.quit(terminal)
    }

    @Test func `tmux and screen are not asked what they would take for a title`() throws {
        for term in ["tmux-256color", "screen", "linux"] {
            let terminal = try Self.query(.plain, environment: ["TERM": term])
            #expect(!terminal.outputContains("\u{1B}_G"))
            if term == "linux" { #expect(!terminal.outputContains("\u{1B}[>0q")) }
            Self.quit(terminal)
        }
    }

    @Test func `a mute terminal costs a quarter of a second`() throws {
        let start = ContinuousClock.now
        let terminal = try Self.query(.mute)
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(terminal.outputContains("answered=false sixel=false"))
        // Escape is a key here too.
        let mark = terminal.output.count
        terminal.type("\u{1B}")
        #expect(terminal.waitForOutput("<key escape>", from: mark))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `late answers change what is known and are no keys`() throws {
        let terminal = try Self.query(Answers.sixel.slowed(by: .milliseconds(700)))
        #expect(terminal.outputContains("answered=false"))
        let mark = terminal.output.count
        #expect(terminal.waitForOutput("answered=true sixel=true", from: mark))
        Self.quit(terminal)
    }

    @Test func `answers in single bytes with pauses are no keys`() throws {
        let terminal = try Self.query(
            Answers(table: ["\u{1B}[c": "\u{1B}[?62;4;22c", "\u{1B}[>0q": "\u{1B}P>|slow\u{1B}\\"])
                .slowed(by: .zero, byteInterval: .milliseconds(120)))
        let mark = terminal.output.count
        #expect(terminal.waitForOutput("sixel=true", from: mark))
        #expect(terminal.outputContains("version=slow", from: mark))
        Self.quit(terminal)
    }

    @Test func `keys typed among the answers are kept`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["query"],
            answers: Answers.sixel.slowed(by: .milliseconds(100)))
        try #require(terminal.waitForOutput("\u{1B}[c"))
        terminal.type("a\u{1B}[C")
        #expect(terminal.waitForOutput("<key right>"))
        #expect(terminal.outputContains("<key a>"))
        #expect(terminal.outputContains("sixel=true"))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.unreadInput == [])
    }

    @Test(
        "leaving before the answers come leaves none for the shell",
        arguments: [Duration.zero, .milliseconds(150), .milliseconds(400)])
    func earlyLeave(delay: Duration) throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["query-and-leave"],
            answers: Answers.sixel.slowed(by: delay))
        #expect(terminal.waitForExit() == .status(0))
        terminal.run(for: .milliseconds(50))
        #expect(terminal.unreadInput == [])
        #expect(terminal.isAsFound)
    }

    @Test func `leaving a mute terminal is soon done`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["query-and-leave"], answers: .mute)
        let start = ContinuousClock.now
        #expect(terminal.waitForExit() == .status(0))
        #expect(ContinuousClock.now - start < .seconds(1.5))
        #expect(terminal.isAsFound)
    }

    @Test func `a thousand changes of size a second are few events, the last of them right`() throws
    {
        let terminal = try PseudoTerminal(PseudoTerminal.product("terminal-probe"), ["hold"])
        try #require(terminal.waitForOutput("<ready>"))
        let end = ContinuousClock.now + .milliseconds(500)
        var columns = 40
        while ContinuousClock.now < end {
            columns = columns >= 200 ? 40 : columns + 1
            terminal.resize(to: .init(columns: columns, rows: 24))
            terminal.run(for: .milliseconds(1))
        }
        terminal.resize(to: .init(columns: 123, rows: 45))
        #expect(terminal.waitForOutput("<resize 123x45>"))
        terminal.run(for: .milliseconds(100))
        let text = String(decoding: terminal.output, as: UTF8.self)
        let events = text.split(separator: "<resize ").count - 1
        #expect((2...45).contains(events), "\(events) events")
        Self.quit(terminal)
    }

    @Test func `a waiting program uses no processor time`() throws {
        let terminal = try PseudoTerminal(PseudoTerminal.product("terminal-probe"), ["hold"])
        try #require(terminal.waitForOutput("<ready>"))
        let (time, count) = (terminal.currentProcessorTime(), terminal.output.count)
        terminal.run(for: .seconds(1.5))
        #expect(terminal.currentProcessorTime() - time <= .milliseconds(10))
        #expect(terminal.output.count == count)
        Self.quit(terminal)
    }

    @Test("a terminal that takes nothing, or little, does not hold q up", arguments: [0, 32_000])
    func slowReader(rate: Int) throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["flood", "800000"])
        try #require(terminal.waitForOutput("\u{1B}Pq"))
        terminal.drainRate = rate
        terminal.run(for: .milliseconds(300))
        terminal.type("q")
        let start = ContinuousClock.now
        #expect(terminal.waitForExit(timeout: .seconds(5)) == .status(0))
        // The thread sanitizer sleeps for a second at the end.
        let limit = Duration.milliseconds(TerminalScreenTests.isSanitized ? 3000 : 800)
        #expect(ContinuousClock.now - start < limit)
        terminal.drainRate = nil
        terminal.run(for: .milliseconds(50))
        #expect(terminal.modes == terminal.modesAtStart)
        // What the terminal still held was thrown away, so its entering may be; its leaving may not.
        #expect(terminal.outputContains("\u{18}\u{1B}\\\u{1B}[?2026l"))
        #expect(terminal.isAsFound)
    }

    @Test func `a signal ends a stuck write too`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["flood", "800000"])
        try #require(terminal.waitForOutput("\u{1B}Pq"))
        terminal.drainRate = 0
        terminal.run(for: .milliseconds(200))
        terminal.send(signal: SIGTERM)
        #expect(terminal.waitForExit(timeout: .seconds(5)) == .signal(SIGTERM))
        #expect(terminal.modes == terminal.modesAtStart)
    }

    @Test func `whole pictures arrive whole`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["flood", "50000"])
        try #require(terminal.waitForOutput("\u{1B}[?1049h"))
        terminal.run(for: .milliseconds(300))
        terminal.type("\u{1A}")
        #expect(terminal.waitForStop() == SIGTSTP)
        #expect(terminal.isAsFound)
        terminal.continueProgram()
        terminal.run(for: .milliseconds(200))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
        let text = String(decoding: terminal.output, as: UTF8.self)
        let pictures = text.split(separator: "\u{1B}[?2026h").dropFirst()
        #expect(pictures.count > 1)
        for picture in pictures {
            let isWhole = picture.hasPrefix("\u{1B}Pq") && picture.utf8.count >= 50_000
            #expect(isWhole || picture.contains("\u{18}\u{1B}\\\u{1B}[?2026l"))
        }
    }

    @Test func `a status request is answered once, and no second one is on its way`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["link"],
            answers: Answers.plain.slowed(by: .milliseconds(200)))
        #expect(terminal.waitForOutput("<link "))
        terminal.run(for: .milliseconds(100))
        #expect(terminal.answeredQueries == ["\u{1B}[5n"])
        Self.quit(terminal)
    }

    @Test func `a limited rate is kept`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["rate", "200000"])
        try #require(terminal.waitForOutput("\u{1B}Pq"))
        terminal.run(for: .milliseconds(300))
        let (count, start) = (terminal.output.count, ContinuousClock.now)
        terminal.run(for: .seconds(2))
        let rate =
            Double(terminal.output.count - count) / ((ContinuousClock.now - start) / .seconds(1))
        // The limit itself is RateLimiterTests' matter: here a busy machine reads and wakes late, and
        // the kernel holds up to 20 KB.
        #expect((150_000...225_000).contains(rate), "\(rate)")
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }
}
