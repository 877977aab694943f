import CTerminalShims
import Glibc

/// The open descriptors of the terminal, for output and for keys.
final class TerminalDevice: Sendable {
    let output: Int32
    /// Whether `output` has its open file description in common with the shell, and so blocks.
    let isOutputShared: Bool
    let input: Int32

    /// Opens the terminal that standard output is, and the one that keys come from: standard input where that is a
    /// terminal, else the controlling terminal, else standard output's.
    init(keysFromStandardInput: Bool) throws(TerminalError) {
        guard isatty(STDOUT_FILENO) == 1 else { throw .outputIsNoTerminal }
        let opened = Self.reopen(STDOUT_FILENO)
        guard let opened else { throw .system(function: "open", code: errno) }
        (output, isOutputShared) = opened
        var keys: Int32 = -1
        if keysFromStandardInput, isatty(STDIN_FILENO) == 1 {
            keys = Self.reopen(STDIN_FILENO)?.descriptor ?? -1
        }
        if keys < 0 { keys = Self.open("/dev/tty") }
        if keys < 0 { keys = Self.reopen(STDOUT_FILENO)?.descriptor ?? -1 }
        guard keys >= 0 else {
            close(output)
            throw .noKeyboard
        }
        input = keys
    }

    deinit {
        close(output)
        close(input)
    }

    /// Another open file description of the same terminal, non-blocking; or, where there is no way to one, the
    /// same description again, as it is.
    private static func reopen(_ descriptor: Int32) -> (descriptor: Int32, isShared: Bool)? {
        let device = terminal_device(descriptor)
        var paths = ["/proc/self/fd/\(descriptor)"]
        if let name = ttyname(descriptor) { paths.append(String(cString: name)) }
        // The way that needs no permission on the device itself.
        paths.append("/dev/tty")
        for path in paths {
            let opened = open(path)
            guard opened >= 0 else { continue }
            if terminal_device(opened) == device { return (opened, false) }
            close(opened)
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return copy >= 0 ? (copy, true) : nil
    }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    }

    /// The present size; nil where the kernel knows none.
    var size: TerminalSize? {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        let pixels = TerminalPixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row), pixels: pixels)
    }

    /// Whether this process may use the terminal: it is in the foreground, or job control does not apply.
    var isInForeground: Bool {
        let group = tcgetpgrp(input)
        return group < 0 || group == getpgrp()
    }

    var modes: termios {
        var modes = termios()
        tcgetattr(input, &modes)
        return modes
    }

    /// Sets modes, also from the background, where a program that ends must still tidy up.
    func set(_ modes: termios) {
        var modes = modes
        var set = sigset_t()
        var old = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &set, &old)
        // TCSADRAIN would wait for a terminal that may take nothing any more.
        while tcsetattr(input, TCSANOW, &modes) != 0, errno == EINTR {}
        pthread_sigmask(SIG_SETMASK, &old, nil)
    }

    /// Modes in which each key comes at once, as it is, unseen, and nothing is added to the
    /// output.
    ///
    /// Ctrl-C, Ctrl-\ and Ctrl-Z stay signals, and so reach all of a pipeline (`ffmpeg … | tplay
    /// -`), not this process alone.
    static func raw(_ modes: termios) -> termios {
        var raw = modes
        raw.c_iflag &= ~tcflag_t(
            BRKINT | ICRNL | IGNCR | INLCR | INPCK | ISTRIP | IXON | IXOFF | PARMRK)
        raw.c_oflag &= ~tcflag_t(OPOST)
        raw.c_cflag = raw.c_cflag & ~tcflag_t(CSIZE | PARENB) | tcflag_t(CS8)
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL | IEXTEN)
        // Without NOFLSH the kernel throws half a picture away at Ctrl-Z, and the other half follows.
        raw.c_lflag |= tcflag_t(ISIG | NOFLSH)
        // VTIME 0, VMIN 1: with VMIN 0 "nothing yet" would look like the end.
        raw.c_cc.5 = 0
        raw.c_cc.6 = 1
        return raw
    }

    /// Reads what is there.
    enum Input {
        case bytes(ArraySlice<UInt8>)
        case nothing
        case closed
    }

    func readInput() -> Input {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(input, &bytes, bytes.count)
            if count > 0 { return .bytes(bytes[..<count]) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .nothing : .closed
        }
    }
}
