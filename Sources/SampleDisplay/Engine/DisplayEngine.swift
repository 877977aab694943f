internal import Dispatch
internal import MediaTime
internal import SampleBuffers
internal import Synchronization

/// What stands behind a layer and its renderer: the queue, the decode thread and the display thread.
///
/// The threads hold the engine, and end when ``stop()`` is called, which its owner does when it goes.
final class DisplayEngine: Sendable {
    /// What the client has plugged in; read without the monitor, called without any lock.
    struct Outlets: Sendable {
        weak var sink: (any SampleBufferDisplaySink)?
        var presentationHandler: AVSampleBufferDisplayLayer.PresentationHandler?
        var eventHandler: (@Sendable (SampleDisplayEvent) -> Void)?
        /// A synchronizer's, told when there is enough for a start.
        var sufficiencyHandler: (@Sendable () -> Void)?
        var settings = SampleDecoderSettings()
    }

    /// What the timebase follows.
    struct Source: Sendable {
        var controlTimebase: CMTimebase?
        var isAttached = false
    }

    let monitor: Monitor<DisplayState>
    let outlets = Mutex(Outlets())
    let source = Mutex(Source())
    /// The renderer's own read-only timebase; the same object for ever.
    let timebase: CMTimebase
    let makeDecoder: SampleDecoderFactory
    private let observation = Mutex<CMTimebase.Observation?>(nil)
    private let formatDepth = FormatDepth()

    init(makeDecoder: @escaping SampleDecoderFactory) {
        timebase = CMTimebase(following: CMClock.hostTimeClock, readOnly: true)
        monitor = Monitor(DisplayState(timebase: timebase))
        self.makeDecoder = makeDecoder
        let observation = timebase.addObserver { [weak self] _ in self?.poke() }
        self.observation.withLock { $0 = observation }
    }

    // MARK: Changing the state

    /// Changes the state, wakes the threads, and does what the change asks for.
    @discardableResult
    func change<R>(_ body: (inout DisplayState, inout DisplayEffects) -> R) -> R {
        var effects = DisplayEffects()
        let result = monitor.update { state in
            let result = body(&state, &effects)
            state.generation += 1
            state.settle(&effects)
            return result
        }
        perform(effects)
        return result
    }

    /// Has the threads look again: the timebase has changed.
    func poke() {
        change { _, _ in }
    }

    /// Does what a change asked for.
    ///
    /// No lock is held.
    func perform(_ effects: DisplayEffects) {
        if !effects.discards.isEmpty {
            let sink = outlets.withLock { $0.sink }
            for picture in effects.discards { sink?.discard(picture) }
        }
        if !effects.events.isEmpty, let handler = outlets.withLock({ $0.eventHandler }) {
            for event in effects.events { handler(event) }
        }
        if effects.hasBecomeSufficient { outlets.withLock { $0.sufficiencyHandler }?() }
        if let request = effects.request { schedule(request, paced: effects.isPaced) }
    }

    // MARK: The client's calls

    func enqueue(_ buffer: CMSampleBuffer) {
        for (piece, traits) in SampleTraits.singleSamples(of: buffer) {
            let depth = formatDepth.reorderDepth(of: piece.formatDescription)
            change { state, _ in
                state.enqueue(piece, traits, reorderDepth: depth)
                startThreads(&state)
            }
        }
    }

    func flush(removingImage: Bool, completion: (@Sendable () -> Void)? = nil) {
        change { state, effects in
            state.flush(removingImage: removingImage, &effects)
            if let completion { state.flushCompletions.append(completion) }
            if removingImage || completion != nil { startThreads(&state) }
        }
    }

    /// Ends the threads.
    ///
    /// What waits is discarded; nothing is shown any more.
    func stop() {
        observation.withLock { $0 = nil }
        change { state, effects in
            state.flush(removingImage: false, &effects)
            state.isRemovalRequested = false
            state.request = nil
            state.isStopped = true
        }
    }

    private func startThreads(_ state: inout DisplayState) {
        guard !state.areThreadsRunning, !state.isStopped else { return }
        state.areThreadsRunning = true
        startThread(named: "tplay decode") { DecodeWorker(self).run() }
        startThread(named: "tplay display") { DisplayWorker(self).run() }
    }

    // MARK: The timebase

    var controlTimebase: CMTimebase? {
        get { source.withLock { $0.controlTimebase } }
        set {
            source.withLock { source in
                source.controlTimebase = newValue
                if !source.isAttached { follow(newValue) }
            }
        }
    }

    /// Follows a synchronizer's timebase; the control timebase is not asked meanwhile (Y-6).
    func attach(to master: CMTimebase, sufficiencyHandler: @escaping @Sendable () -> Void) {
        source.withLock { source in
            source.isAttached = true
            follow(master)
        }
        outlets.withLock { $0.sufficiencyHandler = sufficiencyHandler }
    }

    /// Leaves the synchronizer (Y-7).
    func detach() {
        outlets.withLock { $0.sufficiencyHandler = nil }
        source.withLock { source in
            source.isAttached = false
            if source.controlTimebase != nil {
                follow(source.controlTimebase)
            } else {
                timebase.owner.reset()
            }
        }
    }

    /// Follows a timebase, or the host clock.
    ///
    /// Only a timebase that follows this one cannot be followed.
    private func follow(_ master: CMTimebase?) {
        do throws(MediaError) {
            if let master {
                try timebase.owner.follow(master)
            } else {
                try timebase.owner.follow(CMClock.hostTimeClock)
            }
        } catch {
            preconditionFailure("a renderer's control timebase follows the renderer: \(error)")
        }
    }

    // MARK: For tests

    /// Waits until both threads, or the display thread, have nothing to do at the time it is now.
    func waitUntilIdle(displayOnly: Bool = false) {
        let isRunning = change { state, _ in
            state.idlenessWaiterCount += 1
            return state.areThreadsRunning && !state.isStopped
        }
        defer { monitor.withLock { $0.idlenessWaiterCount -= 1 } }
        guard isRunning else { return }
        _ = monitor.wait { state -> Void? in
            let isIdle =
                (displayOnly || state.parkedDecodeGeneration == state.generation)
                && state.parkedDisplayGeneration == state.generation
            return isIdle || state.isStopped ? () : nil
        }
    }
}
