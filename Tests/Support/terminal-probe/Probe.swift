import Dispatch
import Glibc
import Synchronization
import Terminal

/// The things it does.
///
/// Each prints words that the tests wait for.
enum Probe {
    static func run(_ arguments: [String]) -> Int32 {
        var readsKeysElsewhere = false
        var words = arguments
        if words.first == "--keys-from-tty" {
            readsKeysElsewhere = true
            words.removeFirst()
        }
        do {
            let terminal = try Terminal(keysFromStandardInput: !readsKeysElsewhere)
            return try act(terminal, words)
        } catch {
            say("error: \(error)", on: STDERR_FILENO)
            return 1
        }
    }

    static func say(_ text: String, on descriptor: Int32 = STDERR_FILENO) {
        var text = text + "\n"
        text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func act(_ terminal: Terminal, _ words: [String]) throws -> Int32 {
        switch words.first ?? "" {
        case "size": say("\(terminal.size.columns)x\(terminal.size.rows)")
        case "hold": return try events(terminal)
        case "query":
            try terminal.enterScreen()
            terminal.requestCapabilities()
            let found = terminal.awaitCapabilities()
            report(found, terminal)
            return try events(terminal)
        case "link":
            try terminal.enterScreen()
            let bytes = [UInt8](repeating: 0x2E, count: 1000)
            terminal.writer.write(bytes, requestingStatus: true)
            terminal.writer.write(bytes, requestingStatus: true)
            return try events(terminal)
        case "query-and-leave":
            try terminal.enterScreen()
            terminal.requestCapabilities()
            terminal.leaveScreen()
        case "throw":
            try terminal.enterScreen()
            say("thrown away")
            throw TerminalError.noKeyboard
        case "exit":
            try terminal.enterScreen()
            exit(7)
        case "crash": try crash(terminal, words.count > 1 ? words[1] : "")
        case "flood": return try flood(terminal, Int(words.last!) ?? 0, rate: nil)
        case "rate": return try flood(terminal, 1 << 16, rate: Int(words.last!))
        default: say("what?")
        }
        return 0
    }

    /// Prints each event, until `q`.
    private static func events(_ terminal: Terminal) throws -> Int32 {
        try terminal.enterScreen()
        show(terminal, "ready")
        while true {
            for event in terminal.waitForEvents() {
                switch event {
                case .key(Key(.character("q"))):
                    terminal.leaveScreen()
                    return 0
                case .key(let key): show(terminal, "key \(name(key))")
                case .resize(let size): show(terminal, "resize \(size.columns)x\(size.rows)")
                case .suspend:
                    try terminal.suspend()
                    show(terminal, "resumed \(terminal.size.columns)x\(terminal.size.rows)")
                case .redraw: show(terminal, "redraw")
                case .signal(let signal):
                    terminal.leaveScreen()
                    SignalSet.end(by: signal)
                case .inputClosed: return 3
                case .capabilities(let found): report(found, terminal)
                case .linkReport(let report): show(terminal, "link \(report.byteCount)")
                case .wake: show(terminal, "wake")
                }
            }
        }
    }

    private static func name(_ key: Key) -> String {
        var text = ""
        if key.modifiers.contains(.control) { text += "C-" }
        if key.modifiers.contains(.alt) { text += "M-" }
        if key.modifiers.contains(.shift) { text += "S-" }
        if case .character(let scalar) = key.code { return text + String(scalar) }
        return text + "\(key.code)"
    }

    private static func show(_ terminal: Terminal, _ text: String) {
        terminal.writer.write(Array("<\(text)>\r\n".utf8))
    }

    private static func report(_ found: TerminalCapabilities, _ terminal: Terminal) {
        let cell = found.cellSize(at: terminal.size).map { "\($0.width)x\($0.height)" } ?? "-"
        show(
            terminal,
            "found answered=\(found.hasAnswered) sixel=\(found.hasSixel) "
                + "kitty=\(found.hasKittyGraphics) sync=\(found.hasSynchronizedOutput) cell=\(cell) "
                + "colors=\(found.colorDepth) via=\(found.multiplexer) "
                + "version=\(found.version ?? "-")")
    }

    private static func crash(_ terminal: Terminal, _ how: String) throws {
        try terminal.enterScreen()
        terminal.writer.write(Array("\u{1B}Pq#0;2;0;0;0#0~~".utf8))
        switch how {
        case "trap": fatalError("meant to be")
        case "segv": UnsafeMutablePointer<Int>(bitPattern: 16)!.pointee = 1
        case "overflow": say("\(recurse(1))")
        case "abort": abort()
        case "thread":
            DispatchQueue.global().async { fatalError("elsewhere") }
            sleep(20)
        default: raise(Int32(how) ?? SIGABRT)
        }
    }

    @inline(never)
    private static func recurse(_ depth: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: depth))
            return recurse(depth + 1) + Int(bytes[depth & 511])
        }
    }

    /// Writes pictures of so many bytes from a thread of its own until `q` or a signal; the main thread never
    /// waits for them.
    private static func flood(_ terminal: Terminal, _ byteCount: Int, rate: Int?) throws -> Int32 {
        try terminal.enterScreen()
        terminal.writer.setMaximumRate(rate)
        let picture =
            Array("\u{1B}[?2026h\u{1B}Pq".utf8) + [UInt8](repeating: 0x7E, count: byteCount)
            + Array("\u{1B}\\\u{1B}[?2026l".utf8)
        let flag = Flag()
        let end = DispatchSemaphore(value: 0)
        let writer = terminal.writer
        DispatchQueue.global().async {
            while !flag.isSet {
                switch writer.write(picture) {
                case .whole: break
                case .interrupted: usleep(1000)
                case .closed: flag.set()
                }
            }
            end.signal()
        }
        defer {
            flag.set()
            writer.interrupt()
            end.wait()
        }
        while true {
            for event in terminal.waitForEvents() {
                switch event {
                case .key(Key(.character("q"))):
                    terminal.leaveScreen()
                    return 0
                case .suspend: try terminal.suspend()
                case .signal(let signal):
                    terminal.leaveScreen()
                    SignalSet.end(by: signal)
                case .inputClosed: return 3
                default: break
                }
            }
        }
    }
}

/// A flag between threads.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
