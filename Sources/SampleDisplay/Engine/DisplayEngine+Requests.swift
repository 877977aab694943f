internal import Dispatch
internal import MediaTime

extension DisplayEngine {
    /// L-19: the block is called as long as the layer is ready.
    func requestMediaData(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
        change { state, _ in
            state.request = MediaDataRequest(queue: queue, block: block)
            state.isRequestScheduled = false
        }
    }

    /// L-20.
    func stopRequestingMediaData() {
        change { state, _ in
            state.request = nil
            state.isRequestScheduled = false
        }
    }

    func schedule(_ request: MediaDataRequest, paced: Bool) {
        // Weak: a client that drops the layer without stopping is not called again (L-21).
        let call: @Sendable () -> Void = { [weak self] in self?.call(request) }
        if paced {
            request.queue.asyncAfter(deadline: .now() + MediaDataRequest.pace, execute: call)
        } else {
            request.queue.async(execute: call)
        }
    }

    private func call(_ request: MediaDataRequest) {
        let enqueued = monitor.withLock { state -> Int? in
            guard state.request === request else { return nil }
            guard state.isReady else {
                // `settle` schedules it when the layer is ready again.
                state.isRequestScheduled = false
                return nil
            }
            return state.statistics.enqueued
        }
        guard let enqueued else { return }
        request.block()
        change { state, effects in
            guard state.request === request else { return }
            state.isRequestScheduled = false
            effects.isPaced = state.statistics.enqueued == enqueued
        }
    }
}
