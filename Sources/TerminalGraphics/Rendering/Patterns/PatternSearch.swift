/// Finds the pattern of dots that draws a cell with the least error when each part has its best colour.
///
/// With the cell's mean taken off, the parts' sums are S and -S, and the error saved over one flat colour is |S|² times a weight of the
/// pattern alone. Eight patterns at a time differ in the first dots; a loop goes over the rest.
package struct PatternSearch {
    /// The dots of one cell.
    package typealias Dots = InlineArray<8, SIMD4<Float>>

    /// Which glyphs there are, and how much of a dot's place they cover.
    package let glyphSet: GlyphSet
    private let dotCount: Int
    /// The dots that differ within eight patterns, after the first one where that is always set.
    private let firstLaneDot: Int
    private let groupCount: Int
    /// By group: eight patterns' weights.
    private let weights: [SIMD8<Float>]
    /// How much of its place a dot covers.
    private let coverage: Float

    /// Braille dots are gaps for the most part; 0.25 is what fonts of 8 × 16 pixels draw.
    package static let brailleCoverage: Float = 0.25

    package init(glyphSet: GlyphSet) {
        self.glyphSet = glyphSet
        dotCount = glyphSet.dotsPerCell.count
        firstLaneDot = glyphSet.hasComplements ? 1 : 0
        coverage = glyphSet == .braille ? Self.brailleCoverage : 1
        let patternCount = 1 << (dotCount - firstLaneDot)
        groupCount = patternCount / 8
        var weights: [SIMD8<Float>] = []
        for group in 0..<groupCount {
            var lanes = SIMD8<Float>.zero
            for lane in 0..<8 {
                let pattern = Self.pattern(group: group, lane: lane, firstLaneDot)
                lanes[lane] = Self.weight(pattern, dotCount, coverage)
            }
            weights.append(lanes)
        }
        self.weights = weights
    }

    private static func pattern(group: Int, lane: Int, _ firstLaneDot: Int) -> Int {
        let free = group << 3 | lane
        return firstLaneDot == 1 ? free << 1 | 1 : free
    }

    /// |S|² times this is the error that two colours save.
    private static func weight(_ pattern: Int, _ dotCount: Int, _ coverage: Float) -> Float {
        let set = Float(pattern.nonzeroBitCount)
        let clear = Float(dotCount) - set
        guard set > 0, coverage < 1 || clear > 0 else { return 0 }
        // The foreground covers a share of each set dot's place, the background all the rest.
        let background = clear + (1 - coverage) * set
        return coverage / set + coverage * coverage / background
    }

    /// The best cell for some dots; the fourth lane of each is not used.
    @inline(__always)
    package func cell(for dots: Dots) -> Cell {
        var total = SIMD4<Float>.zero
        for dot in 0..<dotCount { total += dots[dot] }
        let mean = total / Float(dotCount)
        let best = search(dots, mean: mean)

        var set = SIMD4<Float>.zero
        var setCount: Float = 0
        for dot in 0..<dotCount where best >> dot & 1 != 0 {
            set += dots[dot]
            setCount += 1
        }
        guard setCount > 0 else { return Cell(solid: Self.color(mean)) }
        let background = (total - coverage * set) / max(Float(dotCount) - coverage * setCount, 1e-6)
        return Self.canonical(
            UInt32(best), Self.color(set / setCount), Self.color(background), glyphSet)
    }

    @inline(__always)
    private static func canonical(
        _ pattern: UInt32, _ foreground: UInt32, _ background: UInt32, _ glyphSet: GlyphSet
    ) -> Cell {
        if pattern == glyphSet.fullPattern, glyphSet.hasComplements {
            return Cell(solid: foreground)
        }
        if foreground == background { return Cell(solid: foreground) }
        return Cell(pattern: pattern, foreground: foreground, background: background)
    }

    @inline(__always)
    static func color(_ value: SIMD4<Float>) -> UInt32 {
        // Means of codes, within 0 and 255. Lane by lane: converting a vector is a call for each in Swift 6.3.
        let red = UInt32(bitPattern: Int32(value.x + 0.5))
        let green = UInt32(bitPattern: Int32(value.y + 0.5))
        let blue = UInt32(bitPattern: Int32(value.z + 0.5))
        return red << 16 | green << 8 | blue
    }

    /// The pattern that saves most.
    @inline(__always)
    private func search(_ dots: Dots, mean: SIMD4<Float>) -> Int {
        let first = dots[firstLaneDot] - mean
        let second = dots[firstLaneDot + 1] - mean
        let third = dots[firstLaneDot + 2] - mean
        let base = firstLaneDot == 1 ? dots[0] - mean : .zero
        let red = Self.lanes(base.x, first.x, second.x, third.x)
        let green = Self.lanes(base.y, first.y, second.y, third.y)
        let blue = Self.lanes(base.z, first.z, second.z, third.z)

        var sums = InlineArray<32, SIMD4<Float>>(repeating: .zero)
        var known = 1
        for dot in firstLaneDot + 3..<max(dotCount, firstLaneDot + 3) {
            let value = dots[dot] - mean
            for group in 0..<known { sums[known &+ group] = sums[group] + value }
            known &*= 2
        }

        var most = SIMD8<Float>.zero
        var mostGroup = SIMD8<Int32>.zero
        weights.withUnsafeBufferPointer { weights in
            for group in 0..<groupCount {
                let sum = sums[group]
                let r = red + sum.x
                let g = green + sum.y
                let b = blue + sum.z
                let saved = (r * r + g * g + b * b) * weights[group]
                let better = saved .> most
                most.replace(with: saved, where: better)
                mostGroup.replace(
                    with: SIMD8(repeating: Int32(truncatingIfNeeded: group)), where: better)
            }
        }
        var lane = 0
        for other in 1..<8 where most[other] > most[lane] { lane = other }
        guard most[lane] > 0 else { return 0 }
        return Self.pattern(group: Int(mostGroup[lane]), lane: lane, firstLaneDot)
    }

    /// The sums of all choices of three values, on top of one that is always there.
    @inline(__always)
    private static func lanes(_ base: Float, _ a: Float, _ b: Float, _ c: Float) -> SIMD8<Float> {
        let ab = a + b
        return SIMD8(0, a, b, ab, c, a + c, b + c, ab + c) + base
    }
}
