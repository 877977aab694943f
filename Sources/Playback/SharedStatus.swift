import ElementaryStream
import H264
import MediaTime
import PixelBuffers
import SampleDisplay
import Synchronization
import TerminalGraphics

/// What the output thread and the main thread both know: the picture on show, and what to write beside it.
final class SharedStatus: Sendable {
    /// What lies over the picture.
    enum Overlay: Sendable {
        case keys, information
    }

    struct State {
        var status = PlaybackStatus()
        var session: PlaybackSession?
        weak var screen: Screen?
        /// Pictures shown of this file.
        var shownCount = 0
        /// The presentation rank on show.
        var shownRank: Int?
        /// When it came there, in nanoseconds of the host clock.
        var shownAt: UInt64 = 0
        var shownTime: CMTime = .invalid
        var shownEnd: CMTime = .invalid
        /// The picture last asked for, until it is on show.
        var target: Int?
        /// The rate that begins with the target's picture.
        var startRate: Double?
        /// A loop between two pictures; without its end while that is not marked.
        var loop: (start: Int, end: Int?)?
        /// A place being typed.
        var entry: String?
        var overlay: Overlay?
        var strictDamage: Int?
        /// What the options say of colours, whatever the stream says.
        var matrix: ColorMatrix?
        var range: ColorRange?
        /// Calls of ``SharedStatus/goOn()`` since it began to run; 0 while it does not.
        var goingOnCount = 0

        /// The rate of the timebase, once the target is on show.
        var runningRate: Double { status.isPaused || hasNoClock ? 0 : status.rate }

        /// Whether what is shown does not follow from the time.
        var hasNoClock: Bool { status.isUntimed || status.isLowDelay }

        /// Whether pictures are played in falling order.
        var isBackward: Bool { !status.isPaused && status.rate < 0 }
    }

    private let state = Mutex(State())

    func withLock<R>(_ body: (inout State) -> R) -> R {
        state.withLock { body(&$0) }
    }

    /// Begins a file.
    func begin(_ file: String, _ session: PlaybackSession, _ options: PlaybackOptions) {
        withLock { state in
            let (screen, renderer) = (state.screen, state.status.renderer)
            let (overlay, isLooping) = (state.overlay, state.status.isLooping)
            state = State()
            (state.screen, state.overlay) = (screen, overlay)
            state.status.isLooping = isLooping || options.loopCount == nil
            state.status.renderer = renderer
            state.status.file = file
            state.status.rate = options.rate == 0 ? 1 : options.rate
            state.status.isPaused = options.isPaused || options.rate == 0
            state.status.isUntimed = options.isUntimed
            state.status.isLowDelay = options.isLowDelay
            state.session = session
            (state.matrix, state.range) = (options.matrix, options.range)
        }
    }

    /// Ends the file.
    func end() { withLock { $0.session = nil } }

    /// Takes note of a picture that is on its way to the screen, and sets the clock going where it waited for it.
    ///
    /// - Returns: Whether the main thread should know at once.
    func note(shown picture: DisplayedPicture) -> Bool {
        let entry = withLock { $0.session }.flatMap { session in
            picture.token.flatMap { session.index.entry(decodeRank: Int($0)) }
        }
        let isDamaged = picture.isDamaged || entry?.isDamaged ?? false
        let session = withLock { $0.session }
        let now = UInt64(CMClock.hostNanoseconds)
        let (rate, isTarget) = withLock { state -> (Double?, Bool) in
            state.shownCount += 1
            state.shownAt = now
            state.status.isWaitingForData = false
            state.shownRank = entry.map { Int($0.presentationRank) }
            state.shownTime = picture.presentationTimeStamp
            state.shownEnd = picture.presentationTimeStamp + picture.duration
            if isDamaged {
                state.status.damaged += 1
                state.strictDamage = state.strictDamage ?? state.shownRank
            }
            guard let target = state.target,
                Self.answers(state.shownRank, target, isSettled: session?.isSettled ?? true)
            else {
                return (nil, false)
            }
            state.target = nil
            defer { state.startRate = nil }
            return (state.startRate, true)
        }
        if let rate, rate != 0 {
            try? session?.timebase.setRate(rate)
            withLock { $0.screen }?.scheduleField()
        }
        goOn()
        return isTarget || isDamaged
    }

    /// Whether a picture is the one asked for, or comes in the place of one that cannot be decoded.
    private static func answers(_ shown: Int?, _ target: Int, isSettled: Bool) -> Bool {
        guard let shown else { return false }
        return shown == target || (isSettled && (target - 16...target + 64).contains(shown))
    }

    /// When the later field of a picture that begins to be shown is due, and which way time goes.
    func fieldTime(of picture: DisplayedPicture) -> (host: Int64?, isBackward: Bool) {
        let (session, isBackward) = withLock { ($0.session, $0.isBackward) }
        guard let session, session.timebase.rate != 0, picture.duration.isNumeric else {
            return (nil, isBackward)
        }
        let middle =
            picture.presentationTimeStamp
            + picture.duration.multiplied(by: 1, dividedBy: 2)
        let host = session.timebase.hostTime(for: middle)
        guard host.isNumeric else { return (nil, isBackward) }
        return (Int64(CMClock.convertHostTimeToSystemUnits(host)), isBackward)
    }

