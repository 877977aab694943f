internal import MediaTime
internal import Synchronization

/// The display thread: shows each picture when its time comes.
final class DisplayWorker {
    private let engine: DisplayEngine
    private let alarm: DeadlineAlarm

    init(_ engine: DisplayEngine) {
        self.engine = engine
        alarm = DeadlineAlarm(engine)
    }

    func run() {
        makeThreadPrompt()
        while step() {}
        alarm.cancel()
    }

    private func step() -> Bool {
        var effects = DisplayEffects()
        var generation: UInt64 = 0
        let step = engine.monitor.withLock { state in
            let step = state.nextDisplayStep(&effects)
            if case .wait = step, effects.discards.isEmpty, effects.events.isEmpty {
                state.parkedDisplayGeneration = state.generation
            } else {
                state.generation += 1
            }
            generation = state.generation
            return step
        }
        engine.perform(effects)
        switch step {
        case .stop: return false
        case .finishFlush(let removesImage, let completions):
            if removesImage { removeImage() }
            for completion in completions { completion() }
            engine.poke()
        case .show(let content, let time):
            // The decode thread has room now, also while the sink takes its time.
            engine.poke()
            present(content, time)
            engine.change { state, _ in state.isPresenting = false }
        case .wait(let deadline):
            // Pictures were discarded: there may be room to decode, or an end to tell.
            if !effects.discards.isEmpty { engine.poke() }
            engine.wait(past: generation, deadline: deadline, alarm)
        }
        return true
    }

    private func present(_ content: DisplayContent, _ time: CMTime) {
        guard let picture = content.picture else { return removeImage() }
        let (sink, handler) = engine.outlets.withLock { ($0.sink, $0.presentationHandler) }
        sink?.present(picture, at: time)
        handler?(picture.pixelBuffer, picture.presentationTimeStamp, time)
    }

    private func removeImage() {
        let (sink, handler) = engine.outlets.withLock { ($0.sink, $0.presentationHandler) }
        sink?.removeImage()
        handler?(nil, .invalid, engine.timebase.time)
    }
}

extension DisplayEngine {
    /// Waits until the state changes from `generation`, or until a deadline.
    func wait(past generation: UInt64, deadline: PresentationDeadline?, _ alarm: DeadlineAlarm) {
        wait(past: generation, nanoseconds: deadline.flatMap { alarm.set(for: $0) })
    }

    /// Waits until the state changes from `generation`, or until a time of `CLOCK_MONOTONIC`.
    func wait(past generation: UInt64, nanoseconds: UInt64?) {
        let isAwaited = monitor.withLock { $0.idlenessWaiterCount > 0 }
        if isAwaited { monitor.update { _ in } }
        _ = monitor.wait(deadline: nanoseconds) { state -> Void? in
            state.generation == generation ? nil : ()
        }
    }
}
