internal import MediaTime
internal import SampleBuffers

extension DisplayState {
    /// Takes a sample into the queue; nothing happens while failed (L-23).
    mutating func enqueue(_ buffer: CMSampleBuffer, _ traits: SampleTraits, reorderDepth: Int?) {
        guard status != .failed, !isStopped else { return }
        status = .rendering
        if let reorderDepth { readiness.reorderDepth = reorderDepth }
        lastOrdinal += 1
        let sample = QueuedSample(
            buffer: buffer, traits: traits, ordinal: lastOrdinal, epoch: epoch)
        input.append(sample)
        inputNanoseconds += traits.nanoseconds
        if traits.drainsDecoder { inputDrainCount += 1 }
        if traits.endsMedia { hasEndOfMedia = true }
        if traits.decodeTime.isNumeric { lastDecodeTime = traits.decodeTime }
        if traits.isExpected { expected.insert(traits.time, ordinal: lastOrdinal) }
        isDrained = false
        hasToldDecodedAll = false
        hasToldPresentedLast = false
        statistics.enqueued += 1
    }

    /// L-15 and L-16.
    mutating func flush(removingImage: Bool, _ effects: inout DisplayEffects) {
        epoch += 1
        for entry in waiting.removeAll() { effects.discard(entry.content) }
        if let immediate { effects.discard(immediate.content) }
        immediate = nil
        waitingNanoseconds = 0
        input.removeAll()
        inputNanoseconds = 0
        inputDrainCount = 0
        expected.removeAll()
        inFlight.removeAll(keepingCapacity: true)
        isCurrentPending = false
        replacedOrdinal = 0
        shown = nil
        isReversed = false
        lastDecodeTime = .invalid
        hasEndOfMedia = false
        isDrained = false
        hasToldDecodedAll = false
        hasToldPresentedLast = false
        needsSync = waitsForSync
        if status == .failed { status = .unknown }
        error = nil
        if requiresFlush {
            requiresFlush = false
            effects.events.append(.requiresFlushToResumeDecodingDidChange(false))
        }
        if removingImage {
            isRemovalRequested = true
            displayed = nil
            setReadyForDisplay(false, &effects)
        }
    }

    /// The latest of what waits, or is yet to be decoded, before `time`.
    func presentationTimeStamp(before time: CMTime) -> CMTime? {
        let index = waiting.count(below: time)
        let decoded = index > 0 ? waiting.entries[index - 1].time : nil
        guard !expected.hasTime(above: decoded, below: time) else { return nil }
        return decoded
    }

    /// The picture that takes the place of the one at `time`, where that one cannot be decoded.
    func presentationTimeStamp(inPlaceOf time: CMTime) -> CMTime? {
        guard waiting.count(upTo: time) == 0, !expected.hasTime(above: nil, upTo: time),
            // Shown, or about to be, it is not missing.
            !isPresenting, displayed?.presentationTimeStamp != time
        else { return nil }
        return waiting.entries.first?.time
    }

    /// The time of the picture that follows `time`, once it is certain that none can come between.
    func nextPresentationTimeStamp(after time: CMTime) -> CMTime? {
        let index = waiting.count(upTo: time)
        let decoded = index < waiting.count ? waiting.entries[index].time : nil
        let coming = expected.times(above: time).first { _ in true }
        guard let next = [decoded, coming].compactMap(\.self).min() else { return nil }
        // Nothing enqueued later can precede it: the input has ended; or its decode time is past; or the decoder
        // has put it out in order; or as many follow it as the stream can reorder.
        if isDrained || inputDrainCount > 0 { return next }
        if lastDecodeTime.isNumeric && next <= lastDecodeTime { return next }
        if givesPresentationOrder && next == decoded { return next }
        let following = expected.count(above: next) + waiting.count - waiting.count(upTo: next)
        return following >= readiness.reorderDepth ? next : nil
    }
}
