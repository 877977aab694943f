internal import Glibc
internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers
internal import Synchronization

/// The decode thread: takes samples in the order of enqueueing and has them decoded.
final class DecodeWorker {
    private let engine: DisplayEngine
    private let alarm: DeadlineAlarm
    private var decoder: (any SampleDecoder)?
    private var format: CMFormatDescription?
    /// Those of the decoder.
    private var settings = SampleDecoderSettings()
    private var waitedForDepth = false

    init(_ engine: DisplayEngine) {
        self.engine = engine
        alarm = DeadlineAlarm(engine)
    }

    func run() {
        while step() {}
        dropDecoder()
        alarm.cancel()
    }

    private func step() -> Bool {
        var effects = DisplayEffects()
        var generation: UInt64 = 0
        let hasDecoder = decoder != nil
        let waited = waitedForDepth
        let step = engine.monitor.withLock { state in
            let step = state.nextDecodeStep(
                hasDecoder: hasDecoder, waitedForDepth: waited, &effects)
            if case .wait(_, nil) = step, effects.discards.isEmpty {
                state.parkedDecodeGeneration = state.generation
            } else {
                state.generation += 1
            }
            generation = state.generation
            return step
        }
        engine.perform(effects)
        switch step {
        case .stop: return false
        case .reset:
            resetDecoder()
            waitedForDepth = false
        case .sample(let sample, let isDeep):
            // Room in the queue: the client may be asked for more while this decodes.
            engine.poke()
            process(sample, isDeep: isDeep)
            engine.change { state, _ in
                state.current = nil
                state.isCurrentPending = false
            }
        case .wait(let deadline, let nanoseconds):
            if !effects.discards.isEmpty { engine.poke() }
            if let nanoseconds {
                waitForDepth(generation, nanoseconds)
            } else {
                engine.wait(past: generation, deadline: deadline, alarm)
            }
        }
        return true
    }

    /// Gives the first sample's successors a moment to arrive.
    private func waitForDepth(_ generation: UInt64, _ nanoseconds: UInt64) {
        let host = UInt64(CMClock.hostNanoseconds)
        let epoch = engine.monitor.withLock { $0.epoch }
        _ = engine.monitor.wait(deadline: host + nanoseconds) { state -> Void? in
            // The decision is still open: this thread is not idle.
            state.parkedDecodeGeneration = nil
            let isDecided =
                state.isStopped || state.epoch != epoch || state.inputDrainCount > 0
                || state.input.count >= DisplayState.deepCount
            return isDecided ? () : nil
        }
        waitedForDepth = true
    }

    // MARK: One sample

    private func process(_ sample: QueuedSample, isDeep: Bool) {
        if sample.traits.resetsDecoder {
            // What it holds back belongs to earlier samples, which are to be shown.
            finishDecoder(sample)
            dropDecoder()
        }
        switch sample.traits.kind {
        case .marker: pass(sample)
        case .image: deliverImage(of: sample)
        case .compressed: decode(sample, isDeep: isDeep)
        }
        if sample.traits.drainsDecoder {
            finishDecoder(sample)
            engine.change(for: sample) { state, _ in
                if state.status != .failed && state.input.isEmpty { state.isDrained = true }
            }
        }
    }

    private func pass(_ marker: QueuedSample) {
        guard marker.traits.emptiesMedia else { return }
        engine.change(for: marker) { state, effects in
            state.insert(.removal, from: marker, &effects)
        }
    }

    private func deliverImage(of sample: QueuedSample) {
        if sample.buffer.dataReadiness == .notReady { try? sample.buffer.makeDataReady() }
        guard let image = sample.buffer.imageBuffer, sample.buffer.dataReadiness == .ready else {
            return fail(sample, status: CMSampleBuffer.Error.bufferNotReady.status)
        }
        engine.deliver(image, isDamaged: image.attachments[.damaged] ?? false, of: sample)
    }

