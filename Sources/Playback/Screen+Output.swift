import MediaTime
import SampleDisplay
import TerminalGraphics

/// The thread that encodes and writes.
extension Screen {
    /// What it is asked to do.
    private struct Frame {
        var due: Prepared?
        var completion: Completion?
        var removesImage = false
        var drawing: Drawing
        var isNewDrawing = false
        var invalidates = false
        var attempts = 0..<1
        var allowance = Double.infinity
        var hardLimit = Double.infinity
    }

    private enum Step {
        case stop
        case show(Frame)
        /// The time to complete the picture has come.
        case wantCompletion
        /// Something is to be done earlier than was known.
        case lookAgain
    }

    func outputLoop(_ output: any ScreenOutput) {
        makeThreadPrompt()
        while true {
            var deadline: Int64?
            var step = state.withLock { Self.nextStep(&$0, &deadline) }
            if step == nil {
                let waitsUntil = deadline
                step = state.wait(deadline: waitsUntil.map { UInt64($0) }) { state in
                    var earlier: Int64?
                    if let step = Self.nextStep(&state, &earlier) { return step }
                    guard let earlier else { return nil }
                    return waitsUntil.map { earlier < $0 } ?? true ? .lookAgain : nil
                }
            }
            switch step {
            case .stop: return
            case .wantCompletion: state.update { $0.completion?.isWanted = true }
            case .show(let frame): show(frame, on: output)
            case .lookAgain, nil: break
            }
        }
    }

    /// What is to be done now; otherwise nil, and when to look again if nothing happens before.
    private static func nextStep(_ state: inout State, _ deadline: inout Int64?) -> Step? {
        if state.isStopped { return .stop }
        guard !state.isPaused, let drawing = state.drawing else { return nil }
        let now = CMClock.hostNanoseconds
        let opening = state.meter.opening(at: now)
        func when(_ time: Int64) -> Bool {
            if time <= now { return true }
            deadline = min(deadline ?? .max, time)
            return false
        }
        if let next = state.nextField, state.due == nil, next.rendered != nil, let time = next.time,
            when(time)
        {
            state.due = Prepared(
                picture: next.picture, field: next.field, rendered: next.rendered, isRedrawn: true)
            state.nextField = nil
            state.completion = nil
        }
        var frame = Frame(
            removesImage: state.removesImage, drawing: drawing, isNewDrawing: state.isNewDrawing,
            invalidates: state.invalidates)
        if let due = state.due, due.rendered != nil || drawing.kind == nil, when(opening) {
            frame.due = due
            state.limit(&frame.attempts, &frame.allowance, &frame.hardLimit, due.detail, at: now)
            state.due = nil
            // The status line that goes with it tells what is expected; if it comes out otherwise, the next one does.
            if let policy = state.policy, !frame.attempts.isEmpty {
                let expected = max(
                    frame.attempts.lowerBound, min(policy.level, frame.attempts.upperBound - 1))
                state.shownDetail = policy.ladder[expected]
            }
        } else if state.isTextStale || state.removesImage || state.invalidates {
            // A few bytes wait for no picture, but not on top of a queue either.
            guard when(opening - 50_000_000) else { return nil }
        } else {
            guard state.due == nil, var completion = state.completion,
                when(completion.since + state.stillTime(of: completion)), when(opening)
            else { return nil }
            guard completion.rendered != nil else {
                return completion.isWanted ? nil : .wantCompletion
            }
            frame.allowance = state.pieceAllowance
            completion.isWanted = true
            frame.completion = completion
        }
        (state.isTextStale, state.removesImage, state.invalidates) = (false, false, false)
        state.isNewDrawing = false
        state.isWriting = true
        return .show(frame)
    }

    private func show(_ frame: Frame, on output: any ScreenOutput) {
        if frame.isNewDrawing { output.prepare(for: frame.drawing) }
        if frame.invalidates { output.invalidate() }
        if frame.removesImage { output.removePicture() }
        let shown = frame.due ?? state.withLock { $0.shown }
        let ladder = frame.drawing.tolerances
        var content = ScreenContent(text: text(shown?.picture, shown?.field, frame.drawing))
        if let due = frame.due {
            content.picture = due.rendered
            content.tolerances = ladder[frame.attempts]
            (content.byteLimit, content.hardByteLimit) = (frame.allowance, frame.hardLimit)
        } else if let completion = frame.completion {
            content.picture = completion.rendered
            content.part = .rows(from: completion.nextRow)
            content.byteLimit = frame.allowance
        } else if frame.isNewDrawing || frame.invalidates || frame.removesImage {
            content.part = .whole
        } else {
            content.part = .none
        }
        let delivery = output.show(content)
        state.update { $0.note(delivery, due: frame.due, completes: frame.completion != nil) }
        if let due = frame.due, !due.isRedrawn, !delivery.isRefused { onShown(due.picture) }
        onWritten()
    }
}
