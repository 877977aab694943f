/// Digits of 3 × 5 dots.
package enum Digits {
    private static let rows: [[UInt8]] = [
        [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 3, 1, 7], [5, 5, 7, 1, 1],
        [7, 4, 7, 1, 7], [7, 4, 7, 5, 7], [7, 1, 2, 2, 2], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
    ]

    /// Dots across for `count` digits with one dot between.
    package static func width(_ count: Int) -> Int { 4 * count - 1 }

    /// Whether a dot of `number`, shown with `count` digits, is set.
    package static func isSet(_ number: Int, count: Int, x: Int, y: Int) -> Bool {
        guard (0..<width(count)).contains(x), (0..<5).contains(y), x % 4 < 3 else { return false }
        var value = number
        for _ in 0..<count - 1 - x / 4 { value /= 10 }
        return rows[value % 10][y] >> UInt8(2 - x % 4) & 1 == 1
    }
}
