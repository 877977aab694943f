/// Up to which rank pictures that come in another order are all there.
public struct RankFrontier: Sendable {
    /// All smaller ranks have been added.
    public private(set) var rank = 0
    /// Larger ones that have been.
    private var early: Set<Int> = []

    /// Nothing has been added.
    public init() {}

    /// Adds a rank, each once.
    public mutating func add(_ added: Int) {
        guard added == rank else {
            early.insert(added)
            return
        }
        rank += 1
        while !early.isEmpty, early.remove(rank) != nil { rank += 1 }
    }

    /// Whether the rank has been added.
    public func contains(_ rank: Int) -> Bool { rank < self.rank || early.contains(rank) }
}
