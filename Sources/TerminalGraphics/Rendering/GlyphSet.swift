/// A family of characters that draw patterns of dots.
package enum GlyphSet: UInt8, CaseIterable, Sendable {
    case half, quadrant, sextant, octant, braille, ascii

    /// Dots in a cell; for ASCII the samples that a glyph is judged by.
    package var dotsPerCell: DotsPerCell {
        switch self {
        case .half: DotsPerCell(columns: 1, rows: 2)
        case .quadrant: DotsPerCell(columns: 2, rows: 2)
        case .sextant: DotsPerCell(columns: 2, rows: 3)
        case .octant, .braille, .ascii: DotsPerCell(columns: 2, rows: 4)
        }
    }

    /// Whether every pattern's complement is drawn as exactly the rest of the cell.
    package var hasComplements: Bool { self != .braille && self != .ascii }

    /// The pattern with every dot set; 0 where there are no complements.
    var fullPattern: UInt32 { hasComplements ? UInt32(1) << dotsPerCell.count - 1 : 0 }

    /// Number of patterns.
    package var patternCount: Int { self == .ascii ? 95 : 1 << dotsPerCell.count }

    /// The character of a pattern: bit k is dot k, counted left to right, then down.
    package func scalar(pattern: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt32(code(pattern))) ?? " "
    }

    private func code(_ pattern: Int) -> Int {
        switch self {
        case .half: [0x20, 0x2580, 0x2584, 0x2588][pattern]
        case .quadrant: Self.quadrants[pattern]
        case .sextant: Self.sextant(pattern)
        case .octant: Self.octant(pattern)
        case .braille: Self.braille(pattern)
        case .ascii: 0x20 + pattern
        }
    }

    // Upper left, upper right, lower left, lower right are bits 0 to 3.
    private static let quadrants = [
        0x20, 0x2598, 0x259D, 0x2580, 0x2596, 0x258C, 0x259E, 0x259B,
        0x2597, 0x259A, 0x2590, 0x259C, 0x2584, 0x2599, 0x259F, 0x2588,
    ]

    /// U+1FB00 to U+1FB3B, in order of the pattern, without the four that were there before.
    private static func sextant(_ pattern: Int) -> Int {
        switch pattern {
        case 0: 0x20
        case 0b01_0101: 0x258C
        case 0b10_1010: 0x2590
        case 0b11_1111: 0x2588
        default:
            0x1FB00 + pattern - 1 - (pattern > 0b01_0101 ? 1 : 0) - (pattern > 0b10_1010 ? 1 : 0)
        }
    }

    /// Patterns of eight dots that were characters before Unicode 16, beside those that quadrants draw.
    private static let otherOctants = [
        0b0000_0001: 0x1CEA8, 0b0000_0010: 0x1CEAB, 0b0000_0011: 0x1FB82, 0b0001_0100: 0x1FBE6,
        0b0010_1000: 0x1FBE7, 0b0011_1111: 0x1FB85, 0b0100_0000: 0x1CEA3, 0b1000_0000: 0x1CEA0,
        0b1100_0000: 0x2582, 0b1111_1100: 0x2586,
    ]

    /// The quadrant pattern that a pattern of eight dots is, if it is one.
    private static func quadrant(ofOctant pattern: Int) -> Int? {
        let upper = pattern & 3
        let lower = pattern >> 4 & 3
        guard pattern >> 2 & 3 == upper, pattern >> 6 & 3 == lower else { return nil }
        return upper | lower << 2
    }

    /// U+1CD00 to U+1CDE5, in order of the pattern, without those that other characters draw.
    private static let octants: [Int] = {
        var next = 0x1CD00
        return (0..<256).map { pattern in
            if let quadrant = quadrant(ofOctant: pattern) { return quadrants[quadrant] }
            if let other = otherOctants[pattern] { return other }
            defer { next += 1 }
            return next
        }
    }()

    private static func octant(_ pattern: Int) -> Int { octants[pattern] }

    /// Braille counts dots down the left column, then the right, and the lowest row last.
    private static func braille(_ pattern: Int) -> Int {
        let bits = [0, 3, 1, 4, 2, 5, 6, 7]
        return 0x2800 + (0..<8).reduce(0) { $0 | (pattern >> $1 & 1) << bits[$1] }
    }
}
