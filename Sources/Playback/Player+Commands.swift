import ElementaryStream
import MediaTime
import PixelBuffers
import SampleDisplay

extension Player {
    /// Rates that the keys reach, forwards or backwards.
    private static let keyRates = 0.01...100.0

    /// Does what the user asks for.
    ///
    /// - Returns: What comes after this file, where it is left.
    func perform(_ command: PlayerCommand, _ session: PlaybackSession) -> Next? {
        if command.leavesTheEnd { session.liveClock.follow(false) }
        switch command {
        case .quit: return .quit
        case .changeFile(let step): return .file(step)
        case .togglePause: togglePause(session)
        case .step(let count): step(count, session)
        case .seek(let milliseconds): seek(milliseconds, session)
        case .seekRandomAccess(let count): seekRandomAccess(count, session)
        case .goToStart: go(to: session.index.firstShownRank ?? 0, session)
        case .goToEnd: goToEnd(session)
        case .askForPlace: shared.withLock { $0.entry = "" }
        case .scaleRate(let factor):
            let rate = shared.withLock { $0.status.rate }
            let scaled = min(
                max(abs(rate) * factor, Self.keyRates.lowerBound), Self.keyRates.upperBound)
            // 1.1 × and ÷ lead back to where they came from.
            setRate((rate < 0 ? -1 : 1) * (scaled * 1e9).rounded() / 1e9, session)
        case .resetRate: setRate(1, session)
        case .reverse:
            // Behind the first picture of a stream that is still coming there is nothing.
            guard shared.withLock({ $0.shownRank }) != nil || session.index.summary.isComplete
            else {
                break
            }
            setRate(-shared.withLock { $0.status.rate }, session)
        case .markLoop: markLoop(session)
        case .toggleLoop: shared.withLock { $0.status.isLooping.toggle() }
        case .nextRenderer: chooseNextRenderer()
        case .snapshot: snapshot(session)
        case .toggleKeys: shared.toggle(.keys)
        case .toggleInformation: shared.toggle(.information)
        }
        screen?.refreshText()
        return nil
    }

    private func togglePause(_ session: PlaybackSession) {
        let (isPaused, shown, hasTarget) = shared.withLock { state in
            state.status.isPaused.toggle()
            if state.target != nil { state.startRate = state.runningRate }
            return (state.status.isPaused, state.shownRank, state.target != nil)
        }
        if hasTarget { return }
        // What was looked at picture by picture is not what plays on from here.
        if !isPaused, let shown, !session.isFed(for: shared.withLock { $0.status.rate }) {
            return go(to: shown, session)
        }
        if isPaused { screen?.holdField() }
        try? session.timebase.setRate(shared.withLock { $0.runningRate })
        if !isPaused { screen?.scheduleField() }
        shared.goOn()
    }

    /// Steps field by field, where fields are shown so.
    ///
    /// - Returns: The pictures still to step; nil where the step has been done.
    private func stepFields(_ count: Int, _ session: PlaybackSession) -> Int? {
        screen?.startWithSecondField(false)
        guard options.deinterlacing == .fields, shared.withLock({ $0.target == nil }),
            let rank = shared.withLock({ $0.shownRank }),
            let number = screen?.fieldNumber(rank: rank)
        else { return count }
        // The ends of the stream are the first field of its first picture, and the second of its last.
        let first = clamped(0, session) * 2
        let target = min(max(number + count, first), clamped(.max, session) * 2 + 1)
        if target / 2 == rank {
            if target != number { screen?.showOtherField() }
            return nil
        }
        screen?.startWithSecondField(target % 2 == 1)
        return target / 2 - rank
    }

    private func setRate(_ rate: Double, _ session: PlaybackSession) {
        let (isRunning, shown) = shared.withLock { state -> (Bool, Int?) in
            state.status.rate = rate
            if state.target != nil { state.startRate = state.runningRate }
            let isRunning =
                !state.status.isPaused && !state.hasNoClock && state.target == nil
            return (isRunning, state.target ?? state.shownRank)
        }
        let isPaused = shared.withLock { $0.status.isPaused }
        if let shown, !isPaused, !session.isFed(for: rate) { return go(to: shown, session) }
        if isRunning { try? session.timebase.setRate(rate) }
    }

    /// Pauses, and goes `count` pictures on or back from the one last asked for.
    private func step(_ steps: Int, _ session: PlaybackSession) {
        try? session.timebase.setRate(0)
        screen?.holdField()
        let (from, isSettled) = shared.withLock { state -> (Int?, Bool) in
            state.status.isPaused = true
            if state.target != nil { state.startRate = 0 }
            return (state.target ?? state.shownRank, state.target == nil)
        }
        guard let from, let count = stepFields(steps, session) else { return }
        let target = clamped(from + count, session)
        guard target != from else { return }
        // The next picture is queued already, and the time alone brings it up.
        if count == 1, isSettled, session.isFed(for: 1), let time = session.time(ofRank: target) {
            aim(at: target)
            try? session.timebase.setTime(time)
        } else if count < 0 || session.isCached(target) {
            aim(at: target)
            session.feed(.picture(target))
        } else {
            go(to: target, session)
        }
    }

