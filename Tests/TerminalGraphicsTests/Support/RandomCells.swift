import TerminalGraphics

/// Rendered pictures of random cells, each differing in a few from the one before.
struct RandomCells {
    let set: GlyphSet
    let depth: ColorDepth
    let area: TerminalGrid
    private(set) var cells: [Cell]
    private var random: Random

    init(_ set: GlyphSet, _ depth: ColorDepth, area: TerminalGrid, seed: UInt64) {
        self.set = set
        self.depth = depth
        self.area = area
        random = Random(seed: seed)
        cells = Array(repeating: .blank, count: area.columns * area.rows)
    }

    /// A few colours, so that runs and repeats occur.
    private mutating func color() -> UInt32 {
        switch depth {
        case .truecolor:
            let levels: [UInt32] = [0, 1, 3, 9, 10, 99, 100, 255]
            return [0, 1, 2].reduce(UInt32(0)) { sum, _ in
                sum << 8 | (levels.randomElement(using: &random) ?? 0)
            } & (Bool.random(using: &random) ? 0xFF_FFFF : 0xFF00)
        case .palette256: return UInt32.random(in: 16...20, using: &random)
        case .palette16: return UInt32.random(in: 0...15, using: &random)
        case .mono: return Cell.defaultColor
        }
    }

    private mutating func cell() -> Cell {
        if Int.random(in: 0..<12, using: &random) == 0 { return .blank }
        let foreground = color()
        let background = color()
        let count = UInt32(set.patternCount)
        var pattern = UInt32.random(in: 0..<count, using: &random)
        if depth == .mono {
            return Cell(pattern: pattern, foreground: foreground, background: background)
        }
        if set.hasComplements {
            pattern |= 1
            if pattern == count - 1 || foreground == background { return Cell(solid: foreground) }
            if set == .half, Int.random(in: 0..<9, using: &random) == 0 {
                return Cell(pattern: 1, foreground: foreground, background: Cell.defaultColor)
            }
        }
        if pattern == 0 || foreground == background { return Cell(solid: background) }
        return Cell(pattern: pattern, foreground: foreground, background: background)
    }

    mutating func next() -> RenderedPicture {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: for index in cells.indices { cells[index] = cell() }
        case 1:
            let start = Int.random(in: 0..<cells.count, using: &random)
            let one = cell()
            for index in start..<min(start + Int.random(in: 1..<40, using: &random), cells.count) {
                cells[index] = one
            }
        default:
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                cells[Int.random(in: 0..<cells.count, using: &random)] = cell()
            }
        }
        let layout = PictureLayout(
            sourceSize: PixelSize(width: 16, height: 9), area: area, cellSize: .assumed, fit: .fill,
            dotsPerCell: set.dotsPerCell)
        let picture = RenderedPicture(layout: layout, content: .cells(set))
        picture.colorDepth = depth
        picture.cells = cells
        return picture
    }
}

extension Emulator {
    /// By set and character: the pattern it draws.
    private static let patterns: [GlyphSet: [UInt32: UInt32]] = {
        var all: [GlyphSet: [UInt32: UInt32]] = [:]
        for set in GlyphSet.allCases {
            for pattern in 0..<set.patternCount {
                let scalar = pattern == 0 ? 0x20 : set.scalar(pattern: pattern).value
                all[set, default: [:]][scalar] = UInt32(pattern)
            }
        }
        return all
    }()

    /// The cell as our encoder counts it, whichever way it was drawn; nil for a character that is not in the set.
    func cell(_ column: Int, _ row: Int, _ set: GlyphSet, _ depth: ColorDepth) -> Cell? {
        let place = self[column, row]
        guard place.attributes.isEmpty else { return nil }
        guard let pattern = Self.patterns[set]?[place.scalar] else { return nil }
        if depth == .mono {
            return Cell(
                pattern: pattern, foreground: place.foreground, background: place.background)
        }
        if pattern == 0 { return Cell(solid: place.background) }
        guard set.hasComplements else {
            return Cell(
                pattern: pattern, foreground: place.foreground, background: place.background)
        }
        let full = UInt32(set.patternCount - 1)
        if pattern == full { return Cell(solid: place.foreground) }
        return pattern & 1 != 0
            ? Cell(pattern: pattern, foreground: place.foreground, background: place.background)
            : Cell(
                pattern: full ^ pattern, foreground: place.background, background: place.foreground)
    }
}
