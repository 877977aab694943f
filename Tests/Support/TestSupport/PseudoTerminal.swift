import CPseudoTerminal
import Glibc

/// A program running on a pseudo-terminal, under a small shell with job control, for tests of the command line.
///
/// The test plays the terminal. Nothing runs in the background: output is read, and queries are answered, only
/// inside ``run(for:)``, ``run(until:timeout:)`` and the functions that wait. A test that does not call them is a
/// terminal that takes nothing (the kernel then holds some 20 KB). Not for use from several threads.
///
/// ```swift
/// let terminal = try PseudoTerminal(PseudoTerminal.product("tplay"), ["clip.264"])
/// #expect(terminal.waitForOutput("\u{1B}[?1049h"))
/// terminal.type("q")
/// #expect(terminal.waitForExit() == .status(0))
/// #expect(terminal.isAsFound)
/// ```
public final class PseudoTerminal {
    /// Cells, and pixels in a cell.
    public struct Size: Hashable, Sendable {
        /// Cells across.
        public var columns: Int
        /// Cells down.
        public var rows: Int
        /// Pixels across a cell; 0 for a terminal that does not tell.
        public var cellWidth: Int
        /// Pixels down a cell.
        public var cellHeight: Int

        /// A size.
        public init(columns: Int = 80, rows: Int = 24, cellWidth: Int = 8, cellHeight: Int = 16) {
            (self.columns, self.rows) = (columns, rows)
            (self.cellWidth, self.cellHeight) = (cellWidth, cellHeight)
        }
    }

    /// How the terminal answers queries.
    public struct Answers: Sendable {
        /// What is answered to what; the longest query that matches counts.
        ///
        /// In an answer the words ROWS, COLUMNS, CELLHEIGHT, CELLWIDTH, HEIGHT, WIDTH stand for
        /// the size at that time.
        public var table: [String: String]
        /// How long an answer takes to come back.
        public var delay: Duration = .zero
        /// The pause between the bytes of an answer; nil sends it whole.
        public var byteInterval: Duration?

        /// Answers of one's own.
        public init(
            table: [String: String], delay: Duration = .zero, byteInterval: Duration? = nil
        ) {
            (self.table, self.delay, self.byteInterval) = (table, delay, byteInterval)
        }

        /// Answers nothing.
        public static let mute = Answers(table: [:])

        /// A terminal of today with neither sixel nor kitty graphics.
        public static let plain = Answers(table: [
            "\u{1B}[c": "\u{1B}[?62;22c",
            "\u{1B}[>c": "\u{1B}[>1;4000;0c",
            "\u{1B}[>0q": "\u{1B}P>|plain(1.0)\u{1B}\\",
            "\u{1B}[?2026$p": "\u{1B}[?2026;2$y",
            "\u{1B}[16t": "\u{1B}[6;CELLHEIGHT;CELLWIDTHt",
            "\u{1B}[14t": "\u{1B}[4;HEIGHT;WIDTHt",
            "\u{1B}[18t": "\u{1B}[8;ROWS;COLUMNSt",
            "\u{1B}[5n": "\u{1B}[0n",
        ])

        /// xterm in VT340 mode: sixel with 256 registers, 1000 × 1000 at most.
        public static let sixel = plain.adding([
            "\u{1B}[c": "\u{1B}[?63;1;2;4;6;9;15;22c",
            "\u{1B}[>0q": "\u{1B}P>|XTerm(379)\u{1B}\\",
            "\u{1B}[?2026$p": "\u{1B}[?2026;0$y",
            "\u{1B}[?1;1;0S": "\u{1B}[?1;0;256S",
            "\u{1B}[?2;1;0S": "\u{1B}[?2;0;1000;1000S",
            "\u{1B}[?1;4;0S": "\u{1B}[?1;0;1024S",
        ])

        /// The kitty terminal.
        public static let kitty = plain.adding([
            "\u{1B}[>0q": "\u{1B}P>|kitty(0.35.2)\u{1B}\\",
            "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\": "\u{1B}_Gi=31;OK\u{1B}\\",
        ])

