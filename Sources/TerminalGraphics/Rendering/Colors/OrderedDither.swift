/// Bayer's 8 × 8 thresholds, fixed to the grid of dots so that what stands still stays still.
enum OrderedDither {
    /// From -126 to 126, in equal steps.
    @inline(__always)
    static func threshold(_ x: Int, _ y: Int) -> Int {
        // Bits of x ^ y and y, interleaved from the lowest up, are the position in the order.
        let mixed = x ^ y
        let order =
            (mixed & 1) << 5 | (y & 1) << 4 | (mixed >> 1 & 1) << 3 | (y >> 1 & 1) << 2
            | (mixed >> 2 & 1) << 1 | y >> 2 & 1
        return order * 4 - 126
    }

    @inline(__always)
    static func clamp(_ value: Int) -> Int { min(max(value, 0), 255) }
}
