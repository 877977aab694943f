import Dispatch
import MediaTime
import Synchronization

/// Lets time go on only as far as a stream has come: without what is missing, a picture behind it would be shown before it.
///
/// It stands between a timebase and its clock, so that whatever else sets the timebase's rate and time need not know of it.
final class StreamGate: Sendable {
    private struct State {
        var end = CMTime.positiveInfinity
        var isShut = false
        /// How often it has been shut.
        var shutCount = 0
        var observation: CMTimebase.Observation?
    }

    private let timebase: CMTimebase
    /// The clock, or nothing that moves.
    private let passage: CMTimebase
    private let queue = DispatchQueue(label: "tplay stream gate")
    private let patience: UInt64?
    private let timer: any DispatchSourceTimer & Sendable
    private let state = Mutex(State())

    /// An open gate.
    ///
    /// - Parameters:
    ///   - timebase: What is to stand; its clock becomes that of the gate.
    ///   - patience: Nanoseconds after which a shut gate opens by itself; nil for never.
    /// - Throws: What a timebase throws; none that follows a clock does.
    init(_ timebase: CMTimebase, patience: UInt64?) throws(MediaError) {
        (self.timebase, self.patience) = (timebase, patience)
        passage = try CMTimebase(sourceClock: timebase.ultimateSourceClock)
        try passage.setRate(1)
        try timebase.setSource(passage)
        timer = DispatchSource.makeTimerSource(queue: queue) as! DispatchSource
        timer.schedule(deadline: .distantFuture)
        try timebase.addTimer(timer)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.activate()
        // Somebody may have gone back to where the stream has been.
        let observation = timebase.addObserver { [weak self] _ in self?.look() }
        state.withLock { $0.observation = observation }
    }

    deinit {
        try? timebase.removeTimer(timer)
        timer.cancel()
    }

    /// Whether time stands because of it.
    var isShut: Bool { state.withLock { $0.isShut } }

    /// Lets time go on until `end`; for ever, where that is no number.
    func move(to end: CMTime) {
        state.withLock { state in
            state.end = end.isNumeric ? end : .positiveInfinity
            look(&state)
        }
    }

    private func look() { state.withLock { look(&$0) } }

    private func look(_ state: inout State) {
        let (time, rate) = timebase.timeAndRate
        let isShut = rate > 0 && time >= state.end
        if isShut != state.isShut {
            state.isShut = isShut
            try? passage.setRate(isShut ? 0 : 1)
            if isShut { openLater(&state) }
        }
        try? timebase.setTimerNextFireTime(
            timer, fireTime: isShut || rate <= 0 ? .invalid : state.end)
    }

    private func openLater(_ state: inout State) {
        state.shutCount += 1
        guard let patience else { return }
        let count = state.shutCount
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(patience))) { [weak self] in
            self?.state.withLock { state in
                guard state.isShut, state.shutCount == count else { return }
                state.end = .positiveInfinity
                self?.look(&state)
            }
        }
    }
}
