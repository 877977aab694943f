extension CMTime: Comparable, Hashable {
    /// The order of two times, as `CMTimeCompare` gives it: -1, 0 or 1.
    ///
    /// The order is total: -infinity, numbers, indefinite, +infinity, invalid. Numbers of different
    /// epochs are in the order of their epochs; of the same epoch, of their exact values.
    package func compare(to other: CMTime) -> Int32 {
        let kinds = (kind, other.kind)
        guard kinds == (.number, .number) else {
            return kinds.0.rawValue.order(kinds.1.rawValue)
        }
        guard epoch == other.epoch else { return epoch.order(other.epoch) }
        guard timescale != other.timescale else { return value.order(other.value) }
        return (Int128(value) * Int128(other.timescale))
            .order(Int128(other.value) * Int128(timescale))
    }

    /// Whether the left time comes before the right one; see ``CMTime`` for times that are no numbers.
    public static func < (lhs: CMTime, rhs: CMTime) -> Bool {
        lhs.compare(to: rhs) < 0
    }

    /// Whether both are the same time, however it is written: 1/10 is 2/20, rounded or not.
    public static func == (lhs: CMTime, rhs: CMTime) -> Bool {
        lhs.compare(to: rhs) == 0
    }

    /// Feeds what ``==(_:_:)`` compares to the hasher.
    public func hash(into hasher: inout Hasher) {
        let kind = kind
        hasher.combine(kind)
        guard kind == .number else { return }
        let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
        hasher.combine(epoch)
        hasher.combine(value < 0)
        hasher.combine(value.magnitude / divisor)
        hasher.combine(UInt64(timescale) / divisor)
    }
}

extension Comparable {
    @inline(__always)
    fileprivate func order(_ other: Self) -> Int32 {
        self < other ? -1 : self == other ? 0 : 1
    }
}
