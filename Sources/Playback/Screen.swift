import MediaTime
import SampleDisplay
import Terminal
import TerminalGraphics

/// The screen that a display layer presents on: renders pictures ahead of their time, and puts the one that is due into the terminal.
///
/// Two threads: one renders prepared pictures in the order they will be shown, one encodes and writes. Presenting only
/// leaves the picture for the second, so a slow terminal holds up nobody: a picture that is not begun when the next
/// is due is dropped whole, and counted.
///
/// A picture is begun when the link has done with the one before, by what a ``LinkMeter`` knows, so that little lies in
/// queues and a key shows at once. A ``DetailPolicy`` says how much of it is sent; what then stands still is completed, in
/// pieces that a newer picture or text goes before.
final class Screen: SampleBufferDisplaySink {
    struct Prepared {
        var picture: DisplayedPicture
        /// The field that is shown; nil: both.
        var field: Field?
        var rendered: RenderedPicture?
        /// With what detail it was rendered.
        var detail = PictureDetail.exact
        /// Whether it has been on the screen and is drawn again.
        var isRedrawn = false
    }

    /// The terminal had treated so many of all bytes.
    struct Answer {
        var byteCount: Int64
        var time: Int64
    }

    /// A picture on the screen that lacks detail.
    struct Completion {
        /// Since when it is on the screen.
        var since: Int64
        /// Whether its time to be completed has come.
        var isWanted = false
        /// With what it is completed.
        var detail: PictureDetail
        var rendered: RenderedPicture?
        var nextRow = 0
    }

    struct State {
        var drawing: Drawing?
        var meter = LinkMeter()
        /// An answer that came while something was being written.
        var answer: Answer?
        var policy: DetailPolicy?
        /// What is being made of the picture on the screen; nil where it is all there.
        var completion: Completion?
        /// The detail of what is on the screen.
        var shownDetail = PictureDetail.exact
        /// When the last picture was due, and the time from one to the next, in nanoseconds.
        var presentedAt: Int64 = 0
        var period: Int64 = 40_000_000
        /// Counts drawings: a picture rendered for an earlier one is rendered again.
        var generation = 0
        /// In the order of preparation, which is the order of presentation.
        var prepared: [Prepared] = []
        /// Due, not begun.
        var due: Prepared?
        /// On the screen.
        var shown: Prepared?
        var nextField: NextField?
        var startsWithSecondField = false
        var isTextStale = false
        var removesImage = false
        var isNewDrawing = false
        var invalidates = false
        var isPaused = false
        var isWriting = false
        var isStopped = false
        var dropped = 0
        var failure: RenderError?
    }

    let state: Monitor<State>
    let text: @Sendable (DisplayedPicture?, Field?, Drawing) -> [ScreenText]
    let fieldTime: FieldTime?
    let onShown: @Sendable (DisplayedPicture) -> Void
    let onWritten: @Sendable () -> Void

    /// - Parameters:
    ///   - output: Where the bytes go; used on the output thread alone.
    ///   - maximumRate: Bytes a second that are written at most; nil: no limit.
    ///   - fieldTime: Tells when fields are due that are shown one by one; nil weaves them.
    ///   - text: The text over a picture; called on the output thread just before it is sent.
    ///   - onShown: Called on the output thread when a picture is on its way to the terminal as a whole.
    ///   - onWritten: Called on the output thread after each write, be it of text alone: whoever found the screen busy
    ///     (``isIdle``) looks again.
    init(
        output: any ScreenOutput, maximumRate: Int? = nil,
        fieldTime: FieldTime?,
        text: @escaping @Sendable (DisplayedPicture?, Field?, Drawing) -> [ScreenText],
        onShown: @escaping @Sendable (DisplayedPicture) -> Void,
        onWritten: @escaping @Sendable () -> Void
    ) {
        state = Monitor(State(meter: LinkMeter(maximumRate: maximumRate)))
        self.text = text
        self.fieldTime = fieldTime
        self.onShown = onShown
        self.onWritten = onWritten
        startThread(named: "tplay render") { [self] in renderLoop() }
        startThread(named: "tplay output") { [self] in outputLoop(output) }
    }

