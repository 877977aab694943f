public import Dispatch
public import MediaTime
internal import Synchronization

extension AVSampleBufferRenderSynchronizer {
    /// Told each new ``rate`` that was asked for: the stack's form of Apple's `rateDidChangeNotification`. [HERE]
    ///
    /// Called on the thread that set the rate, without a lock held.
    public var rateDidChangeHandler: (@Sendable (Float) -> Void)? {
        get { state.withLock { $0.rateHandler } }
        set { state.withLock { $0.rateHandler = newValue } }
    }

    /// Calls a block at once, then each time an interval of the timebase has passed, and when it jumps, starts or stops.
    ///
    /// - Parameters:
    ///   - interval: A positive time; anything else traps.
    ///   - queue: A serial queue to call it on; nil for the main queue.
    ///   - block: Told the time.
    /// - Returns: The observer. The observation ends with it.
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue? = nil,
        using block: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserver {
        precondition(interval.isNumeric && interval > .zero, "an interval is positive")
        return add(.periodic(interval: interval, block: block), queue) { $0.restart(at: $1) }
    }

    /// Calls a block whenever the timebase, running, comes to one of some times.
    ///
    /// - Parameters:
    ///   - times: The times; none traps. Those that are past already are never told.
    ///   - queue: A serial queue to call it on; nil for the main queue.
    ///   - block: Called once for each time.
    /// - Returns: The observer. The observation ends with it.
    public func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue? = nil,
        using block: @escaping @Sendable () -> Void
    ) -> TimeObserver {
        precondition(!times.isEmpty, "a boundary time observer needs a time")
        let now = timebase.time
        let ahead = times.filter { $0.isNumeric && $0 > now }.sorted()
        return add(.boundary(times: ahead, block: block), queue) { $0.begin(at: $1) }
    }

    private func add(
        _ kind: TimeObserver.Kind, _ queue: DispatchQueue?,
        begin: (TimeObserver, CMTime) -> Void
    ) -> TimeObserver {
        let observer = TimeObserver(kind, queue: queue ?? .main, owner: ObjectIdentifier(self))
        state.withLock { state in
            begin(observer, timebase.time)
            state.observers.removeAll { $0.observer == nil }
            state.observers.append(WeakObserver(observer: observer))
            arm(state)
        }
        return observer
    }

    /// Ends an observation: no call begins after this returns.
    ///
    /// Doing so twice does no harm.
    ///
    /// - Parameter observer: An observer of this synchronizer; any other traps.
    public func removeTimeObserver(_ observer: TimeObserver) {
        precondition(
            observer.owner == ObjectIdentifier(self), "the observer is another synchronizer's")
        observer.end()
        state.withLock { state in
            state.observers.removeAll { $0.observer == nil || $0.observer === observer }
            arm(state)
        }
    }
}
