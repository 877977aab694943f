import Glibc
import Playback
import Terminal
import VideoCodec

/// Playing: the options as the player takes them, and what it ended with as a status.
enum PlayCommand {
    /// - Returns: The exit status; a signal that ended the playing ends the process.
    static func run(_ options: Options) -> Int32 {
        let terminal: Terminal?
        if isatty(STDOUT_FILENO) == 1 {
            // Before the first thread: they inherit it.
            SignalSet.block()
            do throws(TerminalError) {
                terminal = try Terminal(keysFromStandardInput: !options.files.contains("-"))
            } catch {
                Output.complain("\(error); --report tells of a stream without drawing it")
                return 1
            }
        } else {
            terminal = nil
            signal(SIGPIPE, SIG_IGN)
        }
        let player = Player(
            options: PlaybackOptions(options), interface: .standard, terminal: terminal)
        let outcome = player.run(options.files)
        for file in outcome.files { tell(file) }
        if let error = outcome.terminalError { Output.complain("\(error)") }
        if let code = outcome.outputError { Output.complain(writing: code) }
        if let signal = outcome.signal { SignalSet.end(by: signal) }
        let hasFailed = outcome.files.contains { $0.failure != nil && $0.shown == 0 }
        let isDamaged = outcome.files.contains {
            if case .damage? = $0.failure { true } else { false }
        }
        let cannotDraw = outcome.terminalError != nil || outcome.outputError != nil
        return hasFailed || isDamaged || cannotDraw ? 1 : 0
    }

    private static func tell(_ file: Player.FileOutcome) {
        let name = Printable.text(file.file)
        if let failure = file.failure {
            Output.complain("\(name): \(Failure.text(failure, file: file.file))")
        } else if file.damaged > 0 {
            Output.complain(
                "\(name): \(file.damaged) of \(file.shown) pictures were damaged; --report frames"
                    + " --md5 lists them")
        }
    }
}

extension PlaybackOptions {
    init(_ options: Options) {
        self.init()
        rate = options.rate
        isPaused = options.isPaused
        start = options.start
        until = options.until
        loopCount = options.loopCount
        pictureRate = options.pictureRate
        isUntimed = options.isUntimed
        isLowDelay = options.isLowDelay
        followsFiles = options.follows
        isInDecodingOrder = options.order == .decode
        showsAll = options.showsAll
        isStrict = options.isStrict
        bufferByteLimit = options.bufferByteLimit
        cacheByteLimit = options.cacheByteLimit
        renderer = options.renderer
        colorDepth = options.colorDepth
        dither = options.dither
        matrix = options.matrix
        range = options.range
        grid = options.size
        cellSize = options.cellSize
        fit = options.fit
        deinterlacing = options.deinterlacing
        maximumRate = options.maximumRate
        hasStatusLine = options.hasStatus
    }
}
