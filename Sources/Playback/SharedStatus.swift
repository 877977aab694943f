import ElementaryStream
import H264
import MediaTime
import PixelBuffers
import SampleDisplay
import Synchronization
import TerminalGraphics

/// What the output thread and the main thread both know: the picture on show, and what to write beside it.
final class SharedStatus: Sendable {
    struct State {
        var status = PlaybackStatus()
        var session: PlaybackSession?
        weak var screen: Screen?
        /// Pictures shown of this file.
        var shownCount = 0
        /// The presentation rank on show.
        var shownRank: Int?
        var shownTime: CMTime = .invalid
        var shownEnd: CMTime = .invalid
        /// The picture last asked for, until it is on show.
        var target: Int?
        /// The rate that begins with the target's picture.
        var startRate: Double?
        var showsKeys = false
        var strictDamage: Int?
    }

    private let state = Mutex(State())

    func withLock<R>(_ body: (inout State) -> R) -> R {
        state.withLock { body(&$0) }
    }

    /// Begins a file.
    func begin(_ file: String, _ session: PlaybackSession, _ options: PlaybackOptions) {
        withLock { state in
            let (screen, renderer) = (state.screen, state.status.renderer)
            let showsKeys = state.showsKeys
            state = State()
            (state.screen, state.showsKeys) = (screen, showsKeys)
            state.status.renderer = renderer
            state.status.file = file
            state.status.rate = options.rate == 0 ? 1 : options.rate
            state.status.isPaused = options.isPaused || options.rate == 0
            state.status.isUntimed = options.isUntimed
            state.session = session
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
        let (session, rate, isTarget) = withLock { state -> (PlaybackSession?, Double?, Bool) in
            state.shownCount += 1
            state.shownRank = entry.map { Int($0.presentationRank) }
            state.shownTime = picture.presentationTimeStamp
            state.shownEnd = picture.presentationTimeStamp + picture.duration
            if isDamaged {
                state.status.damaged += 1
                state.strictDamage = state.strictDamage ?? state.shownRank
            }
            guard let target = state.target, state.shownRank ?? 0 >= target else {
                return (state.session, nil, false)
            }
            state.target = nil
            defer { state.startRate = nil }
            return (state.session, state.startRate, true)
        }
        if let rate, rate != 0 { try? session?.timebase.setRate(rate) }
        advanceUntimed()
        return isTarget || isDamaged
    }

    /// Without regard to time: the picture on show has been written, so the next one is due.
    func advanceUntimed() {
        let (session, time) = withLock { state -> (PlaybackSession?, CMTime) in
            guard state.status.isUntimed, !state.status.isPaused, state.target == nil,
                state.shownTime.isNumeric
            else { return (nil, .invalid) }
            return (state.session, state.shownTime)
        }
        guard let session, let next = session.layer.nextPresentationTimeStamp(after: time) else {
            return
        }
        try? session.timebase.setTime(next)
    }

    /// The status as it is with `picture` on show.
    func status(of picture: DisplayedPicture?) -> PlaybackStatus {
        let (base, session, screen) = withLock { ($0.status, $0.session, $0.screen) }
        var status = base
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
        if let token = picture?.token, let entry = session.index.entry(decodeRank: Int(token)) {
            status.picture = Int(entry.presentationRank)
            status.ticks = entry.presentationTicks
            status.pictureType = entry.pictureType.name
            status.isDamaged = entry.isDamaged || picture?.isDamaged ?? false
        }
        if let buffer = picture?.pixelBuffer {
            status.width = buffer.width
            status.height = buffer.height
        }
        if picture == nil { status.skipped = summary.count - summary.shownCount }
        return status
    }
}