    // MARK: SampleBufferDisplaySink

    func prepare(_ picture: DisplayedPicture) {
        state.update { $0.prepared.append(Prepared(picture: picture)) }
    }

    func present(_ picture: DisplayedPicture, at time: CMTime) {
        let time = fieldTime?(picture)
        state.update { state in
            var prepared = Self.take(picture, from: &state) ?? Prepared(picture: picture)
            state.nextField = nil
            if let time { Self.split(&prepared, &state, at: time) }
            if let due = state.due, !due.isRedrawn { state.dropped += 1 }
            state.due = prepared
            state.completion = nil
            state.removesImage = false
            state.notePresentation(of: picture, at: CMClock.hostNanoseconds)
        }
    }

    func discard(_ picture: DisplayedPicture) {
        state.update { _ = Self.take(picture, from: &$0) }
    }

    /// Leaves out a picture that was due, and counts it.
    func drop(_ picture: DisplayedPicture) {
        state.update { state in
            _ = Self.take(picture, from: &state)
            state.dropped += 1
        }
    }

    func removeImage() {
        state.update { state in
            state.due = nil
            state.shown = nil
            state.completion = nil
            state.nextField = nil
            state.removesImage = true
        }
    }

    private static func take(_ picture: DisplayedPicture, from state: inout State) -> Prepared? {
        guard let index = state.prepared.firstIndex(where: { $0.picture === picture }) else {
            return nil
        }
        return state.prepared.remove(at: index)
    }

    // MARK: Control

    /// Draws everything from now on as `drawing` says; what is on the screen is drawn again.
    func configure(_ drawing: Drawing) {
        state.update { state in
            state.configurePolicy(drawing)
            state.drawing = drawing
            state.completion = nil
            state.generation += 1
            state.isNewDrawing = true
            state.isTextStale = true
            for index in state.prepared.indices { state.prepared[index].rendered = nil }
            state.due?.rendered = nil
            state.nextField?.rendered = nil
            if var shown = state.shown, state.due == nil {
                shown.rendered = nil
                shown.isRedrawn = true
                state.due = shown
                state.shown = nil
            }
        }
    }

    /// Brings the text up to date.
    func refreshText() { state.update { $0.isTextStale = true } }

    /// Draws all again: something else has written to the terminal.
    func redraw() {
        state.update { state in
            state.invalidates = true
            state.isTextStale = true
        }
    }

    /// Takes what the terminal answered.
    func note(_ report: LinkReport) {
        state.update { state in
            let answer = Answer(byteCount: report.byteCount, time: CMClock.hostNanoseconds)
            // Before the write that asked is noted, nothing is known of the question.
            if state.isWriting { state.answer = answer } else { state.note(answer) }
        }
    }

    /// How much of the picture on the screen is there, and the bytes a second that the link takes.
    var link: (detail: PictureDetail, rate: Double?) {
        state.withLock { ($0.shownDetail, $0.meter.rate) }
    }

    /// Whether all that was presented is on the screen.
    var isIdle: Bool { state.withLock { $0.due == nil && !$0.isWriting } }

    /// Pictures dropped because the terminal was still busy with an earlier one.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Why pictures cannot be drawn, if they cannot.
    var failure: RenderError? { state.withLock { $0.failure } }

    /// Stops writing, and waits until nothing is being written.
    func pause() {
        state.update { $0.isPaused = true }
        _ = state.wait { $0.isWriting ? nil : true }
    }

    /// Lets go of what was prepared for a file that is left.
    func forgetPrepared() { state.update { $0.prepared.removeAll() } }

    /// Writes again.
    func resume() { state.update { $0.isPaused = false } }

    /// Ends both threads; waits until nothing is written any more.
    func stop() {
        state.update { $0.isStopped = true }
        _ = state.wait { $0.isWriting ? nil : true }
    }
}
