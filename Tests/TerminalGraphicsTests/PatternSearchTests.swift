import Testing
import TerminalGraphics

@Suite("Pattern search")
struct PatternSearchTests {
    /// The plain way: every pattern, each part's mean, the sum of squares.
    private func leastError(_ dots: [SIMD3<Double>], _ set: GlyphSet) -> Double {
        let coverage = set == .braille ? Double(PatternSearch.brailleCoverage) : 1
        var least = Double.infinity
        for pattern in 0..<set.patternCount {
            least = min(least, error(of: pattern, dots, coverage, colors: nil))
        }
        return least
    }

    /// Squared error of a pattern with the colours given, or the best.
    private func error(
        of pattern: Int, _ dots: [SIMD3<Double>], _ coverage: Double,
        colors: (SIMD3<Double>, SIMD3<Double>)?
    ) -> Double {
        var foreground = SIMD3<Double>.zero
        var background = SIMD3<Double>.zero
        var foregroundWeight = 0.0
        var backgroundWeight = 0.0
        for (index, dot) in dots.enumerated() {
            let set = pattern >> index & 1 != 0 ? coverage : 0
            foreground += dot * set
            foregroundWeight += set
            background += dot * (1 - set)
            backgroundWeight += 1 - set
        }
        foreground = colors?.0 ?? foreground / max(foregroundWeight, 1e-9)
        background = colors?.1 ?? background / max(backgroundWeight, 1e-9)
        var sum = 0.0
        for (index, dot) in dots.enumerated() {
            let set = pattern >> index & 1 != 0 ? coverage : 0
            let one = dot - foreground
            let other = dot - background
            sum += (one * one).sum() * set + (other * other).sum() * (1 - set)
        }
        return sum
    }

    private func vector(_ color: UInt32) -> SIMD3<Double> {
        SIMD3(Double(color >> 16 & 255), Double(color >> 8 & 255), Double(color & 255))
    }

    @Test(
        "finds the least error that trying everything finds",
        arguments: [GlyphSet.quadrant, .sextant, .octant, .braille])
    func least(set: GlyphSet) {
        let search = PatternSearch(glyphSet: set)
        let count = set.dotsPerCell.count
        let coverage = set == .braille ? Double(PatternSearch.brailleCoverage) : 1
        var random = Random(seed: 8)
        for round in 0..<400 {
            var dots = PatternSearch.Dots(repeating: .zero)
            var plain: [SIMD3<Double>] = []
            // Noise, two colours with noise, and cells that are nearly flat.
            let spread = [255, 255, 3][round % 3]
            let base = Int.random(in: 0...255 - spread, using: &random)
            for dot in 0..<count {
                var color = SIMD3<Double>.zero
                for channel in 0..<3 {
                    let value =
                        round % 3 == 1 && dot % 3 == 0
                        ? base : base + Int.random(in: 0...spread, using: &random)
                    color[channel] = Double(value)
                }
                plain.append(color)
                dots[dot] = SIMD4(Float(color.x), Float(color.y), Float(color.z), 0)
            }
            let cell = search.cell(for: dots)
            // A flat cell is pattern 0 with its colour twice.
            let got = error(
                of: Int(cell.pattern), plain, coverage,
                colors: (vector(cell.foreground), vector(cell.background)))
            // Rounding two colours to whole codes costs at most a quarter a channel and dot.
            let limit = leastError(plain, set) + 0.25 * 3 * Double(count) + 0.01
            #expect(got <= limit, "\(set) round \(round): \(got) > \(limit)")
            if set.hasComplements, cell.pattern != 0 { #expect(cell.pattern & 1 == 1) }
        }
    }
}
