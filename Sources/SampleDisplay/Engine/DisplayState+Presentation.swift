internal import MediaTime

/// What the display thread does next.
enum DisplayStep {
    case stop
    /// Take the image off, if asked to, and tell that a flush is done.
    case finishFlush(removesImage: Bool, completions: [@Sendable () -> Void])
    /// Show it.
    case show(DisplayContent, time: CMTime)
    /// Wait for a change, or until a time.
    case wait(PresentationDeadline?)
}

extension DisplayState {
    /// Chooses the display thread's next step.
    mutating func nextDisplayStep(_ effects: inout DisplayEffects) -> DisplayStep {
        if isStopped { return .stop }
        if isRemovalRequested || !flushCompletions.isEmpty {
            defer {
                isRemovalRequested = false
                flushCompletions = []
            }
            return .finishFlush(removesImage: isRemovalRequested, completions: flushCompletions)
        }
        if let next = immediate {
            immediate = nil
            if next.replacesEarlier { shown = nil }
            return show(next.content, time: timebase.time, &effects)
        }
        let (verdict, time) = judge()
        guard let index = verdict.shows else {
            discardLate(at: verdict.discards, &effects)
            return .wait(verdict.deadline)
        }
        let entry = waiting.entries[index]
        // Indices shift: the one to show goes with the late ones, in one go.
        for gone in waiting.remove(at: (verdict.discards + [index]).sorted()) {
            forget(gone)
            if gone.ordinal != entry.ordinal { discardLate(gone, &effects) }
        }
        shown = entry.time
        return show(entry.content, time: time, &effects)
    }

    private mutating func show(
        _ content: DisplayContent, time: CMTime, _ effects: inout DisplayEffects
    ) -> DisplayStep {
        isPresenting = true
        displayed = content.picture
        if displayed == nil {
            setReadyForDisplay(false, &effects)
        } else {
            statistics.presented += 1
        }
        return .show(content, time: time)
    }

    /// Discards waiting pictures that will never be on show.
    mutating func discardLate(at indices: [Int], _ effects: inout DisplayEffects) {
        for entry in waiting.remove(at: indices) {
            forget(entry)
            discardLate(entry, &effects)
        }
    }

    private mutating func discardLate(
        _ entry: Waiting<DisplayContent>, _ effects: inout DisplayEffects
    ) {
        if entry.content.picture != nil { statistics.droppedLate += 1 }
        effects.discard(entry.content)
    }

    /// Takes a waiting entry's duration off the sum.
    mutating func forget(_ entry: Waiting<DisplayContent>) {
        waitingNanoseconds -= entry.content.nanoseconds
    }
}
