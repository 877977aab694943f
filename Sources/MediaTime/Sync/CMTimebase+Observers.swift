internal import Dispatch

// Not Apple's: what Apple posts as notifications, for which Foundation would be needed.
extension CMTimebase {
    /// Something that happened to a timebase.
    public struct Event: Hashable, Sendable {
        /// What can happen.
        public enum Kind: Hashable, Sendable {
            /// The rate was set to another, or that of a source was.
            case effectiveRateChanged
            /// The time was set, or that of a source was.
            case timeJumped
        }

        /// What happened.
        public let kind: Kind

        /// When it happened, by the ultimate clock.
        public let eventTime: CMTime
    }

    /// A running observation, which ends with this object.
    public final class Observation: Sendable {
        private let entry: ObserverEntry

        init(_ entry: ObserverEntry) { self.entry = entry }

        deinit { entry.end() }

        /// Ends the observation: no call begins after this returns.
        ///
        /// Doing so again does nothing.
        public func invalidate() { entry.end() }
    }

    /// Calls `body` for everything that happens to the timebase from now on.
    ///
    /// The calls of one timebase come one after the other, in the order of the events, on a thread of their own:
    /// `body` may use the timebase as it likes.
    ///
    /// - Parameter body: Told each event. Held until the observation ends.
    /// - Returns: The observation; keep it.
    public func addObserver(
        _ body: @escaping @Sendable (Event) -> Void
    ) -> Observation {
        let entry = ObserverEntry(self, body)
        TimebaseGraph.read {
            if observerQueue == nil {
                let queue = DispatchQueue(label: "CMTimebase.events", qos: .userInitiated)
                queue.setSpecific(key: Self.observerQueueKey, value: ObjectIdentifier(self))
                observerQueue = queue
            }
            observers[ObjectIdentifier(entry)] = entry
        }
        return Observation(entry)
    }

    /// Waits until the observers have been told of everything that has happened.
    ///
    /// Called by an observer of this timebase it returns at once, as it cannot wait for itself.
    ///
    /// - Throws: Never here.
    public func notificationBarrier() throws(MediaError) {
        guard DispatchQueue.getSpecific(key: Self.observerQueueKey) != ObjectIdentifier(self)
        else { return }
        TimebaseGraph.read { observerQueue }?.sync {}
    }

    private static let observerQueueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Has the observers told, later and without the lock.
    func lockedPost(_ kind: Event.Kind, now: Int64) {
        guard !observers.isEmpty, let observerQueue else { return }
        let event = Event(
            kind: kind, eventTime: CMTime(value: now, timescale: 1_000_000_000))
        let entries = Array(observers.values)
        observerQueue.async {
            for entry in entries { entry.tell(event) }
        }
    }
}

/// An observer of a timebase.
final class ObserverEntry: Sendable {
    private let body: Monitor<(@Sendable (CMTimebase.Event) -> Void)?>
    private weak let timebase: CMTimebase?

    init(_ timebase: CMTimebase, _ body: @escaping @Sendable (CMTimebase.Event) -> Void) {
        self.timebase = timebase
        self.body = Monitor(body)
    }

    func tell(_ event: CMTimebase.Event) {
        body.withLock { $0 }?(event)
    }

    /// Lets go of the body, and of the timebase's hold on this.
    func end() {
        // The body dies here and not with a lock held: it may hold the last reference to anything.
        let doomed = body.withLock { body in
            defer { body = nil }
            return body
        }
        guard doomed != nil, let timebase else { return }
        TimebaseGraph.change { leftovers in
            guard let entry = timebase.observers.removeValue(forKey: ObjectIdentifier(self))
            else { return }
            leftovers.keep(entry)
        }
    }
}
