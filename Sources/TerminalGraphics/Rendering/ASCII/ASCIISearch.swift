/// Finds the printable character, and its two colours, that draw eight dots with the least error.
///
/// A character covers a share a of each dot's place: it shows background + a · (foreground - background). The best colours of one are those of a
/// straight line through the dots by a, kept within 0 and 255.
package final class ASCIISearch {
    private static let count = 95
    /// By dot, then by character: the share covered.
    private let shares: [Float]
    private let sums: [Float]
    private let squares: [Float]
    private let errors = ScratchMemory<Float>(capacity: 96)
    private let products = ScratchMemory<Float>(capacity: 96)

    package init() {
        var shares = [Float](repeating: 0, count: 8 * Self.count)
        var sums = [Float](repeating: 0, count: Self.count)
        var squares = sums
        for glyph in 0..<Self.count {
            for dot in 0..<8 {
                let share = Float(ASCIICoverage.glyphs[glyph] >> UInt64(dot * 8) & 255) / 255
                shares[dot * Self.count + glyph] = share
                sums[glyph] += share
                squares[glyph] += share * share
            }
        }
        self.shares = shares
        self.sums = sums
        self.squares = squares
    }

    /// The share of a dot that a character covers, of 1.
    package static func share(glyph: Int, dot: Int) -> Float {
        Float(ASCIICoverage.glyphs[glyph] >> UInt64(dot * 8) & 255) / 255
    }

    /// The best cell for some dots.
    package func cell(for dots: PatternSearch.Dots) -> Cell {
        errors.start.update(repeating: 0, count: Self.count)
        for channel in 0..<3 { addErrors(dots, channel) }
        var best = 0
        for glyph in 1..<Self.count where errors.start[glyph] < errors.start[best] { best = glyph }
        var foreground = SIMD4<Float>.zero
        var background = SIMD4<Float>.zero
        for channel in 0..<3 {
            let colors = colors(of: best, dots, channel)
            foreground[channel] = colors.foreground
            background[channel] = colors.background
        }
        let one = PatternSearch.color(foreground)
        let other = PatternSearch.color(background)
        guard best != 0, one != other else { return Cell(solid: other) }
        return Cell(pattern: UInt32(best), foreground: one, background: other)
    }

    /// The character whose light on black is nearest to the dots' luma.
    package func monochromeCell(for dots: PatternSearch.Dots) -> Cell {
        let errors = errors.start
        errors.update(repeating: 0, count: Self.count)
        for dot in 0..<8 {
            let luma = (dots[dot].x * 0.299 + dots[dot].y * 0.587 + dots[dot].z * 0.114) / 255
            // A character covers at most half of its cell: white is as bright as the densest can be.
            let wanted = luma * 0.6
            for glyph in 0..<Self.count {
                let difference = shares[dot * Self.count + glyph] - wanted
                errors[glyph] += difference * difference
            }
        }
        var best = 0
        for glyph in 1..<Self.count where errors[glyph] < errors[best] { best = glyph }
        return Cell(
            pattern: UInt32(best), foreground: Cell.defaultColor, background: Cell.defaultColor)
    }

    /// Adds each character's squared error in one channel.
    private func addErrors(_ dots: PatternSearch.Dots, _ channel: Int) {
        var total: Float = 0
        var square: Float = 0
        let errors = errors.start
        let products = products.start
        products.update(repeating: 0, count: Self.count)
        shares.withUnsafeBufferPointer { shares in
            for dot in 0..<8 {
                let value = dots[dot][channel]
                total += value
                square += value * value
                let row = shares.baseAddress! + dot * Self.count
                for glyph in 0..<Self.count { products[glyph] += row[glyph] * value }
            }
        }
        sums.withUnsafeBufferPointer { sums in
            squares.withUnsafeBufferPointer { squares in
                for glyph in 0..<Self.count {
                    let (foreground, background) = Self.line(
                        total, products[glyph], sums[glyph], squares[glyph])
                    let slope = foreground - background
                    errors[glyph] +=
                        square + 8 * background * background + slope * slope * squares[glyph]
                        + 2
                        * (slope * background * sums[glyph] - background * total
                            - slope * products[glyph])
                }
            }
        }
    }

    private func colors(
        of glyph: Int, _ dots: PatternSearch.Dots, _ channel: Int
    ) -> (foreground: Float, background: Float) {
        var total: Float = 0
        var product: Float = 0
        for dot in 0..<8 {
            total += dots[dot][channel]
            product += dots[dot][channel] * shares[dot * Self.count + glyph]
        }
        return Self.line(total, product, sums[glyph], squares[glyph])
    }

    /// The ends of the line of least squares; where one is no colour it is moved to the nearest, and the other made good.
    @inline(__always)
    private static func line(
        _ total: Float, _ product: Float, _ sum: Float, _ square: Float
    ) -> (foreground: Float, background: Float) {
        let spread = square - sum * sum / 8
        let slope = spread > 1e-4 ? (product - total * sum / 8) / spread : 0
        let background = (total - slope * sum) / 8
        let foreground = background + slope
        // With the foreground fixed, the background of least error has the shares' rests as weights.
        let rest = max(8 - 2 * sum + square, 1e-4)
        let clampedForeground = min(max(foreground, 0), 255)
        let freeBackground = (total - product - clampedForeground * (sum - square)) / rest
        let adjusted = foreground == clampedForeground ? background : freeBackground
        return (clampedForeground, min(max(adjusted, 0), 255))
    }
}
