import ElementaryStream
import MediaTime
import SampleDisplay
public import Terminal
import TerminalGraphics

/// Plays files one after another on a terminal, or as text where there is none.
///
/// The main thread runs it: one wait for keys, signals, changes of size and what the other threads tell.
public final class Player {
    /// What a program adds: which key means what, and the words on the screen.
    public struct Interface: Sendable {
        /// The command of a key after the digits typed before it (0: none); nil where it has none.
        public var command: @Sendable (Key, Int) -> PlayerCommand?
        /// The status line, for a width in columns.
        public var statusLine: @Sendable (PlaybackStatus, Int) -> String
        /// A place as it is typed, nil where it is none.
        public var place: @Sendable (String) -> Place?
        /// The lines of the overlay of keys.
        public var keys: [String]

        /// An interface.
        public init(
            command: @escaping @Sendable (Key, Int) -> PlayerCommand?,
            statusLine: @escaping @Sendable (PlaybackStatus, Int) -> String,
            place: @escaping @Sendable (String) -> Place?, keys: [String]
        ) {
            self.command = command
            self.statusLine = statusLine
            self.place = place
            self.keys = keys
        }
    }

    /// How a file ended.
    public struct FileOutcome: Sendable {
        /// The file as named.
        public var file: String
        /// Pictures put on the screen.
        public var shown = 0
        /// Damaged pictures among them.
        public var damaged = 0
        /// Why it could not be played, or not to its end.
        public var failure: PlaybackFailure?
        /// What to tell of it otherwise.
        public var note: String?
    }

    /// How it all ended.
    public struct Outcome: Sendable {
        /// What became of each file that was begun.
        public var files: [FileOutcome] = []
        /// The signal that ended it.
        public var signal: Int32?
        /// Why the terminal could not be used.
        public var terminalError: TerminalError?
        /// The error of writing where there is no terminal; nil too when nobody reads any more.
        public var outputError: Int32?
    }

    /// What comes after a file.
    enum Next {
        case file(Int)
        case quit
        case signal(Int32)
    }

    let options: PlaybackOptions
    let interface: Interface
    let terminal: Terminal?
    let bell: Bell
    let shared = SharedStatus()
    /// What the threads told since the main thread looked last.
    let news = Monitor(News())
    var screen: Screen?
    var outcome = Outcome()
    /// What the terminal told and nobody has taken yet: a key may end a file before the next one is looked at.
    var events: ArraySlice<TerminalEvent> = []
    /// Keys typed before a file's first picture, for when it is there.
    var earlyKeys: [TerminalEvent] = []
    /// Digits typed before a command.
    var count = 0
    var drawing: Drawing?
    /// The renderer that a key chose.
    var chosenRenderer: RendererKind?
    /// Where to go as soon as it is indexed.
    var pendingPlace: Place?
    /// Access units indexed when a beginning failed last.
    var triedCount = 0
    /// Access units indexed when that was last shown.
    var indexedCount = 0

    struct News {
        var hasPresentedLast = false
        var failure: PlaybackFailure?
        var readingFailure: StreamError?
        /// A picture that was decoded before it was whole.
        var amendedRank: Int?
        /// Why nothing more can be written where there is no terminal.
        var outputError: Int32?
    }

    /// - Parameters:
    ///   - options: How files are played and drawn.
    ///   - interface: Keys and words.
    ///   - terminal: The terminal; nil writes pictures as text to standard output.
    public init(options: PlaybackOptions, interface: Interface, terminal: Terminal?) {
        self.options = options
        self.interface = interface
        self.terminal = terminal
        bell = Bell(terminal)
    }

    /// Plays the files, and gives the terminal back.
    public func run(_ files: [String]) -> Outcome {
        var (place, isGoingBack) = (0, false)
        playing: while files.indices.contains(place) {
            switch play(files[place], of: files.count) {
            case .file(let step):
                // Who goes back is not sent on again by a file that cannot be played, unless there is none before it.
                let hasFailed = outcome.files.last.map { $0.failure != nil && $0.shown == 0 }
                isGoingBack = hasFailed == true && step > 0 ? isGoingBack && place > 0 : step < 0
                // Before the first there is nothing: it begins anew.
                place = max(0, place + (isGoingBack ? -1 : step))
            case .quit: break playing
            case .signal(let signal):
                outcome.signal = signal
                break playing
            }
        }
        terminal?.writer.interrupt()
        screen?.stop()
        terminal?.leaveScreen()
        return outcome
    }

    /// Plays one file to its end, or until the user wants something else.
    private func play(_ file: String, of fileCount: Int) -> Next {
        var result = FileOutcome(file: file)
        defer { outcome.files.append(result) }
        news.update { $0 = News() }
        pendingPlace = nil
        earlyKeys = []
        triedCount = 0
        let session: PlaybackSession
        do throws(StreamError) {
            session = try PlaybackSession(path: file, options: options) {
                [news, shared, bell] event in
                Self.note(event, news, shared)
                bell.ring()
            }
        } catch {
            result.failure = .stream(error)
            return .file(1)
        }
        shared.begin(file, session, options)
        defer {
            session.stop()
            screen?.forgetPrepared()
            shared.end()
        }
        var next = awaitStart(session, &result)
        if next == nil { next = follow(session, &result) }
        (result.shown, result.damaged) = shared.withLock { ($0.shownCount, $0.status.damaged) }
        let (failure, reading, isAtEnd) = news.withLock {
            ($0.failure, $0.readingFailure, $0.hasPresentedLast)
        }
        if result.failure == nil { result.failure = failure ?? reading.map { .stream($0) } }
        // A file that the user leaves before its first picture has not failed.
        if result.shown == 0, next == .file(1),
            failure != nil || (result.failure == nil && isAtEnd)
        {
            result.failure = .nothingShown(.undecodable(pictures: session.index.summary.count))
        }
        return next ?? .file(1)
    }

    /// Takes what another thread tells.
    private static func note(
        _ event: PlaybackSession.Event, _ news: Monitor<News>, _ shared: SharedStatus
    ) {
        news.update { news in
            switch event {
            case .changed: break
            case .presentedLast: news.hasPresentedLast = true
            case .failed(let error): news.readingFailure = error
            case .failedToDecode(let status): news.failure = .decoder(status: status)
            case .amended(let rank): news.amendedRank = rank
            }
        }
        if case .changed = event { shared.goOn() }
    }
}

extension Player.Next: Equatable {}
