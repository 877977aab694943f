/// The lock over all timebases of the process, and what must outlive it.
///
/// A timebase reads its source, which reads its own, any of which may be changed or given another source
/// at any moment: a lock for each would need an order along a tree that changes, and still give no
/// snapshot. One lock cannot deadlock, and is held for the arithmetic only. While it is held, no
/// observer, timer handler or `deinit` of a client's object runs: what a change lets go of is put in
/// `Leftovers`, and released after the lock.
enum TimebaseGraph {
    // A pthread mutex: the thread sanitizer does not see that of `Synchronization` being handed over by
    // the kernel, and reports races. The number means nothing, but with `Void` the sanitizer takes the
    // access for one to whatever lies behind the monitor.
    private static let lock = Monitor<Int>(0)

    /// Objects that must not die with the lock held.
    struct Leftovers {
        private var objects: [AnyObject] = []

        mutating func keep(_ object: AnyObject) { objects.append(object) }
    }

    /// Runs `body` with the lock held.
    @inline(__always)
    static func read<Result: Sendable, Failure: Swift.Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try body() }
    }

    /// Runs `body` with the lock held, then releases what it left.
    static func change<Result: Sendable, Failure: Swift.Error>(
        _ body: (inout Leftovers) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var leftovers = Leftovers()
        // A throw leaves the leftovers too, which die at the end of this scope.
        defer { withExtendedLifetime(leftovers) {} }
        return try read { () throws(Failure) -> Result in try body(&leftovers) }
    }
}

/// The timebases that follow a clock or another timebase, for the propagation of changes.
///
/// Weak, and not unregistered by `deinit`, which would need the lock: dead entries are dropped when the
/// list would grow.
struct Dependents {
    private struct Entry {
        let id: ObjectIdentifier
        weak var timebase: CMTimebase?
    }

    private var entries: [Entry] = []
    private var pruningCount = 8

    /// Those that are alive, kept so until the lock is released.
    func live(_ leftovers: inout TimebaseGraph.Leftovers) -> [CMTimebase] {
        entries.compactMap { entry in
            guard let timebase = entry.timebase else { return nil }
            leftovers.keep(timebase)
            return timebase
        }
    }

    mutating func add(_ timebase: CMTimebase, _ leftovers: inout TimebaseGraph.Leftovers) {
        if entries.count >= pruningCount {
            entries = live(&leftovers).map { Entry(id: ObjectIdentifier($0), timebase: $0) }
            pruningCount = max(8, 2 * entries.count)
        }
        entries.append(Entry(id: ObjectIdentifier(timebase), timebase: timebase))
    }

    mutating func remove(_ timebase: CMTimebase) {
        entries.removeAll { $0.id == ObjectIdentifier(timebase) }
    }
}