        /// These answers, with some added or replaced.
        public func adding(_ more: [String: String]) -> Answers {
            var result = self
            result.table.merge(more) { _, new in new }
            return result
        }

        /// These answers, later or in single bytes.
        public func slowed(by delay: Duration, byteInterval: Duration? = nil) -> Answers {
            Answers(table: table, delay: delay, byteInterval: byteInterval)
        }
    }

    /// Where one of the program's standard descriptors leads.
    public enum Stream: Sendable {
        /// The terminal.
        case terminal
        /// A file, opened for reading as standard input and for writing, emptied, otherwise.
        case file(String)
        /// A descriptor of the caller, who closes it.
        case descriptor(Int32)
    }

    /// How the program ended.
    public enum Exit: Hashable, Sendable {
        /// By itself, with this status.
        case status(Int32)
        /// By this signal.
        case signal(Int32)
    }

    /// Why no program runs.
    public struct StartError: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    /// How queries are answered from now on.
    public var answers: Answers
    /// At most so many bytes a second are read from the program; nil reads all there is.
    public var drainRate: Int?
    /// All that was read from the program so far.
    public private(set) var output: [UInt8] = []
    /// The present size.
    public private(set) var size: Size
    /// How the program ended; nil while it runs.
    public private(set) var exit: Exit?
    /// The signal that stopped the program; nil while it runs.
    public private(set) var stopSignal: Int32?
    /// User and system time of the program until it last stopped or ended.
    public private(set) var processorTime: Duration = .zero
    /// Peak memory of the program, in bytes, until it last stopped or ended.
    public private(set) var peakMemory = 0
    /// The program's process, which leads a group of its own.
    public private(set) var processID: Int32 = 0
    /// The modes before the program started.
    public let modesAtStart: TerminalModes
    /// Queries the program has sent, in order, answered or not known.
    public private(set) var answeredQueries: [String] = []

    private var terminal = pseudo_terminal()
    private var scanned = 0
    private var due: [(time: ContinuousClock.Instant, bytes: [UInt8])] = []
    private var allowance = 0.0
    private var lastPump: ContinuousClock.Instant