    private func decode(_ sample: QueuedSample, isDeep: Bool) {
        guard !drops(sample) else { return }
        guard let newFormat = sample.buffer.formatDescription else {
            return fail(sample, status: CMSampleBuffer.Error.invalidMediaFormat.status)
        }
        if let decoder, let format, format !== newFormat {
            if format == newFormat || decoder.canAccept(newFormat) {
                self.format = newFormat
            } else {
                // L-22: the old one's pictures stay, and a new one begins.
                finishDecoder(sample)
                dropDecoder()
                engine.change(for: sample) { state, _ in state.needsSync = state.waitsForSync }
                guard !drops(sample) else { return }
            }
        }
        if decoder != nil, !settings.isInPresentationOrder, isDeep, sample.traits.isSync,
            engine.monitor.withLock({ $0.mode }) == .automatic
        {
            // It holds nothing back, and nothing after this sample refers to what was before.
            dropDecoder()
        }
        guard let decoder = decoder ?? makeDecoder(newFormat, sample, isDeep: isDeep) else {
            return
        }
        let isCurrent = engine.change(for: sample) { state, _ in state.submit(sample) } != nil
        guard isCurrent else { return }
        let status = decoder.decode(
            sample.buffer, ordinal: sample.ordinal, displays: !sample.traits.doNotDisplay)
        if status != noErr { fail(sample, status: status) }
    }

    /// Whether a sample is out of date, or nothing can be decoded before a random access point.
    private func drops(_ sample: QueuedSample) -> Bool {
        engine.change(for: sample) { state, _ in state.dropsForSync(sample) } ?? true
    }

    private func fail(_ sample: QueuedSample, status: OSStatus) {
        engine.change(for: sample) { state, effects in
            state.fail(sample, status: status, &effects)
        }
    }

    // MARK: The decoder

    private func makeDecoder(
        _ format: CMFormatDescription, _ sample: QueuedSample, isDeep: Bool
    ) -> (any SampleDecoder)? {
        settings = wantedSettings(isDeep: isDeep)
        let isInPresentationOrder = settings.isInPresentationOrder
        do throws(MediaError) {
            let decoder = try engine.makeDecoder(format, settings) { [weak engine] decoded in
                engine?.receive(decoded)
            }
            self.decoder = decoder
            self.format = format
            engine.monitor.withLock { $0.givesPresentationOrder = isInPresentationOrder }
            return decoder
        } catch {
            engine.change(for: sample) { state, effects in
                state.fail(status: error.status, &effects)
            }
            return nil
        }
    }

    private func wantedSettings(isDeep: Bool) -> SampleDecoderSettings {
        let mode = engine.monitor.withLock { $0.mode }
        var settings = engine.outlets.withLock { $0.settings }
        settings.isInPresentationOrder = mode == .throughput || mode == .automatic && isDeep
        return settings
    }

    private func finishDecoder(_ sample: QueuedSample) {
        decoder?.finish()
        engine.change(for: sample) { state, _ in state.finishDecoder() }
    }

    /// After a flush: threads and memory are kept where the decoder would be the same.
    private func resetDecoder() {
        let isFixed = engine.monitor.withLock { $0.mode != .automatic }
        if isFixed && wantedSettings(isDeep: false) == settings {
            decoder?.reset()
        } else {
            dropDecoder()
        }
    }

    private func dropDecoder() {
        decoder?.invalidate()
        decoder = nil
        format = nil
    }
}

extension DisplayEngine {
    /// Changes the state on behalf of a sample, unless it was flushed meanwhile.
    @discardableResult
    func change<R>(
        for sample: QueuedSample, _ body: (inout DisplayState, inout DisplayEffects) -> R
    ) -> R? {
        change { state, effects in
            state.epoch == sample.epoch ? body(&state, &effects) : nil
        }
    }

    /// The decoder's output handler.
    func receive(_ decoded: DecodedSample) {
        // A flush forgets what is in the decoder, so that its answers find nothing here.
        guard let sample = monitor.withLock({ $0.inFlight[decoded.ordinal] }) else { return }
        if decoded.status == noErr, let image = decoded.imageBuffer {
            return deliver(image, isDamaged: decoded.isDamaged, of: sample)
        }
        change(for: sample) { state, effects in
            if decoded.status != noErr {
                state.fail(sample, status: decoded.status, &effects)
            } else {
                state.passOver(sample)
            }
        }
    }

    /// Has a picture prepared, then put where it waits for its time.
    func deliver(_ image: CVPixelBuffer, isDamaged: Bool, of sample: QueuedSample) {
        guard !sample.traits.doNotDisplay else {
            change(for: sample) { state, _ in state.passOver(sample) }
            return
        }
        let picture = DisplayedPicture(
            pixelBuffer: image, presentationTimeStamp: sample.traits.time,
            duration: sample.buffer.outputDuration, token: sample.traits.token,
            isDamaged: isDamaged)
        outlets.withLock { $0.sink }?.prepare(picture)
        change { state, effects in
            if state.epoch == sample.epoch && !state.isStopped {
                state.insert(.picture(picture), from: sample, &effects)
            } else {
                effects.discard(.picture(picture))
            }
        }
    }
}
