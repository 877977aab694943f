package import MediaTime

/// The presentation times of pictures that are enqueued and not yet decoded, as far as they are to be shown.
///
/// They say what can still overtake a decoded picture: exact knowledge, where a reorder bound is a guess.
package struct ExpectedTimes: Sendable {
    private struct Entry {
        var time: CMTime
        var ordinal: UInt64
    }

    /// Ascending by time.
    private var entries: [Entry] = []

    /// Creates an empty set.
    package init() {}

    /// Whether nothing is expected.
    package var isEmpty: Bool { entries.isEmpty }
    /// Number of pictures expected.
    package var count: Int { entries.count }

    private func count(upTo time: CMTime) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Expects a picture.
    package mutating func insert(_ time: CMTime, ordinal: UInt64) {
        entries.insert(Entry(time: time, ordinal: ordinal), at: count(upTo: time))
    }

    /// Expects it no longer: it came, or it never will.
    package mutating func remove(ordinal: UInt64) {
        if let index = entries.firstIndex(where: { $0.ordinal == ordinal }) {
            entries.remove(at: index)
        }
    }

    /// Expects no longer what was handed to the decoder, up to `ordinal`, and lies before `time`.
    ///
    /// A decoder that gives pictures in presentation order has passed them.
    package mutating func remove(upTo ordinal: UInt64, before time: CMTime? = nil) {
        entries.removeAll { entry in
            entry.ordinal <= ordinal && (time.map { entry.time < $0 } ?? true)
        }
    }

    /// Expects nothing.
    package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Whether a picture with a time in (`low`, `high`] is expected; a nil `low` has no lower end.
    package func hasTime(above low: CMTime?, upTo high: CMTime) -> Bool {
        let index = low.map { count(upTo: $0) } ?? 0
        return index < entries.count && entries[index].time <= high
    }

    /// Whether a picture with a time in (`low`, `high`) is expected.
    package func hasTime(above low: CMTime?, below high: CMTime) -> Bool {
        let index = low.map { count(upTo: $0) } ?? 0
        return index < entries.count && entries[index].time < high
    }

    /// Number of pictures above `time`.
    package func count(above time: CMTime) -> Int { entries.count - count(upTo: time) }

    /// The times above `time`, ascending.
    package func times(above time: CMTime) -> some Sequence<CMTime> {
        entries[count(upTo: time)...].lazy.map(\.time)
    }
}
