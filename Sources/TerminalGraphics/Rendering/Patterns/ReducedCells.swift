/// Cells in few colours: every dot gets a colour of the palette, dithered, then every cell its two best.
///
/// Slower than truecolor: it is for terminals that have no better.
final class ReducedCells {
    private let glyphSet: GlyphSet
    private let depth: ColorDepth
    private let dither: Dither
    private let firstNumber: UInt32
    private let strength: Int
    private let lookup: ColorLookup
    /// Squared distance of any two colours.
    private let distances: [Int32]
    private let indices = PlaneMemory()
    private var diffusion = ErrorDiffusion()

    /// Makes one for a depth that is not truecolor.
    init(_ glyphSet: GlyphSet, _ depth: ColorDepth, _ dither: Dither) {
        self.glyphSet = glyphSet
        self.depth = depth
        self.dither = dither
        let palette = TerminalPalette.colors(of: depth)
        firstNumber = palette.first
        strength = palette.ditherStrength
        lookup = ColorLookup(palette.colors)
        var distances: [Int32] = []
        for one in palette.colors {
            for other in palette.colors {
                let red = Int32(one >> 16 & 255) - Int32(other >> 16 & 255)
                let green = Int32(one >> 8 & 255) - Int32(other >> 8 & 255)
                let blue = Int32(one & 255) - Int32(other & 255)
                distances.append(red * red + green * green + blue * blue)
            }
        }
        self.distances = distances
    }

    /// Draws the dots, which fill their cells.
    func draw(_ planes: RGBPlanes, _ layout: PictureLayout, into cells: inout [Cell]) {
        map(planes)
        let dots = glyphSet.dotsPerCell
        let area = layout.cells
        var members = InlineArray<8, UInt8>(repeating: 0)
        for row in 0..<area.height {
            for column in 0..<area.width {
                for dot in 0..<dots.count {
                    // Dots that the picture lacks are its last ones again.
                    let x = min(column * dots.columns + dot % dots.columns, planes.size.width - 1)
                    let y = min(row * dots.rows + dot / dots.columns, planes.size.height - 1)
                    members[dot] = indices.plane(0)[y * indices.stride + x]
                }
                cells[(area.y + row) * layout.area.columns + area.x + column] = cell(
                    members, count: dots.count)
            }
        }
    }

    private func map(_ planes: RGBPlanes) {
        indices.resize(to: planes.size)
        if dither == .diffusion { diffusion.beginPicture(width: planes.size.width) }
        for y in 0..<planes.size.height {
            let out = indices.plane(0) + y * indices.stride
            switch dither {
            case .none: lookup.map(planes, row: y, to: out)
            case .automatic, .ordered:
                lookup.mapOrdered(planes, row: y, strength: strength, to: out)
            case .diffusion: lookup.mapDiffused(planes, row: y, &diffusion, to: out)
            }
        }
    }

    /// The two of the dots' colours that draw all of them with the least error, and which dots get the first.
    private func cell(_ dots: InlineArray<8, UInt8>, count: Int) -> Cell {
        if depth == .mono {
            var pattern: UInt32 = 0
            for dot in 0..<count where dots[dot] != 0 { pattern |= 1 << UInt32(dot) }
            return Cell(
                pattern: pattern, foreground: Cell.defaultColor, background: Cell.defaultColor)
        }
        let stride = lookup.colors.count
        var best = (error: Int32.max, pattern: UInt32(0), one: dots[0], other: dots[0])
        for first in 0..<count {
            for second in first..<count where second == first || dots[second] != dots[first] {
                var error: Int32 = 0
                var pattern: UInt32 = 0
                for dot in 0..<count {
                    let own = Int(dots[dot]) * stride
                    let toFirst = distances[own + Int(dots[first])]
                    let toSecond = distances[own + Int(dots[second])]
                    if toFirst <= toSecond { pattern |= 1 << UInt32(dot) }
                    error &+= min(toFirst, toSecond)
                }
                if error < best.error {
                    best = (error, pattern, dots[first], dots[second])
                }
            }
            if best.error == 0 { break }
        }
        let one = UInt32(best.one) + firstNumber
        let other = UInt32(best.other) + firstNumber
        if one == other || best.pattern == UInt32(1) << UInt32(count) - 1 {
            return Cell(solid: one)
        }
        guard glyphSet.hasComplements, best.pattern & 1 == 0 else {
            return Cell(pattern: best.pattern, foreground: one, background: other)
        }
        let full = UInt32(1) << UInt32(count) - 1
        return Cell(pattern: full ^ best.pattern, foreground: other, background: one)
    }
}
