import Terminal

/// A terminal as it answered, with the screen given back.
struct FoundTerminal {
    var capabilities: TerminalCapabilities
    var size: TerminalSize
    var cellSize: TerminalPixelSize?

    /// Asks the terminal of standard output what it is.
    ///
    /// - Throws: ``TerminalError`` where there is none, or none that can be drawn on.
    static func ask() throws(TerminalError) -> FoundTerminal {
        SignalSet.block()
        let terminal = try Terminal()
        // Answers would be echoed otherwise.
        try terminal.enterScreen()
        defer { terminal.leaveScreen() }
        terminal.requestCapabilities()
        let capabilities = terminal.awaitCapabilities(timeout: .seconds(1))
        return FoundTerminal(
            capabilities: capabilities, size: terminal.size, cellSize: terminal.cellSize)
    }
}