    private func seek(_ milliseconds: Int, _ session: PlaybackSession) {
        guard let from = shared.withLock({ $0.target ?? $0.shownRank }),
            let time = session.time(ofRank: from)
        else { return }
        let offset = CMTime(value: Int64(milliseconds), timescale: 1000)
        let wanted = max(time + offset, .zero)
        guard let rank = session.rank(of: .time(wanted)) else { return }
        var target = clamped(rank, session)
        // Always a picture further, however short the step in a slow stream.
        if target == from { target = clamped(from + (milliseconds > 0 ? 1 : -1), session) }
        if target != from { go(to: target, session) }
    }

    private func seekRandomAccess(_ count: Int, _ session: PlaybackSession) {
        guard let from = shared.withLock({ $0.target ?? $0.shownRank }) else { return }
        guard let rank = session.index.randomAccessRank(from: from, steps: count) else {
            return tell(count > 0 ? "no later random access point" : "no earlier one")
        }
        go(to: clamped(rank, session), session)
    }

    /// The last picture: of a file, once it is all indexed.
    private func goToEnd(_ session: PlaybackSession) {
        guard session.index.summary.isComplete || session.isGrowing else {
            shared.withLock { $0.status.message = "indexing" }
            pendingPlace = .picture(.max)
            return
        }
        go(to: clamped(.max, session), session)
        session.liveClock.follow(true)
    }

    /// Goes to a place as soon as it is indexed.
    func go(to place: Place, _ session: PlaybackSession) {
        let summary = session.index.summary
        if case .picture(.max) = place {
            if summary.isComplete { finishPending(clamped(.max, session), session) }
            return
        }
        if let rank = session.rank(of: place),
            summary.isComplete || isReached(place, session, summary)
        {
            finishPending(clamped(rank, session), session)
        } else if summary.isComplete {
            finishPending(clamped(.max, session), session)
        } else {
            shared.withLock { $0.status.message = "indexing" }
            pendingPlace = place
        }
    }

    private func finishPending(_ rank: Int, _ session: PlaybackSession) {
        pendingPlace = nil
        shared.withLock { $0.status.message = nil }
        go(to: rank, session)
    }

    /// Goes to a picture, and plays on from it as before.
    func go(to rank: Int, _ session: PlaybackSession) {
        try? session.timebase.setRate(0)
        aim(at: rank)
        let isBackward = shared.withLock { $0.isBackward }
        session.feed(isBackward ? .backward(rank) : .forward(rank))
    }

    /// Notes the picture that is wanted: the clock stands until it is on the screen.
    func aim(at rank: Int) {
        news.update { $0.hasPresentedLast = false }
        shared.withLock { state in
            state.target = rank
            state.startRate = state.runningRate
        }
    }

    private func markLoop(_ session: PlaybackSession) {
        guard let rank = shared.withLock({ $0.target ?? $0.shownRank }) else { return }
        let loop = shared.withLock { state -> (start: Int, end: Int?)? in
            if let loop = state.loop {
                state.loop = loop.end == nil && rank > loop.start ? (loop.start, rank) : nil
            } else {
                state.loop = (rank, nil)
            }
            return state.loop
        }
        switch loop {
        case nil:
            tell("loop off")
            session.end(afterRank: untilRank(session))
            go(to: rank, session)
        case (let start, nil)?: tell("loop from \(start)")
        case (let start, let end?)?:
            tell("loop \(start) to \(end)")
            session.end(afterRank: end)
            go(to: start, session)
        }
    }

    /// Keeps the picture on show, named after file and number, in the folder that the player was started in.
    private func snapshot(_ session: PlaybackSession) {
        guard let picture = session.layer.displayedPicture,
            let rank = shared.withLock({ $0.shownRank })
        else { return }
        let file = shared.withLock { $0.status.file }
        var name = file == "-" ? "stdin" : file.split(separator: "/").last.map(String.init) ?? ""
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        let path = "\(name)-\(rank).png"
        do throws(PictureFile.Failure) {
            try PictureFile.write(picture.pixelBuffer, to: path)
            tell("kept as \(path)")
        } catch {
            tell("\(path): \(error.text)")
        }
    }

    /// Says something in the status line, until the next command.
    func tell(_ message: String) {
        shared.withLock { $0.status.message = message }
        screen?.refreshText()
    }

    /// The nearest picture that is shown and indexed.
    func clamped(_ rank: Int, _ session: PlaybackSession) -> Int {
        let first = session.index.firstShownRank ?? 0
        let last = min(session.index.lastRank, session.lastRank ?? .max)
        return min(max(rank, first), max(first, last))
    }
}
