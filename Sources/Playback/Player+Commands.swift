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
        if isPaused {
            stopClock(session)
        } else {
            try? session.timebase.setRate(shared.withLock { $0.runningRate })
            screen?.scheduleField()
        }
        shared.goOn()
    }

    /// Lets the picture on show stay.
    func stopClock(_ session: PlaybackSession) {
        screen?.holdField()
        try? session.timebase.setRate(0)
        // Of a stream that has stopped the next picture is due already, whenever it comes. One that was asked for may be.
        let (end, target) = shared.withLock { ($0.shownEnd, $0.target) }
        guard session.isGrowing, target == nil, end.isNumeric, session.timebase.time >= end
        else { return }
        try? session.timebase.setTime(end - CMTime(value: 1, timescale: 1_000_000_000))
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
}
