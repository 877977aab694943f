/// After how long a silence of its writer an access unit counts as complete.
///
/// A guess, which may be wrong where a writer stops in the middle of a picture: each time it is, more patience is taken,
/// and given up again slowly.
package struct SilenceRule {
    private let least: UInt64
    /// Nanoseconds to wait; never more than a second, or what the source wants.
    package private(set) var patience: UInt64
    private static let most: UInt64 = 1_000_000_000
    /// Access units without a mistake after which half the patience will do.
    private static let forgivingCount = 500
    private var rightCount = 0
    /// Slices of the last pictures.
    private var sliceCounts: [Int] = []

    /// A rule for a stream that has shown nothing yet.
    ///
    /// - Parameter least: Nanoseconds of silence that what has come is worth a look after.
    package init(least: UInt64) {
        self.least = least
        patience = least
    }

    /// Slices that a picture has at least, if the stream goes on as it was.
    package var sliceCount: Int { sliceCounts.min() ?? 1 }

    /// Takes note of a whole access unit, of so many slices.
    package mutating func pass(sliceCount: Int) {
        sliceCounts.append(sliceCount)
        if sliceCounts.count > 8 { sliceCounts.removeFirst() }
        rightCount += 1
        guard rightCount >= Self.forgivingCount else { return }
        rightCount = 0
        patience = max(least, patience / 2)
    }

    /// Takes note that a unit went on which had counted as complete.
    package mutating func noteMistake() {
        rightCount = 0
        patience = max(least, min(min(patience, Self.most) * 4, Self.most))
    }
}
