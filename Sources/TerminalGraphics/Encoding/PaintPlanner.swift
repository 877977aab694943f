/// Finds the cells to write and, for each, which of its two drawings makes the colour changes fewest.
///
/// ▀ in two colours is ▄ in the same two exchanged, a space is a full block. A pass forwards keeps up to four states (the
/// terminal's two colours) with the bytes that led there, a pass back picks the cheapest way: optimal but for the cap of four.
struct PaintPlanner: ~Copyable {
    static let unknownColor: UInt32 = .max

    private struct State: BitwiseCopyable {
        var foreground: UInt32
        var background: UInt32
        var cost: Int32
    }

    private static let stateLimit = 4

    /// Steps planned.
    private(set) var count = 0
    private let indices = ScratchMemory<Int32>(capacity: 1)
    private let cells = ScratchMemory<Cell>(capacity: 1)
    /// Of each step and state: the state before in the low two bits, and above whether the complement was drawn.
    private let choices = ScratchMemory<UInt8>(capacity: 1)
    private let complements = ScratchMemory<Bool>(capacity: 1)

    @inline(__always)
    func index(_ step: Int) -> Int { Int(indices.start[step]) }
    @inline(__always)
    func cell(_ step: Int) -> Cell { cells.start[step] }
    @inline(__always)
    func isComplement(_ step: Int) -> Bool { complements.start[step] }

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
            complements.start.update(repeating: false, count: count)
            return
        }
        choose(palette, tolerance: UInt32(tolerance))
    }

    private mutating func collect(
        _ target: UnsafeBufferPointer<Cell>, _ screen: UnsafeMutableBufferPointer<Cell>,
        tolerance: UInt32
    ) {
        indices.reserve(target.count)
        cells.reserve(target.count)
        choices.reserve(target.count * Self.stateLimit)
        complements.reserve(target.count)
        let indices = indices.start
        let cells = cells.start
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
        let cells = cells.start
        let choices = choices.start
        for step in 0..<count {
            let drawing = Drawing(cells[step], palette)
            let choices = choices + step &* Self.stateLimit
            stateCount =
                drawing.pattern == 0
                ? Self.drawSolid(drawing, &states, stateCount, choices, tolerance)
                : Self.drawPattern(drawing, &states, stateCount, choices, tolerance)
        }

        var best = 0
        for state in 1..<max(stateCount, 1) where states[state].cost < states[best].cost {
            best = state
        }
        for step in stride(from: count - 1, through: 0, by: -1) {
            let choice = choices[step &* Self.stateLimit &+ best]
            complements.start[step] = choice & 4 != 0
            best = Int(choice & 3)
        }
    }

    /// One cell's two drawings and what they cost, colours not yet counted as set.
    private struct Drawing {
        let pattern: UInt32
        /// The pattern's colours.
        let set: UInt32
        let clear: UInt32
        /// Bytes of each colour in each role.
        let setAsForeground: Int32
        let setAsBackground: Int32
        let clearAsForeground: Int32
        let clearAsBackground: Int32
        let glyph: Int32
        let complementGlyph: Int32

        @inline(__always)
        init(_ cell: Cell, _ palette: borrowing CellPalette) {
            let lengths = palette.glyphLengths.start
            pattern = cell.pattern
            set = cell.foreground
            clear = cell.background
            setAsForeground = palette.cost(foreground: set)
            clearAsForeground = palette.cost(foreground: clear)
            let isPlain = palette.colorDepth == .truecolor
            setAsBackground = isPlain ? setAsForeground : palette.cost(background: set)
            clearAsBackground = isPlain ? clearAsForeground : palette.cost(background: clear)
            glyph = Int32(lengths[Int(pattern)])
            complementGlyph = Int32(lengths[Int(palette.fullPattern ^ pattern)])
        }
    }

    /// Two colours: whatever was before, two states.
    @inline(__always)
    private static func drawPattern(
        _ drawing: Drawing, _ states: inout InlineArray<4, State>, _ stateCount: Int,
        _ choices: UnsafeMutablePointer<UInt8>, _ tolerance: UInt32
    ) -> Int {
        var direct = State(foreground: 0, background: 0, cost: .max)
        var exchanged = direct
        var directParent: UInt8 = 0
        var exchangedParent: UInt8 = 0
        for parent in 0..<stateCount {
            let state = states[parent]
            let one = reach(
                drawing.set, drawing.clear, drawing.setAsForeground, drawing.clearAsBackground,
                from: state, tolerance)
            if one.cost < direct.cost {
                direct = one
                directParent = UInt8(truncatingIfNeeded: parent)
            }
            let other = reach(
                drawing.clear, drawing.set, drawing.clearAsForeground, drawing.setAsBackground,
                from: state, tolerance)
            if other.cost < exchanged.cost {
                exchanged = other
                exchangedParent = UInt8(truncatingIfNeeded: parent)
            }
        }
        direct.cost &+= drawing.glyph
        exchanged.cost &+= drawing.complementGlyph
        // The terminal's own background cannot be had as a foreground.
        if drawing.set & Cell.defaultColor != 0 {
            states[0] = exchanged
            choices[0] = exchangedParent | 4
            return 1
        }
        states[0] = direct
        choices[0] = directParent
        if drawing.clear & Cell.defaultColor != 0 { return 1 }
        states[1] = exchanged
        choices[1] = exchangedParent | 4
        return 2
    }

    @inline(__always)
    private static func reach(
        _ foreground: UInt32, _ background: UInt32, _ foregroundCost: Int32,
        _ backgroundCost: Int32, from state: State, _ tolerance: UInt32
    ) -> State {
        let keepsForeground = serves(state.foreground, for: foreground, tolerance)
        let keepsBackground = serves(state.background, for: background, tolerance)
        let parameters =
            (keepsForeground ? 0 : foregroundCost) &+ (keepsBackground ? 0 : backgroundCost)
        return State(
            foreground: keepsForeground ? state.foreground : foreground,
            background: keepsBackground ? state.background : background,
            cost: state.cost &+ parameters &+ (parameters > 0 ? 2 : 0))
    }

    /// One colour, as a space or a full block: each state before leads to two.
    private static func drawSolid(
        _ drawing: Drawing, _ states: inout InlineArray<4, State>, _ stateCount: Int,
        _ choices: UnsafeMutablePointer<UInt8>, _ tolerance: UInt32
    ) -> Int {
        let before = states
        var count = 0
        let canBeBlock = drawing.clear & Cell.defaultColor == 0
        for parent in 0..<stateCount {
            let state = before[parent]
            var space = state
            space.cost &+= drawing.glyph
            if !serves(state.background, for: drawing.clear, tolerance) {
                space.background = drawing.clear
                space.cost &+= drawing.clearAsBackground &+ 2
            }
            add(space, UInt8(truncatingIfNeeded: parent), &states, &count, choices)
            guard canBeBlock else { continue }
            var block = state
            block.cost &+= drawing.complementGlyph
            if !serves(state.foreground, for: drawing.clear, tolerance) {
                block.foreground = drawing.clear
                block.cost &+= drawing.clearAsForeground &+ 2
            }
            add(block, UInt8(truncatingIfNeeded: parent) | 4, &states, &count, choices)
        }
        return count
    }

    /// Adds a state: in place of one with the same colours if cheaper, or where there is no room in place of the dearest.
    @inline(__always)
    private static func add(
        _ state: State, _ choice: UInt8, _ states: inout InlineArray<4, State>, _ count: inout Int,
        _ choices: UnsafeMutablePointer<UInt8>
    ) {
        var slot = count
        for other in 0..<count
        where states[other].foreground == state.foreground
            && states[other].background == state.background
        {
            slot = other
        }
        if slot == count, count == stateLimit {
            slot = 0
            for other in 1..<count where states[other].cost > states[slot].cost { slot = other }
        }
        guard slot == count || state.cost < states[slot].cost else { return }
        if slot == count { count += 1 }
        states[slot] = state
        choices[slot] = choice
    }
}