    /// Shows an overlay, or hides it.
    func toggle(_ overlay: Overlay) {
        withLock { $0.overlay = $0.overlay == overlay ? nil : overlay }
    }

    /// Sets the clock where nothing else moves it: behind a picture asked for that cannot be decoded, and from picture to
    /// picture where there is no time.
    ///
    /// From any thread, but one at a time: a time worked out before another thread set a later one would turn the clock
    /// back, to where nothing is due. Who comes while one is at it has it look again.
    func goOn() {
        guard
            withLock({ state in
                state.goingOnCount += 1
                return state.goingOnCount == 1
            })
        else { return }
        var seen = 0
        repeat {
            seen = withLock { $0.goingOnCount }
            skipMissingTarget()
            advanceUntimed()
            advanceToNewest()
        } while withLock({ state in
            guard state.goingOnCount == seen else { return true }
            state.goingOnCount = 0
            return false
        })
    }

    /// The clock stands until the target is on show; without it nothing else would ever be due.
    private func skipMissingTarget() {
        let (session, target, shown) = withLock { ($0.session, $0.target, $0.shownRank) }
        guard let session, let target, target != shown, session.isSettled, session.isFed(for: 1),
            let time = session.time(ofRank: target), session.timebase.time == time,
            let next = session.layer.presentationTimeStamp(inPlaceOf: time)
        else { return }
        try? session.timebase.setTime(next)
    }

    /// With low delay: whatever is next is due at once; of two that are there the later one is shown.
    private func advanceToNewest() {
        let session = withLock { state -> PlaybackSession? in
            state.status.isLowDelay && !state.status.isPaused && state.target == nil
                ? state.session : nil
        }
        guard let session else { return }
        let start = session.timebase.time
        var time = start
        while let next = session.layer.nextPresentationTimeStamp(after: time) { time = next }
        if time > start { try? session.timebase.setTime(time) }
    }

    /// Without regard to time: the picture on show has been written, so the next one is due.
    private func advanceUntimed() {
        let (session, time, isBackward) = withLock { state -> (PlaybackSession?, CMTime, Bool) in
            guard state.status.isUntimed, !state.status.isPaused, state.target == nil,
                state.shownTime.isNumeric
            else { return (nil, .invalid, false) }
            return (state.session, state.shownTime, state.isBackward)
        }
        // Another picture on its way to the terminal is waited for: none is dropped. Looked for after the next one was
        // found: the other way round it could be on its way in between, and the one behind it be taken for the next.
        guard let session,
            let next = isBackward
                ? session.layer.presentationTimeStamp(before: time)
                : session.layer.nextPresentationTimeStamp(after: time),
            session.layer.displayedPresentationTimeStamp == time
        else { return }
        try? session.timebase.setTime(next)
        // Something else was asked for in the meantime: its time it is.
        if let target = withLock({ $0.target }), let time = session.time(ofRank: target) {
            try? session.timebase.setTime(time)
        }
    }

    /// The status as it is with `picture` on show.
    func status(of picture: DisplayedPicture?) -> PlaybackStatus {
        let state = withLock { $0 }
        let (session, screen) = (state.session, state.screen)
        var status = state.status
        (status.loopStart, status.loopEnd) = (state.loop?.start, state.loop?.end)
        status.entry = state.entry
        guard let session else { return status }
        let summary = session.index.summary
        if summary.isComplete {
            status.total = summary.count
        } else {
            status.total = summary.estimatedCount
            status.isTotalEstimated = true
        }
        status.timescale = summary.rate.timescale
        status.dropped = session.layer.statistics.droppedLate + (screen?.dropped ?? 0)
        if let link = screen?.link {
            status.detail = link.detail
            status.linkRate = link.rate.map { Int(min($0, 1e12)) }
        }
        if let token = picture?.token, let entry = session.index.entry(decodeRank: Int(token)) {
            status.picture = Int(entry.presentationRank)
            status.ticks = entry.presentationTicks
            status.pictureType = entry.pictureType.name
            status.isDamaged = entry.isDamaged || picture?.isDamaged ?? false
        }
        if let buffer = picture?.pixelBuffer {
            status.width = buffer.width
            status.height = buffer.height
            status.matrix = state.matrix ?? .meant(by: buffer)
            status.isFullRange = state.range.map { $0 == .full } ?? buffer.isFullRange
            status.pixelAspectRatio = buffer.attachments[.pixelAspectRatio]
        }
        if picture == nil { status.skipped = summary.count - summary.shownCount }
        return status
    }

    /// The lines of the overlay of facts.
    var information: [String] {
        guard let session = withLock({ $0.session }) else { return [] }
        return session.index.facts
    }
}
