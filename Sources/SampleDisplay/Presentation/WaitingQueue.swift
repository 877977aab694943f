package import MediaTime

/// Something decoded that waits for its time.
package struct Waiting<Content> {
    /// Output presentation time stamp; numeric.
    package var time: CMTime
    /// Place in the order in which the client enqueued, from 1.
    package var ordinal: UInt64
    /// Whether the client enqueued it as an image buffer, so that nothing had to be decoded.
    package var isClientImage: Bool
    /// The picture.
    package var content: Content

    /// Creates an entry.
    package init(time: CMTime, ordinal: UInt64, isClientImage: Bool = false, content: Content) {
        self.time = time
        self.ordinal = ordinal
        self.isClientImage = isClientImage
        self.content = content
    }
}

extension Waiting: Sendable where Content: Sendable {}

/// What is decoded and not yet shown, sorted by time; equal times lie in the order of arrival.
package struct WaitingQueue<Content> {
    /// Ascending.
    package private(set) var entries: [Waiting<Content>] = []

    /// Creates an empty queue.
    package init() {}

    /// Number of entries.
    package var count: Int { entries.count }
    /// Whether there is none.
    package var isEmpty: Bool { entries.isEmpty }

    /// Number of entries whose time is at or before `time`: those are `entries[0..<result]`.
    ///
    /// - Complexity: O(log n).
    package func count(upTo time: CMTime) -> Int { partition { $0 <= time } }

    /// Number of entries whose time is before `time`.
    ///
    /// - Complexity: O(log n).
    package func count(below time: CMTime) -> Int { partition { $0 < time } }

    private func partition(_ isInFront: (CMTime) -> Bool) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if isInFront(entries[middle].time) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Puts an entry in its place, behind those of the same time.
    package mutating func insert(_ entry: Waiting<Content>) {
        entries.insert(entry, at: count(upTo: entry.time))
    }

    /// Takes out the entry at `index`.
    package mutating func remove(at index: Int) -> Waiting<Content> { entries.remove(at: index) }

    /// Takes out the entries at `indices`, which ascend.
    package mutating func remove(at indices: [Int]) -> [Waiting<Content>] {
        guard !indices.isEmpty else { return [] }
        let removed = indices.map { entries[$0] }
        for index in indices.reversed() { entries.remove(at: index) }
        return removed
    }

    /// Takes out the entries that `isDoomed`.
    package mutating func removeAll(
        where isDoomed: (Waiting<Content>) -> Bool
    ) -> [Waiting<Content>] {
        remove(at: entries.indices.filter { isDoomed(entries[$0]) })
    }

    /// Takes out everything.
    package mutating func removeAll() -> [Waiting<Content>] {
        defer { entries.removeAll(keepingCapacity: true) }
        return entries
    }
}

extension WaitingQueue: Sendable where Content: Sendable {}
