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
    private var isInPresentationOrder = false
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
            dropDecoder()
            waitedForDepth = false
        case .sample(let sample, let epoch, let isDeep):
            // Room in the queue: the client may be asked for more while this decodes.
            engine.poke()
            process(sample, epoch: epoch, isDeep: isDeep)
            engine.change { state, _ in state.isDecoding = false }
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
        let host = CMClock.convertHostTimeToSystemUnits(CMClock.hostTimeClock.time)
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

    private func process(_ sample: QueuedSample, epoch: UInt64, isDeep: Bool) {
        if sample.traits.resetsDecoder {
            // What it holds back belongs to earlier samples, which are to be shown.
            finishDecoder(epoch)
            dropDecoder()
        }
        switch sample.traits.kind {
        case .marker: pass(sample, epoch)
        case .image: deliverImage(of: sample, epoch)
        case .compressed: decode(sample, epoch, isDeep: isDeep)
        }
        if sample.traits.drainsDecoder {
            finishDecoder(epoch)
            engine.change { state, _ in
                if state.epoch == epoch && state.status != .failed && state.input.isEmpty {
                    state.isDrained = true
                }
            }
        }
    }

    private func pass(_ marker: QueuedSample, _ epoch: UInt64) {
        guard marker.traits.emptiesMedia else { return }
        engine.change { state, effects in
            guard state.epoch == epoch else { return }
            state.insert(.removal, from: marker, &effects)
        }
    }

    private func deliverImage(of sample: QueuedSample, _ epoch: UInt64) {
        if sample.buffer.dataReadiness == .notReady { try? sample.buffer.makeDataReady() }
        guard let image = sample.buffer.imageBuffer else {
            return fail(sample, status: CMSampleBuffer.Error.bufferNotReady.status, epoch)
        }
        let isDamaged = image.attachments[.damaged] ?? false
        engine.deliver(image, isDamaged: isDamaged, of: sample, epoch)
    }

    private func decode(_ sample: QueuedSample, _ epoch: UInt64, isDeep: Bool) {
        let isDropped = engine.change { state, _ in
            state.epoch != epoch || state.dropsForSync(sample)
        }
        if isDropped { return }
        guard let newFormat = sample.buffer.formatDescription else {
            return fail(sample, status: CMSampleBuffer.Error.invalidMediaFormat.status, epoch)
        }
        if let decoder, let format, format !== newFormat, format != newFormat {
            if decoder.canAccept(newFormat) {
                self.format = newFormat
            } else {
                finishDecoder(epoch)
                dropDecoder()
                let isDropped = engine.change { state, _ in
                    state.needsSync = state.waitsForSync
                    return state.epoch != epoch || state.dropsForSync(sample)
                }
                if isDropped { return }
            }
        }
        if decoder != nil, !isInPresentationOrder, isDeep, sample.traits.isSync,
            engine.monitor.withLock({ $0.mode }) == .automatic
        {
            // It holds nothing back, and nothing after this sample refers to what was before.
            dropDecoder()
        }
        guard let decoder = decoder ?? makeDecoder(newFormat, sample, epoch, isDeep: isDeep) else {
            return
        }
        engine.change { state, _ in
            if state.epoch == epoch { state.submit(sample) }
        }
        let status = decoder.decode(
            sample.buffer, ordinal: sample.ordinal, displays: !sample.traits.doNotDisplay)
        if status != noErr { fail(sample, status: status, epoch) }
    }

    private func fail(_ sample: QueuedSample, status: OSStatus, _ epoch: UInt64) {
        engine.change { state, effects in
            if state.epoch == epoch { state.fail(sample, status: status, &effects) }
        }
    }

    // MARK: The decoder

    private func makeDecoder(
        _ format: CMFormatDescription, _ sample: QueuedSample, _ epoch: UInt64, isDeep: Bool
    ) -> (any SampleDecoder)? {
        let mode = engine.monitor.withLock { $0.mode }
        var settings = engine.outlets.withLock { $0.settings }
        settings.isInPresentationOrder = mode == .throughput || mode == .automatic && isDeep
        do throws(MediaError) {
            let decoder = try engine.makeDecoder(format, settings) { [weak engine] decoded in
                engine?.receive(decoded, epoch)
            }
            self.decoder = decoder
            self.format = format
            isInPresentationOrder = settings.isInPresentationOrder
            let isInPresentationOrder = self.isInPresentationOrder
            engine.monitor.withLock { $0.givesPresentationOrder = isInPresentationOrder }
            return decoder
        } catch {
            engine.change { state, effects in
                if state.epoch == epoch { state.fail(status: error.status, &effects) }
            }
            return nil
        }
    }

    private func finishDecoder(_ epoch: UInt64) {
        decoder?.finish()
        engine.change { state, _ in
            if state.epoch == epoch { state.finishDecoder() }
        }
    }

    private func dropDecoder() {
        decoder?.invalidate()
        decoder = nil
        format = nil
    }
}

extension DisplayEngine {
    /// The decoder's output handler.
    func receive(_ decoded: DecodedSample, _ epoch: UInt64) {
        let sample = monitor.withLock { state in
            state.epoch == epoch ? state.inFlight[decoded.ordinal] : nil
        }
        guard let sample else { return }
        if decoded.status == noErr, let image = decoded.imageBuffer,
            !sample.traits.doNotDisplay
        {
            return deliver(image, isDamaged: decoded.isDamaged, of: sample, epoch)
        }
        change { state, effects in
            guard state.epoch == epoch else { return }
            if decoded.status != noErr {
                state.fail(sample, status: decoded.status, &effects)
            } else {
                state.passOver(sample)
            }
        }
    }

    /// Has a picture prepared, then put where it waits for its time.
    func deliver(
        _ image: CVPixelBuffer, isDamaged: Bool, of sample: QueuedSample, _ epoch: UInt64
    ) {
        guard !sample.traits.doNotDisplay else {
            change { state, _ in
                if state.epoch == epoch { state.passOver(sample) }
            }
            return
        }
        let picture = DisplayedPicture(
            pixelBuffer: image, presentationTimeStamp: sample.traits.time,
            duration: sample.buffer.outputDuration, token: sample.traits.token,
            isDamaged: isDamaged)
        outlets.withLock { $0.sink }?.prepare(picture)
        change { state, effects in
            if state.epoch == epoch && !state.isStopped {
                state.insert(.picture(picture), from: sample, &effects)
            } else {
                effects.discard(.picture(picture))
            }
        }
    }
}
