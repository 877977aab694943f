/// Finds the cells to write and, for each, which of its two drawings makes the colour changes fewest.
///
/// ▀ in two colours is ▄ in the same two exchanged, a space is a full block. A pass forwards keeps up to four states (the
/// terminal's two colours) with the bytes that led there, a pass back picks the cheapest way: optimal but for the cap of four.
struct PaintPlanner {
    static let unknownColor: UInt32 = .max

    private struct State {
        var foreground: UInt32
        var background: UInt32
        var cost: Int32
    }

    private static let stateLimit = 4

    /// Steps planned.
    private(set) var count = 0
    private var indices: [Int32] = []
    private var cells: [Cell] = []
    /// Of each step and state: the state before in the low two bits, and above whether the complement was drawn.
    private var choices: [UInt8] = []
    private var complements: [Bool] = []

    func index(_ step: Int) -> Int { Int(indices[step]) }
    func cell(_ step: Int) -> Cell { cells[step] }
    func isComplement(_ step: Int) -> Bool { complements[step] }

    /// Whether a colour that is set may stand for another.
    @inline(__always)
    static func serves(_ set: UInt32, for wanted: UInt32, _ tolerance: UInt32) -> Bool {
        if set == wanted { return true }
        if tolerance == 0 || (set | wanted) & ~0xFF_FFFF != 0 { return false }
        return near(set >> 16, wanted >> 16, tolerance)
            && near(set >> 8 & 255, wanted >> 8 & 255, tolerance)
            && near(set & 255, wanted & 255, tolerance)
    }

    @inline(__always)
    private static func near(_ a: UInt32, _ b: UInt32, _ tolerance: UInt32) -> Bool {
        (a > b ? a &- b : b &- a) <= tolerance
    }

    /// Whether a cell on the screen may stand for another.
    @inline(__always)
    private static func serves(_ shown: Cell, for wanted: Cell, _ tolerance: UInt32) -> Bool {
        if shown == wanted { return true }
        guard tolerance > 0, shown.isPattern, shown.pattern == wanted.pattern else { return false }
        return serves(shown.foreground, for: wanted.foreground, tolerance)
            && serves(shown.background, for: wanted.background, tolerance)
    }

    mutating func plan(
        _ target: UnsafeBufferPointer<Cell>, _ screen: UnsafeMutableBufferPointer<Cell>,
        palette: borrowing CellPalette, tolerance: Int
    ) {
        collect(target, screen, tolerance: UInt32(tolerance))
        guard count > 0 else { return }
        guard palette.allowsComplement else {
            for step in 0..<count { complements[step] = false }
            return
        }
        choose(palette, tolerance: UInt32(tolerance))
    }

    private mutating func collect(
        _ target: UnsafeBufferPointer<Cell>, _ screen: UnsafeMutableBufferPointer<Cell>,
        tolerance: UInt32
    ) {
        if indices.count < target.count {
            indices = [Int32](repeating: 0, count: target.count)
            cells = [Cell](repeating: .blank, count: target.count)
            complements = [Bool](repeating: false, count: target.count)
            choices = [UInt8](repeating: 0, count: target.count * Self.stateLimit)
        }
        count = 0
        for index in target.indices where target[index] != screen[index] {
            var wanted = target[index]
            if !wanted.isPattern {
                // Text is written later; under an image everything else must go.
                let shown = screen[index]
                guard !wanted.isText, shown != .blank, !shown.isImage else { continue }
                wanted = .blank
            } else if Self.serves(screen[index], for: wanted, tolerance) {
                continue
            }
            indices[count] = Int32(truncatingIfNeeded: index)
            cells[count] = wanted
            count += 1
        }
    }

    /// Fills ``complements``.
    private mutating func choose(_ palette: borrowing CellPalette, tolerance: UInt32) {
        var states: InlineArray<4, State> = .init(
            repeating: State(
                foreground: Self.unknownColor, background: Self.unknownColor, cost: 0))
        var stateCount = 1
        for step in 0..<count {
            let cell = cells[step]
            var next: InlineArray<4, State> = states
            var nextCount = 0
            let base = step * Self.stateLimit
            for parent in 0..<stateCount {
                let state = states[parent]
                for drawing in 0..<2 {
                    let isComplement = drawing == 1
                    guard
                        let reached = Self.reach(
                            cell, from: state, isComplement: isComplement, palette, tolerance)
                    else { continue }
                    // The same colours reached the cheaper way; or a new state; or in place of the dearest.
                    var slot = nextCount
                    for other in 0..<nextCount
                    where next[other].foreground == reached.foreground
                        && next[other].background == reached.background
                    {
                        slot = other
                    }
                    if slot == nextCount, nextCount == Self.stateLimit {
                        slot = 0
                        for other in 1..<nextCount where next[other].cost > next[slot].cost {
                            slot = other
                        }
                    }
                    guard slot == nextCount || reached.cost < next[slot].cost else { continue }
                    if slot == nextCount { nextCount += 1 }
                    next[slot] = reached
                    choices[base + slot] = UInt8(parent) | (isComplement ? 4 : 0)
                }
            }
            states = next
            stateCount = nextCount
        }

        var best = 0
        for state in 1..<max(stateCount, 1) where states[state].cost < states[best].cost {
            best = state
        }
        for step in stride(from: count - 1, through: 0, by: -1) {
            let choice = choices[step * Self.stateLimit + best]
            complements[step] = choice & 4 != 0
            best = Int(choice & 3)
        }
    }

    /// The colours set, and the bytes written, after a cell is drawn one way; nil where that way does not exist.
    @inline(__always)
    private static func reach(
        _ cell: Cell, from state: State, isComplement: Bool, _ palette: borrowing CellPalette,
        _ tolerance: UInt32
    ) -> State? {
        let pattern = cell.pattern
        var result = state
        let foreground = isComplement ? cell.background : cell.foreground
        let background = isComplement ? cell.foreground : cell.background
        var parameters: Int32 = 0
        if pattern != 0 || isComplement {
            // The terminal's own background cannot be had as a foreground.
            if foreground & Cell.defaultColor != 0 { return nil }
            if !serves(state.foreground, for: foreground, tolerance) {
                parameters += palette.cost(foreground: foreground)
                result.foreground = foreground
            }
        }
        if pattern != 0 || !isComplement {
            if !serves(state.background, for: background, tolerance) {
                parameters += palette.cost(background: background)
                result.background = background
            }
        }
        let glyph = Int(isComplement ? palette.fullPattern ^ pattern : pattern)
        result.cost &+= parameters &+ (parameters > 0 ? 2 : 0) &+ Int32(palette.glyphLengths[glyph])
        return result
    }
}