    /// Starts a program.
    ///
    /// The environment is the test's own with `TERM=xterm-256color`, without what tells of the terminal the tests
    /// run in (`COLORTERM`, `TMUX`, `STY`, `COLUMNS`, `LINES`, …), and then `environment`, where nil removes.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
        directory: String? = nil, size: Size = Size(), answers: Answers = .plain,
        drainRate: Int? = nil, standardInput: Stream = .terminal,
        standardOutput: Stream = .terminal, standardError: Stream = .terminal
    ) throws {
        guard access(program, X_OK) == 0 else {
            throw StartError(description: "\(program) cannot be executed")
        }
        self.size = size
        self.answers = answers
        self.drainRate = drainRate
        lastPump = .now

        var variables = Self.ownEnvironment()
        for name in Self.hiddenVariables { variables[name] = nil }
        variables["TERM"] = "xterm-256color"
        for (name, value) in environment { variables[name] = value }

        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        func descriptor(_ stream: Stream, _ flags: Int32) throws -> Int32 {
            switch stream {
            case .terminal: return -1
            case .descriptor(let descriptor): return descriptor
            case .file(let path):
                let descriptor = open(path, flags | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else {
                    throw StartError(description: "\(path): \(String(cString: strerror(errno)))")
                }
                opened.append(descriptor)
                return descriptor
            }
        }
        let input = try descriptor(standardInput, O_RDONLY)
        let output = try descriptor(standardOutput, O_WRONLY | O_CREAT | O_TRUNC)
        let error = try descriptor(standardError, O_WRONLY | O_CREAT | O_TRUNC)

        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") }
        words.append(nil)
        settings.append(nil)
        defer { for string in words + settings { free(string) } }
        let result = pseudo_terminal_start(
            program, words, settings, directory, Int32(size.columns), Int32(size.rows),
            Int32(size.columns * size.cellWidth), Int32(size.rows * size.cellHeight), input, output,
            error, &terminal)
        guard result == 0 else {
            throw StartError(description: "no terminal: \(String(cString: strerror(errno)))")
        }
        modesAtStart = TerminalModes(terminal.modes)
        guard run(until: { processID != 0 }, timeout: .seconds(20)) else {
            throw StartError(description: "\(program) did not start")
        }
    }

    deinit {
        if exit == nil, processID > 0 { kill(-processID, SIGKILL) }
        pseudo_terminal_end(&terminal)
    }

    // MARK: Acting

    /// Types: the bytes reach the program as if from the keyboard.
    public func type(_ keys: String) { type(Array(keys.utf8)) }

    /// Types bytes.
    public func type(_ keys: [UInt8]) {
        keys.withUnsafeBytes { _ = Glibc.write(terminal.master, $0.baseAddress, $0.count) }
    }

    /// Sends the program a signal, to it alone as kill(1) does.
    public func send(signal: Int32) { if exit == nil { kill(processID, signal) } }

    /// Changes the terminal's size; the program gets SIGWINCH.
    public func resize(to size: Size) {
        self.size = size
        _ = pseudo_terminal_resize(
            terminal.master, Int32(size.columns), Int32(size.rows),
            Int32(size.columns * size.cellWidth), Int32(size.rows * size.cellHeight))
    }

    /// Continues a stopped program, as `fg` does, or `bg`.
    public func continueProgram(inForeground: Bool = true) {
        stopSignal = nil
        var command = UInt8(ascii: inForeground ? "c" : "b")
        _ = Glibc.write(terminal.commands, &command, 1)
    }

    /// Closes the terminal's side, as a terminal window that is closed or a connection that is lost.
    public func hangUp() {
        close(terminal.master)
        terminal.master = -1
        // The shell's and the program's ends go with them; ours would keep the terminal half alive.
        close(terminal.slave)
        terminal.slave = -1
    }

    // MARK: Waiting

    /// Plays the terminal for a while.
    public func run(for duration: Duration) { _ = run(until: { false }, timeout: duration) }

    /// Plays the terminal until a condition holds, asked after every change; false after the time-out.
    @discardableResult
    public func run(until condition: () -> Bool, timeout: Duration = .seconds(20)) -> Bool {
        let deadline = ContinuousClock.now + timeout
        while true {
            if condition() { return true }
            let now = ContinuousClock.now
            if now >= deadline { return false }
            pump(until: deadline)
        }
    }

    /// Waits until the output, from byte `start` on, contains the text; false after the time-out.
    @discardableResult
    public func waitForOutput(
        _ text: String, from start: Int = 0, timeout: Duration = .seconds(20)
    ) -> Bool {
        let wanted = Array(text.utf8)
        var from = start
        return run(
            until: {
                if Self.position(of: wanted, in: output, from: from) != nil { return true }
                from = max(start, output.count - wanted.count + 1)
                return false
            }, timeout: timeout)
    }

    /// Whether the output from byte `start` on contains the text.
    public func outputContains(_ text: String, from start: Int = 0) -> Bool {
        Self.position(of: Array(text.utf8), in: output, from: start) != nil
    }

    /// Waits for the program's end and reads what it left; nil after the time-out.
    @discardableResult
    public func waitForExit(timeout: Duration = .seconds(Checkout.isSanitized ? 120 : 20)) -> Exit?
    {
        run(until: { exit != nil }, timeout: timeout)
        if exit != nil { while pump(until: .now) {} }
        return exit
    }

    /// Waits until the program is stopped (Ctrl-Z), reads what it wrote before, and tells by which
    /// signal; nil after the time-out.
    @discardableResult
    public func waitForStop(timeout: Duration = .seconds(20)) -> Int32? {
        run(until: { stopSignal != nil || exit != nil }, timeout: timeout)
        while pump(until: .now) {}
        return stopSignal
    }

    // MARK: State

    /// The modes now.
    public var modes: TerminalModes { TerminalModes(terminal.slave) }

    /// Whether modes are those of the start, the alternate screen is left and the cursor visible.
    public var isAsFound: Bool {
        modes == modesAtStart && !isOn(mode: 1049) && isOn(mode: 25, atFirst: true)
            && isOn(mode: 7, atFirst: true) && !isOn(mode: 2026) && !isOn(mode: 2004)
    }

    /// Whether the output left a DEC private mode set.
    public func isOn(mode: Int, atFirst: Bool = false) -> Bool {
        let set = Self.lastPosition(of: Array("\u{1B}[?\(mode)h".utf8), in: output)
        let reset = Self.lastPosition(of: Array("\u{1B}[?\(mode)l".utf8), in: output)
        switch (set, reset) {
        case (nil, nil): return atFirst
        case (let set, let reset): return (set ?? -1) > (reset ?? -1)
        }
    }

    /// What was typed, or answered, and nobody has read: the shell would take it for a command.
    public var unreadInput: [UInt8] {
        var modes = termios()
        tcgetattr(terminal.slave, &modes)
        var raw = modes
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        raw.c_cc.5 = 0  // VTIME
        raw.c_cc.6 = 0  // VMIN
        tcsetattr(terminal.slave, TCSANOW, &raw)
        defer { tcsetattr(terminal.slave, TCSANOW, &modes) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(terminal.slave, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// User and system time of the running program so far, to 10 ms.
    public func currentProcessorTime() -> Duration {
        guard let file = fopen("/proc/\(processID)/stat", "r") else { return processorTime }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return .zero }
        let fields = text[end...].split(separator: " ")
        // utime and stime are fields 14 and 15 of the line, 12 and 13 counted from ")".
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            return .zero
        }
        return .milliseconds((user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The path of an executable of this package, beside the running tests.
    public static func product(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(
            decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = path.lastIndex(of: "/") else { return name }
        return path[...slash] + name
    }

    // MARK: The pump

    /// Waits for one thing to happen, no longer than `deadline`, and treats it; false if nothing did.
    @discardableResult
    private func pump(until deadline: ContinuousClock.Instant) -> Bool {
        var wait = min(deadline - .now, .milliseconds(100))
        if let next = due.first { wait = min(wait, next.time - .now) }
        var reads = true
        if let drainRate {
            let now = ContinuousClock.now
            let passed = (now - lastPump) / .seconds(1)
            lastPump = now
            // No more than 10 ms may be saved up: a slow line does not catch up.
            allowance = min(allowance + passed * Double(drainRate), max(1, Double(drainRate) / 100))
            if allowance < 1 {
                reads = false
                wait = min(wait, .milliseconds(2))
            }
        }
        var polled = [
            pollfd(fd: terminal.reports, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reads ? terminal.master : -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = max(0, Int32((wait / .milliseconds(1)).rounded(.up)))
        _ = poll(&polled, 2, milliseconds)
        var progress = sendDueAnswers()
        if polled[1].revents & Int16(POLLIN) != 0 {
            var limit = 65536
            if drainRate != nil { limit = min(limit, Int(allowance)) }
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = read(terminal.master, &bytes, limit)
            if count > 0 {
                if drainRate != nil { allowance -= Double(count) }
                output += bytes[..<count]
                answerQueries()
                progress = sendDueAnswers() || true
            }
        }
        if polled[0].revents & Int16(POLLIN) != 0, takeReport() { progress = true }
        return progress
    }

    private func takeReport() -> Bool {
        var report = pseudo_terminal_report()
        let size = MemoryLayout.size(ofValue: report)
        guard read(terminal.reports, &report, size) == size else { return false }
        processID = report.pid
        if report.kind != PSEUDO_TERMINAL_STARTED {
            processorTime = .microseconds(report.processor_microseconds)
            peakMemory = Int(report.peak_memory_kilobytes) << 10
        }
        switch Int(report.kind) {
        case PSEUDO_TERMINAL_STOPPED: stopSignal = report.value
        case PSEUDO_TERMINAL_EXITED: exit = .status(report.value)
        case PSEUDO_TERMINAL_SIGNALLED: exit = .signal(report.value)
        default: break
        }
        return true
    }

    private func answerQueries() {
        guard !answers.table.isEmpty else {
            scanned = output.count
            return
        }
        let queries = answers.table.keys.map { (text: $0, bytes: Array($0.utf8)) }
            .sorted { $0.bytes.count > $1.bytes.count }
        let longest = queries[0].bytes.count
        while let escape = output[scanned...].firstIndex(of: 0x1B) {
            scanned = escape
            let rest = output[escape...]
            if let query = queries.first(where: { rest.starts(with: $0.bytes) }) {
                answeredQueries.append(query.text)
                answer(answers.table[query.text]!)
                scanned += query.bytes.count
            } else if rest.count < longest,
                queries.contains(where: { $0.bytes.starts(with: rest) })
            {
                return  // It may still become one.
            } else {
                scanned += 1
            }
        }
        scanned = output.count
    }

    private func answer(_ template: String) {
        var text = template
        for (word, value) in [
            ("CELLHEIGHT", size.cellHeight), ("CELLWIDTH", size.cellWidth),
            ("HEIGHT", size.rows * size.cellHeight), ("WIDTH", size.columns * size.cellWidth),
            ("ROWS", size.rows), ("COLUMNS", size.columns),
        ] {
            text = text.replacing(word, with: "\(value)")
        }
        var time = ContinuousClock.now + answers.delay
        if let last = due.last { time = max(time, last.time) }
        guard let interval = answers.byteInterval else {
            due.append((time, Array(text.utf8)))
            return
        }
        for byte in text.utf8 {
            due.append((time, [byte]))
            time += interval
        }
    }

    private func sendDueAnswers() -> Bool {
        var sent = false
        while let next = due.first, next.time <= .now {
            type(next.bytes)
            due.removeFirst()
            sent = true
        }
        return sent
    }

    // MARK: Helpers

    private static let hiddenVariables = [
        "COLORTERM", "COLUMNS", "LINES", "TMUX", "TMUX_PANE", "STY", "TERM_PROGRAM", "VTE_VERSION",
        "KITTY_WINDOW_ID", "SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "NCURSES_NO_UTF8_ACS",
        "TERM_PROGRAM_VERSION",
    ]

    private static func ownEnvironment() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return result
    }

    private static func position(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard !wanted.isEmpty, start <= bytes.count else { return start }
        let found = pseudo_terminal_find(bytes, bytes.count, start, wanted, wanted.count)
        return found < 0 ? nil : found
    }

    private static func lastPosition(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        var last: Int?
        var start = 0
        while start < bytes.count, let found = position(of: wanted, in: bytes, from: start) {
            last = found
            start = found + 1
        }
        return last
    }
}

/// The modes of a terminal (termios), to compare and to print.
public struct TerminalModes: Equatable, Sendable, CustomStringConvertible {
    /// `c_iflag`.
    public var input: UInt32
    /// `c_oflag`.
    public var output: UInt32
    /// `c_cflag`.
    public var control: UInt32
    /// `c_lflag`.
    public var local: UInt32
    /// `c_cc`.
    public var characters: [UInt8]

    /// The modes of an open terminal.
    public init(_ descriptor: Int32) {
        var modes = termios()
        tcgetattr(descriptor, &modes)
        self.init(modes)
    }

    init(_ modes: termios) {
        input = modes.c_iflag
        output = modes.c_oflag
        control = modes.c_cflag
        local = modes.c_lflag
        characters = withUnsafeBytes(of: modes.c_cc) { Array($0) }
    }

    /// Whether input comes line by line.
    public var isCanonical: Bool { local & UInt32(ICANON) != 0 }
    /// Whether what is typed is shown.
    public var echoes: Bool { local & UInt32(ECHO) != 0 }

    /// All flags, in octal as stty has them.
    public var description: String {
        "input \(String(input, radix: 8)) output \(String(output, radix: 8)) "
            + "control \(String(control, radix: 8)) local \(String(local, radix: 8)) "
            + "characters \(characters)"
    }
}
