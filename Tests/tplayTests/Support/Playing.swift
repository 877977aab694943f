import TestSupport
import Testing

/// The program playing on a pseudo-terminal, with its screen read.
final class Playing {
    let terminal: PseudoTerminal
    private(set) var screen: TerminalScreen

    init(
        _ arguments: [String], size: PseudoTerminal.Size = .init(columns: 64, rows: 24),
        environment: [String: String?] = ["COLORTERM": "truecolor"],
        answers: PseudoTerminal.Answers = .plain, standardInput: PseudoTerminal.Stream = .terminal
    ) throws {
        terminal = try PseudoTerminal(
            TPlay.path, arguments, environment: environment, size: size, answers: answers,
            standardInput: standardInput)
        screen = TerminalScreen(columns: size.columns, rows: size.rows)
    }

    /// A line of a shell that starts the program.
    init(size: PseudoTerminal.Size, shell: String) throws {
        terminal = try PseudoTerminal(
            "/bin/bash", ["-c", shell], environment: ["COLORTERM": "truecolor"], size: size,
            answers: .plain)
        screen = TerminalScreen(columns: size.columns, rows: size.rows)
    }

    /// Plays the terminal until the screen is as wanted.
    @discardableResult
    func wait(
        timeout: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
        until condition: (TerminalScreen) -> Bool
    ) -> Bool {
        let isReached = terminal.run(
            until: {
                screen.update(terminal)
                return condition(screen) || terminal.exit != nil
            }, timeout: timeout)
        let isRight = isReached && condition(screen)
        #expect(
            isRight,
            "status line: \(screen.statusLine), counter \(String(describing: screen.counter))",
            sourceLocation: sourceLocation)
        return isRight
    }

    /// Waits for a picture, named by the status line and burnt into the picture.
    func wait(picture: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        wait(sourceLocation: sourceLocation) { $0.statusNumber == picture && $0.counter == picture }
    }

    /// Looks at the screen as it is.
    func look(_ body: (TerminalScreen) -> Void) {
        screen.update(terminal)
        body(screen)
    }

    func type(_ keys: String) { terminal.type(keys) }

    /// Quits, and checks that all is as it was.
    func quit(sourceLocation: SourceLocation = #_sourceLocation) {
        if terminal.exit == nil { type("q") }
        expectEnd(.status(0), sourceLocation: sourceLocation)
    }

    func expectEnd(
        _ exit: PseudoTerminal.Exit, timeout: Duration = .seconds(40),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = terminal.waitForExit(timeout: timeout)
        #expect(found == exit, "\(screen.statusLine)", sourceLocation: sourceLocation)
        #expect(terminal.isAsFound, "\(terminal.modes)", sourceLocation: sourceLocation)
        #expect(terminal.unreadInput.isEmpty, sourceLocation: sourceLocation)
        screen.update(terminal)
        #expect(screen.unknown.isEmpty, sourceLocation: sourceLocation)
    }
}
