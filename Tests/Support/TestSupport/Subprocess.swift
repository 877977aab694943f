import Glibc

/// A program run to its end, with what it wrote.
public struct Subprocess: Sendable {
    /// The exit status; 128 + n where signal n ended it.
    public var status: Int32
    /// Standard output.
    public var output: [UInt8]
    /// Standard error.
    public var errors: String

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// Its lines.
    public var lines: [Substring] { text.split(separator: "\n") }

    /// What is written to a program's standard input.
    public struct Input: Sendable {
        var bytes: [UInt8]
        var pieceByteCount: Int

        /// Bytes in writes of so many at a time.
        public init(_ bytes: [UInt8], inPiecesOf pieceByteCount: Int = 65536) {
            self.bytes = bytes
            self.pieceByteCount = pieceByteCount
        }
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Without its name.
    ///   - input: What it reads; nil is nothing.
    /// - Returns: What became of it; status 127 where it cannot be started.
    public static func run(
        _ program: String, _ arguments: [String], input: Input? = nil
    ) -> Subprocess {
        var out: [Int32] = [0, 0]
        var err: [Int32] = [0, 0]
        var feed: [Int32] = [0, 0]
        guard pipe2(&out) == 0, pipe2(&err) == 0, pipe2(&feed) == 0 else {
            return Subprocess(status: 127, output: [], errors: "pipe")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in [(feed[0], 0), (out[1], 1), (err[1], 2)] as [(Int32, Int32)] {
            posix_spawn_file_actions_adddup2(&actions, from, to)
        }
        // A dispatch thread blocks all signals; a program that inherits that cannot be ended by one.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child = pid_t()
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let started = posix_spawn(&child, program, &actions, &attributes, &words, environ)
        for end in [feed[0], out[1], err[1]] { close(end) }
        guard started == 0 else {
            for end in [feed[1], out[0], err[0]] { close(end) }
            return Subprocess(status: 127, output: [], errors: "cannot start \(program)")
        }
        let (output, errors) = exchange(
            input ?? Input([]), feed: feed[1], out: out[0], err: err[0])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return Subprocess(
            status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, output: output,
            errors: String(decoding: errors, as: UTF8.self))
    }

    private static func pipe2(_ ends: inout [Int32]) -> Int32 {
        let result = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return result
    }

    private static func exchange(
        _ input: Input, feed: Int32, out: Int32, err: Int32
    ) -> ([UInt8], [UInt8]) {
        signal(SIGPIPE, SIG_IGN)
        var (output, errors): ([UInt8], [UInt8]) = ([], [])
        var polled = [
            pollfd(fd: out, events: Int16(POLLIN), revents: 0),
            pollfd(fd: err, events: Int16(POLLIN), revents: 0),
            pollfd(fd: feed, events: Int16(POLLOUT), revents: 0),
        ]
        var fed = 0
        _ = fcntl(feed, F_SETFL, O_NONBLOCK)
        func finishFeeding() {
            if polled[2].fd >= 0 { close(polled[2].fd) }
            polled[2].fd = -1
        }
        if input.bytes.isEmpty { finishFeeding() }
        while polled[0].fd >= 0 || polled[1].fd >= 0 {
            guard poll(&polled, 3, -1) >= 0 else { continue }
            for index in 0..<2 where polled[index].fd >= 0 && polled[index].revents != 0 {
                var piece = [UInt8](repeating: 0, count: 65536)
                let count = read(polled[index].fd, &piece, piece.count)
                if count > 0 {
                    if index == 0 { output += piece[..<count] } else { errors += piece[..<count] }
                } else {
                    close(polled[index].fd)
                    polled[index].fd = -1
                }
            }
            guard polled[2].fd >= 0, polled[2].revents != 0 else { continue }
            let length = min(input.pieceByteCount, input.bytes.count - fed)
            let count = input.bytes.withUnsafeBytes { write(feed, $0.baseAddress! + fed, length) }
            if count > 0 { fed += count }
            if fed == input.bytes.count || (count < 0 && errno != EAGAIN) { finishFeeding() }
        }
        finishFeeding()
        return (output, errors)
    }
}
