import Testing
import TerminalGraphics

@Suite("Glyph sets")
struct GlyphSetTests {
    /// Unicode's own names say which dots a character draws.
    @Test(
        "the code point of every pattern draws its dots",
        arguments: [GlyphSet.sextant, .octant, .braille])
    func names(set: GlyphSet) throws {
        let prefix: [GlyphSet: String] = [
            .sextant: "BLOCK SEXTANT-", .octant: "BLOCK OCTANT-", .braille: "BRAILLE PATTERN DOTS-",
        ]
        // Braille counts down the left column first, and the lowest row last.
        let order = set == .braille ? [1, 4, 2, 5, 3, 6, 7, 8] : Array(1...8)
        var named = 0
        for pattern in 0..<set.patternCount {
            let name = try #require(set.scalar(pattern: pattern).properties.name)
            let start = try #require(prefix[set])
            guard name.hasPrefix(start) else { continue }
            named += 1
            let digits = (0..<set.dotsPerCell.count).filter { pattern >> $0 & 1 != 0 }.map {
                order[$0]
            }
            #expect(name == start + digits.sorted().map(String.init).joined())
        }
        #expect(named == [GlyphSet.sextant: 60, .octant: 230, .braille: 255][set])
    }

    @Test("patterns that other blocks draw have their names")
    func others() {
        let names: [(GlyphSet, Int, String)] = [
            (.half, 1, "UPPER HALF BLOCK"), (.half, 2, "LOWER HALF BLOCK"),
            (.half, 3, "FULL BLOCK"),
            (.quadrant, 0b0001, "QUADRANT UPPER LEFT"), (.quadrant, 0b0010, "QUADRANT UPPER RIGHT"),
            (.quadrant, 0b0100, "QUADRANT LOWER LEFT"), (.quadrant, 0b1000, "QUADRANT LOWER RIGHT"),
            (.quadrant, 0b0011, "UPPER HALF BLOCK"), (.quadrant, 0b0101, "LEFT HALF BLOCK"),
            (.quadrant, 0b1010, "RIGHT HALF BLOCK"), (.quadrant, 0b1100, "LOWER HALF BLOCK"),
            (.quadrant, 0b1001, "QUADRANT UPPER LEFT AND LOWER RIGHT"),
            (.quadrant, 0b0110, "QUADRANT UPPER RIGHT AND LOWER LEFT"),
            (.quadrant, 0b0111, "QUADRANT UPPER LEFT AND UPPER RIGHT AND LOWER LEFT"),
            (.quadrant, 0b1011, "QUADRANT UPPER LEFT AND UPPER RIGHT AND LOWER RIGHT"),
            (.quadrant, 0b1101, "QUADRANT UPPER LEFT AND LOWER LEFT AND LOWER RIGHT"),
            (.quadrant, 0b1110, "QUADRANT UPPER RIGHT AND LOWER LEFT AND LOWER RIGHT"),
            (.sextant, 0b010101, "LEFT HALF BLOCK"), (.sextant, 0b101010, "RIGHT HALF BLOCK"),
            (.octant, 0b0000_0001, "LEFT HALF UPPER ONE QUARTER BLOCK"),
            (.octant, 0b0000_0010, "RIGHT HALF UPPER ONE QUARTER BLOCK"),
            (.octant, 0b0000_0011, "UPPER ONE QUARTER BLOCK"),
            (.octant, 0b0100_0000, "LEFT HALF LOWER ONE QUARTER BLOCK"),
            (.octant, 0b1000_0000, "RIGHT HALF LOWER ONE QUARTER BLOCK"),
            (.octant, 0b1100_0000, "LOWER ONE QUARTER BLOCK"),
            (.octant, 0b0011_1111, "UPPER THREE QUARTERS BLOCK"),
            (.octant, 0b1111_1100, "LOWER THREE QUARTERS BLOCK"),
            (.octant, 0b0001_0100, "MIDDLE LEFT ONE QUARTER BLOCK"),
            (.octant, 0b0010_1000, "MIDDLE RIGHT ONE QUARTER BLOCK"),
            (.octant, 0b0000_0101, "QUADRANT UPPER LEFT"),
            (.octant, 0b0000_1111, "UPPER HALF BLOCK"),
            (.octant, 0b0101_0101, "LEFT HALF BLOCK"), (.octant, 0b1111_1111, "FULL BLOCK"),
        ]
        for (set, pattern, name) in names {
            #expect(set.scalar(pattern: pattern).properties.name == name)
        }
    }

    @Test("no two patterns share a code point", arguments: GlyphSet.allCases)
    func distinct(set: GlyphSet) {
        let scalars = Set((0..<set.patternCount).map { set.scalar(pattern: $0) })
        #expect(scalars.count == set.patternCount)
    }
}
