import MediaTime
import SampleDisplay
import TerminalGraphics

/// The screen that a display layer presents on: renders pictures ahead of their time, and puts the one that is due into the terminal.
///
/// Two threads: one renders prepared pictures in the order they will be shown, one encodes and writes. Presenting only
/// leaves the picture for the second, so a slow terminal holds up nobody: a picture that is not begun when the next
/// is due is dropped whole, and counted.
final class Screen: SampleBufferDisplaySink {
    /// What the output thread is asked to do.
    private struct Frame {
        var picture: DisplayedPicture?
        var rendered: RenderedPicture?
        var isRedrawn = false
        var removesImage = false
        var drawing: Drawing
        var isNewDrawing = false
        var invalidates = false
    }

    private struct Prepared {
        var picture: DisplayedPicture
        var rendered: RenderedPicture?
        /// Whether it has been on the screen and is drawn again.
        var isRedrawn = false
    }

    private struct State {
        var drawing: Drawing?
        /// Counts drawings: a picture rendered for an earlier one is rendered again.
        var generation = 0
        /// In the order of preparation, which is the order of presentation.
        var prepared: [Prepared] = []
        /// Due, not begun.
        var due: Prepared?
        /// On the screen.
        var shown: Prepared?
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

    private let state = Monitor(State())
    private let text: @Sendable (DisplayedPicture?, Drawing) -> [ScreenText]
    private let onShown: @Sendable (DisplayedPicture) -> Void
    private let onWritten: @Sendable () -> Void

    /// - Parameters:
    ///   - output: Where the bytes go; used on the output thread alone.
    ///   - text: The text over a picture; called on the output thread just before it is sent.
    ///   - onShown: Called on the output thread when a picture is on its way to the terminal as a whole.
    ///   - onWritten: Called on the output thread after each write, be it of text alone: whoever found the screen busy
    ///     (``isIdle``) looks again.
    init(
        output: any ScreenOutput,
        text: @escaping @Sendable (DisplayedPicture?, Drawing) -> [ScreenText],
        onShown: @escaping @Sendable (DisplayedPicture) -> Void,
        onWritten: @escaping @Sendable () -> Void
    ) {
        self.text = text
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
        state.update { state in
            let prepared = Self.take(picture, from: &state) ?? Prepared(picture: picture)
            if let due = state.due, !due.isRedrawn { state.dropped += 1 }
            state.due = prepared
            state.removesImage = false
        }
    }

    func discard(_ picture: DisplayedPicture) {
        state.update { _ = Self.take(picture, from: &$0) }
    }

    func removeImage() {
        state.update { state in
            state.due = nil
            state.shown = nil
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
            state.drawing = drawing
            state.generation += 1
            state.isNewDrawing = true
            state.isTextStale = true
            for index in state.prepared.indices { state.prepared[index].rendered = nil }
            state.due?.rendered = nil
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

    // MARK: Rendering

    private enum Job {
        case stop
        case render(DisplayedPicture, Drawing, generation: Int)
    }

    private func renderLoop() {
        var renderer: (any PictureRenderer)?
        var rendererGeneration = -1
        while true {
            let job: Job? = state.wait { state in
                if state.isStopped { return .stop }
                guard let drawing = state.drawing, drawing.kind != nil else { return nil }
                let generation = state.generation
                if let due = state.due, due.rendered == nil {
                    return .render(due.picture, drawing, generation: generation)
                }
                guard let next = state.prepared.first(where: { $0.rendered == nil }) else {
                    return nil
                }
                return .render(next.picture, drawing, generation: generation)
            }
            guard case .render(let picture, let drawing, let generation)? = job else { return }
            if generation != rendererGeneration {
                renderer = drawing.kind?.makeRenderer(options: drawing.renderer)
                rendererGeneration = generation
            }
            render(picture, with: renderer, drawing, generation: generation)
        }
    }

    private func render(
        _ picture: DisplayedPicture, with renderer: (any PictureRenderer)?, _ drawing: Drawing,
        generation: Int
    ) {
        do throws(RenderError) {
            guard let renderer else { return }
            if drawing.isPlain { renderer.forgetPrevious() }
            let rendered = try renderer.render(picture.pixelBuffer)
            state.update { state in
                guard state.generation == generation else { return }
                if state.due?.picture === picture {
                    state.due?.rendered = rendered
                } else if let index = state.prepared.firstIndex(where: { $0.picture === picture }) {
                    state.prepared[index].rendered = rendered
                }
            }
        } catch {
            state.update { state in
                state.failure = error
                if state.due?.picture === picture { state.due = nil }
                state.prepared.removeAll { $0.picture === picture }
            }
        }
    }

    // MARK: Output

    private func outputLoop(_ output: any ScreenOutput) {
        makeThreadPrompt()
        while true {
            let frame: Frame?? = state.wait { state in
                if state.isStopped { return .some(nil) }
                guard !state.isPaused, let drawing = state.drawing else { return nil }
                let isReady =
                    state.due.map { $0.rendered != nil || drawing.kind == nil }
                    ?? false
                guard isReady || state.isTextStale || state.removesImage || state.invalidates else {
                    return nil
                }
                var frame = Frame(
                    removesImage: state.removesImage, drawing: drawing,
                    isNewDrawing: state.isNewDrawing, invalidates: state.invalidates)
                if isReady {
                    state.shown = state.due
                    frame.rendered = state.due?.rendered
                    frame.picture = state.due?.picture
                    frame.isRedrawn = state.due?.isRedrawn ?? false
                    state.due = nil
                }
                (state.isTextStale, state.removesImage, state.invalidates) = (false, false, false)
                state.isNewDrawing = false
                state.isWriting = true
                return frame
            }
            guard case .some(.some(let frame)) = frame else { return }
            show(frame, on: output)
            state.update { $0.isWriting = false }
            if let picture = frame.picture, !frame.isRedrawn { onShown(picture) }
            onWritten()
        }
    }

    private func show(_ frame: Frame, on output: any ScreenOutput) {
        if frame.isNewDrawing { output.prepare(for: frame.drawing) }
        if frame.invalidates { output.invalidate() }
        if frame.removesImage { output.removePicture() }
        let shown = frame.picture ?? state.withLock { $0.shown?.picture }
        output.show(frame.rendered, text: text(shown, frame.drawing))
    }
}
