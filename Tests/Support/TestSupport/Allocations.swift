import CAllocationCount

/// What a stretch of code allocates, whatever library asks for it.
///
/// The whole process is counted: take a process of its own (`processExitsWith`), where no other test runs.
public struct Allocations: CustomStringConvertible {
    /// Allocations that gave memory.
    public let count: Int
    /// Those of ``largeByteCount`` or more.
    public let largeCount: Int
    /// Bytes of the largest.
    public let largest: Int
    private let firstLarge: [Int]

    /// What is called large: a page.
    ///
    /// No picture, no screen of cells and no chunk of sixels is smaller.
    public static let largeByteCount = 4096

    /// Whether allocations can be counted, which a sanitizer's allocator does not let us.
    ///
    /// Tests that count are skipped, and say so, where they cannot be.
    public static let canBeCounted: Bool = {
        let can = cac_can_count()
        if !can {
            print("SKIPPED: the tests that count allocations; a sanitizer has the allocator")
        }
        return can
    }()

    /// Runs the code and counts.
    public init(of body: () throws -> Void) rethrows {
        cac_begin(Self.largeByteCount)
        let counts: cac_counts
        do {
            try body()
            counts = cac_end()
        } catch {
            _ = cac_end()
            throw error
        }
        count = counts.all
        largeCount = counts.large
        largest = counts.largest
        let first = counts.first
        let sizes = [first.0, first.1, first.2, first.3, first.4, first.5, first.6, first.7]
        firstLarge = sizes.filter { $0 > 0 }
    }

    /// Figures for a failure, or to watch.
    public var description: String {
        "\(count) allocations, largest \(largest), \(largeCount) large \(firstLarge)"
    }
}
