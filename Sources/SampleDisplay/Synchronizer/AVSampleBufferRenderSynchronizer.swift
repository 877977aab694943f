internal import Dispatch
public import MediaTime
internal import Synchronization

/// Has several renderers show by one timebase.
///
/// All members may be used from any thread. Blocks and handlers are called without any lock held.
public final class AVSampleBufferRenderSynchronizer: Sendable {
    struct State: Sendable {
        /// What was asked for; the timebase may still stand.
        var rate: Float = 0
        /// Whether `rate` waits for the renderers to have enough.
        var isWaiting = false
        /// A start at a host time to come.
        var start: Start?
        var delaysRateChange = true
        var rateHandler: (@Sendable (Float) -> Void)?
        var entries: [RendererEntry] = []
        var observers: [WeakObserver] = []
    }

    /// A rate and time that are to hold from a host time on.
    struct Start: Sendable {
        var rate: Double
        var time: CMTime
        var hostTime: CMTime
    }

    struct RendererEntry: Sendable {
        let renderer: any AVQueuedSampleBufferRendering
        var removal: Removal?
    }

    struct Removal: Sendable {
        var time: CMTime
        var handler: (@Sendable (Bool) -> Void)?
    }

    struct WeakObserver: Sendable {
        weak var observer: TimeObserver?
    }

    /// What the renderers show by; it cannot be set but by this synchronizer.
    public let timebase: CMTimebase
    let clock: CMClock
    let state = Mutex(State())
    let timers: SynchronizerTimers

    /// Creates a synchronizer on the host clock, at rate 0 and time 0.
    public convenience init() { self.init(clock: .hostTimeClock) }

    package init(clock: CMClock) {
        self.clock = clock
        timebase = CMTimebase(readOnlyWithSourceClock: clock)
        timers = SynchronizerTimers(timebase: timebase, clock: clock)
        timers.activate { [weak self] in
            self?.timePassed()
        } start: { [weak self] in
            self?.startIfDue()
        }
    }

    deinit {
        timers.cancel()
        for entry in state.withLock({ $0.entries }) {
            (entry.renderer as? any EngineOwner)?.engine.detach()
        }
    }

    // MARK: Rate and time

    /// The rate that was asked for, also while the timebase waits for it.
    ///
    /// Setting it is `setRate(_:time:)` without a time. A negative rate traps.
    public var rate: Float {
        get { state.withLock { $0.rate } }
        set { setRate(newValue, time: .invalid) }
    }

    /// The timebase's time.
    ///
    /// - Returns: The time.
    public func currentTime() -> CMTime { timebase.time }

    /// Sets the rate, and the time if it is a number.
    ///
    /// Both hold when this returns, unless the rate has to wait.
    ///
    /// - Parameters:
    ///   - rate: 0 or more; a negative one traps. A rise from 0 waits until all renderers have enough, if
    ///     ``delaysRateChangeUntilHasSufficientMediaData``.
    ///   - time: The time, or `.invalid` to go on from where it is.
    public func setRate(_ rate: Float, time: CMTime) {
        checkRate(rate)
        change(rate: rate) { state in
            state.start = nil
            let isRise = rate > 0 && timebase.rate == 0
            state.isWaiting = isRise && state.delaysRateChange && !hasSufficientData(state)
            let effective = state.isWaiting ? 0 : Double(rate)
            if time.isNumeric {
                set(rate: effective, time: time, at: clock.time)
            } else {
                set(rate: effective)
            }
        }
    }

    /// Sets the rate and time that hold at a host time.
    ///
    /// With a host time in the past it is as though they had held since then. With one in the future the time
    /// stands at `time` until then. It does not wait for the renderers to have enough.
    ///
    /// - Parameters:
    ///   - rate: 0 or more; a negative one traps.
    ///   - time: The time; if it is no number, only the rate is set, at once.
    ///   - hostTime: When; if it is no number, at once.
    public func setRate(_ rate: Float, time: CMTime, atHostTime hostTime: CMTime) {
        checkRate(rate)
        change(rate: rate) { state in
            state.start = nil
            state.isWaiting = false
            let now = clock.time
            guard time.isNumeric else { return set(rate: Double(rate)) }
            if hostTime.isNumeric && hostTime > now {
                state.start = Start(rate: Double(rate), time: time, hostTime: hostTime)
                set(rate: 0, time: time, at: now)
            } else {
                set(rate: Double(rate), time: time, at: hostTime.isNumeric ? hostTime : now)
            }
        }
    }

