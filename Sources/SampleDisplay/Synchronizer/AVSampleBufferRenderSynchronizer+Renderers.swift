public import MediaTime
internal import Synchronization

/// A renderer of this module.
protocol EngineOwner: AVQueuedSampleBufferRendering {
    var engine: DisplayEngine { get }
}

extension AVSampleBufferVideoRenderer: EngineOwner {}
extension AVSampleBufferDisplayLayer: EngineOwner {}

extension AVSampleBufferRenderSynchronizer {
    /// The renderers, those whose removal is scheduled included.
    public var renderers: [any AVQueuedSampleBufferRendering] {
        state.withLock { $0.entries.map(\.renderer) }
    }

    /// Has a renderer show by this synchronizer's timebase.
    ///
    /// Its own `timebase` reads the same from now on.
    ///
    /// - Parameter renderer: The renderer. One that is attached already traps.
    public func addRenderer(_ renderer: any AVQueuedSampleBufferRendering) {
        let engine = (renderer as? any EngineOwner)?.engine
        state.withLock { state in
            precondition(
                !state.entries.contains { $0.renderer === renderer },
                "the renderer is attached already")
            state.entries.append(RendererEntry(renderer: renderer))
        }
        engine?.attach(to: timebase) { [weak self] in self?.startIfSufficient() }
    }

    /// Lets a renderer go at a time.
    ///
    /// - Parameters:
    ///   - renderer: The renderer.
    ///   - time: When; at once if it is reached or no number.
    ///   - completionHandler: Told true when it is done; false when the renderer is not attached (before this returns), or
    ///     when a later removal takes this one's place.
    public func removeRenderer(
        _ renderer: any AVQueuedSampleBufferRendering, at time: CMTime,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        enum Outcome { case notAttached, scheduled, removed }
        let (outcome, earlier) = state.withLock { state -> (Outcome, Removal?) in
            guard let index = state.entries.firstIndex(where: { $0.renderer === renderer }) else {
                return (.notAttached, nil)
            }
            let earlier = state.entries[index].removal
            if time.isNumeric && time > timebase.time {
                state.entries[index].removal = Removal(time: time, handler: completionHandler)
                arm(state)
                return (.scheduled, earlier)
            }
            state.entries.remove(at: index)
            arm(state)
            return (.removed, earlier)
        }
        earlier?.handler?(false)
        switch outcome {
        case .notAttached: completionHandler?(false)
        case .scheduled: break
        case .removed:
            (renderer as? any EngineOwner)?.engine.detach()
            completionHandler?(true)
            startIfSufficient()
        }
    }

    /// Lets a renderer go at a time.
    ///
    /// - Parameters:
    ///   - renderer: The renderer.
    ///   - time: When; at once if it is reached or no number.
    /// - Returns: Whether it was removed by this call.
    public func removeRenderer(
        _ renderer: any AVQueuedSampleBufferRendering, at time: CMTime
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            removeRenderer(renderer, at: time) { continuation.resume(returning: $0) }
        }
    }
}
