import H264

/// After how long a silence of its writer an access unit counts as complete.
///
/// A guess, which may be wrong where a writer stops in the middle of a picture: each time it is, more patience is taken,
/// and given up again slowly.
struct SilenceRule {
    private let least: UInt64
    /// Nanoseconds to wait; never more than a second, or what the source wants.
    private(set) var patience: UInt64
    private static let most: UInt64 = 1_000_000_000
    /// Access units without a mistake after which half the patience will do.
    private static let forgivingCount = 500
    private var rightCount = 0
    /// Slices of the last pictures.
    private var sliceCounts: [Int] = []

    init(least: UInt64) {
        self.least = least
        patience = least
    }

    /// Slices that a picture has at least, if the stream goes on as it was.
    var sliceCount: Int { sliceCounts.min() ?? 1 }

    /// Takes note of a whole access unit.
    mutating func pass(_ unit: AccessUnit) {
        sliceCounts.append(unit.sliceCount)
        if sliceCounts.count > 8 { sliceCounts.removeFirst() }
        rightCount += 1
        guard rightCount >= Self.forgivingCount else { return }
        rightCount = 0
        patience = max(least, patience / 2)
    }

    /// Takes note that a unit went on which had counted as complete.
    mutating func noteMistake() {
        rightCount = 0
        patience = max(least, min(patience * 4, Self.most))
    }
}