    /// Whether a rise from rate 0 waits until all renderers have enough for a start.
    ///
    /// True unless set.
    public var delaysRateChangeUntilHasSufficientMediaData: Bool {
        get { state.withLock { $0.delaysRateChange } }
        set {
            state.withLock { $0.delaysRateChange = newValue }
            startIfSufficient()
        }
    }

    private func checkRate(_ rate: Float) {
        precondition(rate >= 0 && rate.isFinite, "a synchronizer's rate is 0 or more, not \(rate)")
    }

    private func set(rate: Double, time: CMTime? = nil, at hostTime: CMTime = .invalid) {
        do throws(MediaError) {
            if let time {
                try timebase.owner.setRateAndAnchorTime(
                    rate: rate, anchorTime: time, referenceTime: hostTime)
            } else {
                try timebase.owner.setRate(rate)
            }
        } catch {
            preconditionFailure("rate \(rate) and time are numbers: \(error)")
        }
    }

    /// Changes rate or time; tells observers what was passed before, and that there was a change.
    private func change(rate: Float? = nil, _ body: (inout State) -> Void) {
        let (done, handler) = state.withLock { state in
            for observer in state.observers { observer.observer?.pass(timebase.time) }
            let hasNewRate = rate != nil && rate != state.rate
            if let rate { state.rate = rate }
            body(&state)
            let time = timebase.time
            for observer in state.observers { observer.observer?.restart(at: time) }
            let done = takeRemovals(&state)
            arm(state)
            return (done, hasNewRate ? state.rateHandler : nil)
        }
        finish(done)
        if let rate { handler?(rate) }
    }

    // MARK: Starting late

    private func hasSufficientData(_ state: State) -> Bool {
        state.entries.allSatisfy { $0.renderer.hasSufficientMediaDataForReliablePlaybackStart }
    }

    /// Starts the timebase if it waited for the renderers and they have enough.
    func startIfSufficient() {
        let isDue = state.withLock { state in
            state.isWaiting && (!state.delaysRateChange || hasSufficientData(state))
        }
        guard isDue else { return }
        change { state in
            guard state.isWaiting else { return }
            state.isWaiting = false
            set(rate: Double(state.rate))
        }
    }

    /// Starts the timebase if its host time has come.
    private func startIfDue() {
        let isDue = state.withLock { state in
            state.start.map { $0.hostTime <= clock.time } ?? false
        }
        guard isDue else { return }
        change { state in
            guard let start = state.start, start.hostTime <= clock.time else { return }
            state.start = nil
            set(rate: start.rate, time: start.time, at: start.hostTime)
        }
    }

    // MARK: Time passing

    private func timePassed() {
        let done = state.withLock { state in
            let time = timebase.time
            for observer in state.observers { observer.observer?.pass(time) }
            let done = takeRemovals(&state)
            arm(state)
            return done
        }
        finish(done)
    }

    /// Sets the timers for what comes next.
    ///
    /// With the lock held.
    func arm(_ state: State) {
        let times =
            state.observers.compactMap { $0.observer?.next() }
            + state.entries.compactMap { $0.removal?.time }
        timers.set(next: times.min(), start: state.start?.hostTime)
    }

    /// Takes out the renderers whose time to go has come.
    ///
    /// With the lock held.
    private func takeRemovals(_ state: inout State) -> [RendererEntry] {
        let time = timebase.time
        let isDue = { (entry: RendererEntry) in entry.removal.map { $0.time <= time } ?? false }
        let due = state.entries.filter(isDue)
        state.entries.removeAll(where: isDue)
        return due
    }

    private func finish(_ removed: [RendererEntry]) {
        guard !removed.isEmpty else { return }
        for entry in removed {
            (entry.renderer as? any EngineOwner)?.engine.detach()
            entry.removal?.handler?(true)
        }
        startIfSufficient()
    }
}
