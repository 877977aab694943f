internal import Dispatch
internal import MediaTime
internal import Synchronization

extension AVSampleBufferRenderSynchronizer {
    /// An observation of a synchronizer's time.
    ///
    /// It ends when the object goes.
    public final class TimeObserver: Sendable {
        enum Kind: Sendable {
            case periodic(interval: CMTime, block: @Sendable (CMTime) -> Void)
            /// The times ascend.
            case boundary(times: [CMTime], block: @Sendable () -> Void)
        }

        /// The synchronizer's state guards it: read and written only with that lock.
        struct Progress: Sendable {
            /// Periodic: where the count of intervals begins.
            var base = CMTime.zero
            /// The time up to which everything was told.
            var told = CMTime.zero
        }

        let kind: Kind
        let queue: DispatchQueue
        let owner: ObjectIdentifier
        let progress = Mutex(Progress())
        private let isActive = Atomic<Bool>(true)

        init(_ kind: Kind, queue: DispatchQueue, owner: ObjectIdentifier) {
            self.kind = kind
            self.queue = queue
            self.owner = owner
        }

        func end() { isActive.store(false, ordering: .sequentiallyConsistent) }

        /// Begins at `time`: nothing before it is told.
        func begin(at time: CMTime) {
            progress.withLock { $0 = Progress(base: time, told: time) }
        }

        /// The time at which it has something to tell next, if time goes on.
        func next() -> CMTime? {
            let progress = progress.withLock { $0 }
            switch kind {
            case .periodic(let interval, _):
                return PeriodicTimes(base: progress.base, interval: interval).next(
                    after: progress.told)
            case .boundary(let times, _): return times.first { $0 > progress.told }
            }
        }

        /// Tells what was passed on the way to `time`.
        func pass(_ time: CMTime) {
            let told = progress.withLock { progress in
                defer { progress.told = max(time, progress.told) }
                return progress.told
            }
            switch kind {
            case .periodic:
                if let next = nextPeriodic(after: told), next <= time { call(time) }
            case .boundary(let times, _):
                for passed in times where passed > told && passed <= time { call(passed) }
            }
        }

        private func nextPeriodic(after told: CMTime) -> CMTime? {
            guard case .periodic(let interval, _) = kind else { return nil }
            let base = progress.withLock { $0.base }
            return PeriodicTimes(base: base, interval: interval).next(after: told)
        }

        /// Starts anew at `time`, to which the timebase jumped or at which its rate changed.
        func restart(at time: CMTime) {
            begin(at: time)
            if case .periodic = kind { call(time) }
        }

        private func call(_ time: CMTime) {
            // The block dies with the observer: a dropped token is not called again.
            queue.async { [weak self] in
                guard let self, isActive.load(ordering: .sequentiallyConsistent) else { return }
                switch kind {
                case .periodic(_, let block): block(time)
                case .boundary(_, let block): block()
                }
            }
        }
    }
}

/// Times at equal distances.
struct PeriodicTimes {
    var base: CMTime
    var interval: CMTime

    /// The first one after a time that is not before the base.
    func next(after time: CMTime) -> CMTime {
        let passed = ((time - base).seconds / interval.seconds).rounded(.down)
        var count = Int32(clamping: Int64(min(max(passed, 0), 2e9)))
        // Double is only near: the exact times decide.
        while count > 0, base + interval.multiplied(by: count) > time { count -= 1 }
        while base + interval.multiplied(by: count) <= time, count < .max { count += 1 }
        return base + interval.multiplied(by: count)
    }
}
