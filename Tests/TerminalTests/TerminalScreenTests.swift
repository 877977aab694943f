import CTerminalShims
import Glibc
import TestSupport
import Testing

extension Tag {
    /// Runs a program on a pseudo-terminal.
    @Tag static var pseudoTerminal: Self
}

/// What a program leaves behind, however it ends.
@Suite(
    "Terminal screen", .tags(.pseudoTerminal), .serialized,
    .timeLimit(.minutes(Checkout.patience(10))))
struct TerminalScreenTests {
    static func start(
        _ words: String..., term: String = "xterm-256color",
        answers: PseudoTerminal.Answers = .plain
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), words, environment: ["TERM": term],
            answers: answers)
    }

    static func ready(_ words: String...) throws -> PseudoTerminal {
        let terminal = try start(words.first ?? "hold")
        try #require(terminal.waitForOutput("<ready>"))
        return terminal
    }

    @Test func `the screen is taken while it is used`() throws {
        let terminal = try Self.ready()
        #expect(!terminal.modes.isCanonical && !terminal.modes.echoes)
        #expect(terminal.isOn(mode: 1049))
        #expect(!terminal.isOn(mode: 25, atFirst: true))
        #expect(!terminal.isOn(mode: 7, atFirst: true))
        #expect(!terminal.isAsFound)
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `a thrown error puts the terminal back and is told on the normal screen`() throws {
        let terminal = try Self.start("throw")
        #expect(terminal.waitForExit() == .status(1))
        #expect(terminal.isAsFound)
        let text = String(decoding: terminal.output, as: UTF8.self)
        let after = text.split(separator: "\u{1B}[?1049l").last ?? ""
        #expect(
            after.contains("thrown away") || Self.isSanitized,
            "held back while the screen was taken")
        #expect(after.contains("error: there is no terminal to read keys from"))
    }

    @Test func `exit puts the terminal back`() throws {
        let terminal = try Self.start("exit")
        #expect(terminal.waitForExit() == .status(7))
        #expect(terminal.isAsFound)
    }

    @Test(
        "a signal puts the terminal back and is what the process ends by",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signal(number: Int32) throws {
        let terminal = try Self.ready()
        terminal.send(signal: number)
        #expect(terminal.waitForExit() == .signal(number))
        #expect(terminal.isAsFound)
    }

    @Test("keys that are signals", arguments: [("\u{03}", SIGINT), ("\u{1C}", SIGQUIT)])
    func signalKey(key: String, number: Int32) throws {
        let terminal = try Self.ready()
        terminal.type(key)
        #expect(terminal.waitForExit() == .signal(number))
        #expect(terminal.isAsFound)
    }

    @Test(
        "a crash puts the terminal back, says why, and keeps its status",
        arguments: ["trap", "segv", "overflow", "abort", "thread"])
    func crash(how: String) throws {
        let terminal = try Self.start("crash", how)
        let exit = try #require(terminal.waitForExit())
        switch how {
        case "segv", "overflow":
            #expect(exit == .signal(SIGSEGV) || Self.isReport(exit))
        case "abort": #expect(exit == .signal(SIGABRT))
        default: #expect(exit == .signal(SIGILL) || exit == .signal(SIGTRAP))
        }
        #expect(terminal.isAsFound)
        #expect(terminal.outputContains("\u{18}\u{1B}\\"), "the picture begun was ended")
        if how == "trap", !Self.isSanitized {
            let text = String(decoding: terminal.output, as: UTF8.self)
            #expect((text.split(separator: "\u{1B}[?1049l").last ?? "").contains("meant to be"))
        }
    }

    /// A sanitizer makes its report of a fault and exits by itself, and keeps standard error.
    static let isSanitized = terminal_is_sanitized() != 0

    /// The statuses are those of the address and the thread sanitizer.
    private static func isReport(_ exit: PseudoTerminal.Exit?) -> Bool {
        isSanitized && (exit == .status(1) || exit == .status(66))
    }

    @Test("fault signals from outside", arguments: [SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSEGV])
    func fault(number: Int32) throws {
        let terminal = try Self.ready()
        terminal.send(signal: number)
        let exit = terminal.waitForExit()
        let mayBeReported = [SIGSEGV, SIGBUS, SIGFPE].contains(number)
        #expect(exit == .signal(number) || mayBeReported && Self.isReport(exit))
        #expect(terminal.isAsFound)
    }

    @Test func `Ctrl-Z gives the terminal back, and fg takes it again at its new size`() throws {
        let terminal = try Self.ready()
        for round in 1...2 {
            terminal.type("\u{1A}")
            #expect(terminal.waitForStop() == SIGTSTP)
            #expect(terminal.isAsFound)
            let mark = terminal.output.count
            terminal.resize(to: .init(columns: 90 + round, rows: 30))
            terminal.continueProgram()
            #expect(terminal.waitForOutput("<resumed \(90 + round)x30>", from: mark))
            #expect(terminal.isOn(mode: 1049) && !terminal.modes.isCanonical)
            terminal.run(for: .milliseconds(50))
            #expect(!terminal.outputContains("<redraw>", from: mark), "one thing, told once")
        }
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `bg does not get the terminal, fg afterwards does`() throws {
        let terminal = try Self.ready()
        terminal.type("\u{1A}")
        #expect(terminal.waitForStop() == SIGTSTP)
        terminal.continueProgram(inForeground: false)
        #expect(terminal.waitForStop() == SIGTTOU)
        #expect(terminal.isAsFound)
        let mark = terminal.output.count
        terminal.continueProgram()
        #expect(terminal.waitForOutput("<resumed", from: mark))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `after SIGSTOP and fg the screen is taken again and drawn again`() throws {
        let terminal = try Self.ready()
        terminal.send(signal: SIGSTOP)
        #expect(terminal.waitForStop() == SIGSTOP)
        let mark = terminal.output.count
        terminal.continueProgram()
        #expect(terminal.waitForOutput("<redraw>", from: mark))
        #expect(terminal.outputContains("\u{1B}[?1049h", from: mark))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `stopped and then terminated, it ends`() throws {
        let terminal = try Self.ready()
        terminal.type("\u{1A}")
        #expect(terminal.waitForStop() == SIGTSTP)
        terminal.send(signal: SIGTERM)
        terminal.continueProgram()
        #expect(terminal.waitForExit() == .signal(SIGTERM))
        #expect(terminal.isAsFound)
    }

    @Test("a closed terminal ends the program quietly", arguments: ["hold", "flood"])
    func closed(word: String) throws {
        let terminal = try Self.start(word, "100000")
        try #require(terminal.waitForOutput("\u{1B}[?1049h"))
        terminal.run(for: .milliseconds(100))
        terminal.hangUp()
        let exit = try #require(terminal.waitForExit())
        #expect(exit == .signal(SIGHUP) || exit == .status(3))
    }

    @Test func `where standard output is no terminal there is an error and no sequence`() throws {
        let pipe = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["hold"], standardOutput: .file("/dev/null"))
        #expect(pipe.waitForExit() == .status(1))
        #expect(pipe.outputContains("error: standard output is not a terminal"))
        #expect(!pipe.outputContains("\u{1B}"))
        #expect(pipe.isAsFound)
    }

    @Test("dumb terminals are refused", arguments: ["dumb", ""])
    func dumb(term: String) throws {
        let terminal = try Self.start("hold", term: term)
        #expect(terminal.waitForExit() == .status(1))
        #expect(terminal.outputContains("error: TERM"))
        #expect(!terminal.outputContains("\u{1B}"))
    }

    @Test func `with the clip on standard input the keys come from the terminal`() throws {
        let terminal = try PseudoTerminal(
            PseudoTerminal.product("terminal-probe"), ["--keys-from-tty", "hold"],
            standardInput: .file("/dev/zero"))
        try #require(terminal.waitForOutput("<ready>"))
        terminal.type("x")
        #expect(terminal.waitForOutput("<key x>"))
        terminal.type("q")
        #expect(terminal.waitForExit() == .status(0))
        #expect(terminal.isAsFound)
    }

    @Test func `the shell's descriptors stay blocking`() throws {
        let terminal = try Self.ready()
        for descriptor in 0...2 {
            let path = "/proc/\(terminal.processID)/fdinfo/\(descriptor)"
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = fread(&bytes, 1, bytes.count, file)
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            // Standard error is the file that holds errors back meanwhile.
            let line = text.split(separator: "\n").first { $0.hasPrefix("flags:") }
            let flags = line.flatMap { Int32($0.split(separator: "\t").last ?? "", radix: 8) }
            #expect(flags.map { $0 & O_NONBLOCK } == 0)
        }
    }
}
