import Testing
import TerminalGraphics

@Suite("ASCII search")
struct ASCIISearchTests {
    /// Squared error of one channel.
    private func error(_ values: [Double], _ glyph: Int, _ foreground: Double, _ background: Double)
        -> Double
    {
        (0..<8).reduce(0) { sum, dot in
            let share = Double(ASCIISearch.share(glyph: dot < 8 ? glyph : 0, dot: dot))
            let shown = background + share * (foreground - background)
            return sum + (shown - values[dot]) * (shown - values[dot])
        }
    }

    /// The least error of a channel over a grid of colours, refined around its best place.
    private func least(_ values: [Double], _ glyph: Int) -> Double {
        var center = (127.5, 127.5)
        var step = 63.75
        var best = Double.infinity
        while step > 0.2 {
            let start = center
            for across in -2...2 {
                for down in -2...2 {
                    let one = min(max(start.0 + Double(across) * step, 0), 255)
                    let other = min(max(start.1 + Double(down) * step, 0), 255)
                    let found = error(values, glyph, one, other)
                    if found < best {
                        best = found
                        center = (one, other)
                    }
                }
            }
            step /= 1.6
        }
        return best
    }

    @Test("no character and colours draw the dots better")
    func search() {
        let search = ASCIISearch()
        var random = Random(seed: 12)
        for round in 0..<12 {
            var dots = PatternSearch.Dots(repeating: .zero)
            var channels = [[Double]](repeating: [], count: 3)
            for dot in 0..<8 {
                for channel in 0..<3 {
                    let value = Double(Int.random(in: 0...255, using: &random) / (round % 3 + 1))
                    dots[dot][channel] = Float(value)
                    channels[channel].append(value)
                }
            }
            let cell = search.cell(for: dots)
            var got = 0.0
            for (channel, shift) in [UInt32(16), 8, 0].enumerated() {
                got += error(
                    channels[channel], Int(cell.pattern), Double(cell.foreground >> shift & 255),
                    Double(cell.background >> shift & 255))
            }
            var wanted = Double.infinity
            for glyph in 0..<95 {
                wanted = min(wanted, channels.reduce(0) { $0 + least($1, glyph) })
            }
            #expect(got <= wanted * 1.01 + 12, "round \(round): \(got) for \(wanted)")
        }
    }
}
