/// Writes cells: where to move, which colours to set, which of two glyphs to draw a pattern with.
struct CellPainter: ~Copyable {
    var sink = ByteSink()
    private var planner = PaintPlanner()
    private var columns = 1
    private var rows = 1
    private var options = ScreenEncoder.Options()
    private var palette = CellPalette(glyphSet: .half, colorDepth: .truecolor)

    // What the terminal's state is known to be; x equal to the columns: behind the last one.
    private var x = -1
    private var y = -1
    private var foreground = PaintPlanner.unknownColor
    private var background = PaintPlanner.unknownColor

    mutating func begin(grid: TerminalGrid, options: ScreenEncoder.Options) {
        sink.removeAll()
        sink.reserve(256)
        columns = grid.columns
        rows = grid.rows
        self.options = options
        forgetCursor()
        foreground = PaintPlanner.unknownColor
        background = PaintPlanner.unknownColor
    }

    mutating func use(_ glyphSet: GlyphSet, _ colorDepth: ColorDepth) {
        guard palette.glyphSet != glyphSet || palette.colorDepth != colorDepth else { return }
        palette = CellPalette(glyphSet: glyphSet, colorDepth: colorDepth)
    }

    mutating func forgetCursor() {
        x = -1
        y = -1
    }

    /// The cursor is at the beginning of the only row, and the terminal's own colours are set.
    mutating func beginLine() {
        x = 0
        y = 0
        foreground = Cell.defaultColor
        background = Cell.defaultColor
    }

    // MARK: Patterns

    /// Writes the patterns in `target` that `screen` does not show, and notes there what was written.
    ///
    /// Cells of `target` that belong to an image are blanked where `screen` shows something beside image.
    mutating func paintPatterns(_ target: [Cell], over screen: inout [Cell]) {
        let tolerance = palette.colorDepth == .truecolor ? options.tolerance : 0
        target.withUnsafeBufferPointer { target in
            screen.withUnsafeMutableBufferPointer { screen in
                planner.plan(target, screen, palette: palette, tolerance: tolerance)
                // The longest: a move of 12 bytes, two colours of 20 and a glyph of 4, and 12 for the packed words' overlap.
                sink.reserve(planner.count * 64 + 64)
                var step = 0
                while step < planner.count {
                    step += paint(step, screen, tolerance: UInt32(tolerance))
                }
            }
        }
    }

    /// Writes one planned cell, or a run of equal ones; returns how many.
    private mutating func paint(
        _ step: Int, _ screen: UnsafeMutableBufferPointer<Cell>, tolerance: UInt32
    ) -> Int {
        let index = planner.index(step)
        let cell = planner.cell(step)
        move(x: index % columns, y: index / columns, screen)

        let pattern = cell.pattern
        let glyph: Int
        if planner.isComplement(step) {
            // The rest of the cell in the background's colour; of one colour: the full block.
            glyph = Int(palette.fullPattern ^ pattern)
            setColors(
                foreground: cell.background,
                background: pattern == 0 ? nil : cell.foreground, tolerance)
        } else {
            glyph = Int(pattern)
            setColors(
                foreground: pattern == 0 ? nil : cell.foreground, background: cell.background,
                tolerance)
        }
        let word = palette.glyphWords.start[glyph]
        let length = Int(palette.glyphLengths.start[glyph])
        sink.put(packed: word, length: length)

        // What is there now: with a tolerance not always the colours that were asked for.
        let shown = shownCell(pattern: pattern, isComplement: planner.isComplement(step))
        screen[index] = shown
        x += 1
        guard options.repeatsCharacters else { return 1 }

        var run = 1
        while step + run < planner.count, planner.index(step + run) == index + run,
            x + run - 1 < columns, planner.cell(step + run) == cell
        {
            run += 1
        }
        let repeats = run - 1
        if repeats * length > 3 + decimalLength(repeats) {
            sink.put("\u{1B}[")
            sink.put(decimal: repeats)
            sink.put(UInt8(ascii: "b"))
            for offset in 1..<run { screen[index + offset] = shown }
            x += repeats
            return run
        }
        return 1
    }

    private func shownCell(pattern: UInt32, isComplement: Bool) -> Cell {
        if pattern == 0 { return Cell(solid: isComplement ? foreground : background) }
        return isComplement
            ? Cell(pattern: pattern, foreground: background, background: foreground)
            : Cell(pattern: pattern, foreground: foreground, background: background)
    }

    private mutating func setColors(
        foreground newForeground: UInt32?, background newBackground: UInt32?, _ tolerance: UInt32
    ) {
        let setsForeground =
            newForeground.map { !PaintPlanner.serves(foreground, for: $0, tolerance) } ?? false
        let setsBackground =
            newBackground.map { !PaintPlanner.serves(background, for: $0, tolerance) } ?? false
        guard setsForeground || setsBackground else { return }
        sink.put("\u{1B}[")
        if setsForeground, let newForeground {
            foreground = newForeground
            palette.putForeground(newForeground, into: &sink)
        }
        if setsBackground, let newBackground {
            background = newBackground
            palette.putBackground(newBackground, into: &sink)
        }
        sink.replaceLast(by: UInt8(ascii: "m"))
    }

    // MARK: Moves

    /// Moves the cursor the cheapest way.
    ///
    /// Nothing here can scroll: line feeds stay above the last row.
    private mutating func move(x newX: Int, y newY: Int, _ screen: UnsafeMutableBufferPointer<Cell>)
    {
        if y == newY {
            if x == newX { return }
            if x < newX, x >= 0 {
                let distance = newX - x
                if distance <= 4, fills(screen, from: newY * columns + x, count: distance) {
                    for _ in 0..<distance { sink.put(UInt8(ascii: " ")) }
                } else {
                    sink.put("\u{1B}[")
                    if distance > 1 { sink.put(decimal: distance) }
                    sink.put(UInt8(ascii: "C"))
                }
                x = newX
                return
            }
        } else if y >= 0, newY > y {
            let down = newY - y
            let lineFeeds = 1 + down + (newX == 0 ? 0 : newX == 1 ? 3 : 3 + decimalLength(newX))
            let absolute =
                3 + decimalLength(newY + 1) + (newX == 0 ? 0 : 1 + decimalLength(newX + 1))
            if lineFeeds < absolute {
                sink.put(0x0D)
                for _ in 0..<down { sink.put(0x0A) }
                if newX > 0 {
                    sink.put("\u{1B}[")
                    if newX > 1 { sink.put(decimal: newX) }
                    sink.put(UInt8(ascii: "C"))
                }
                x = newX
                y = newY
                return
            }
        }
        moveAbsolutely(x: newX, y: newY)
    }

    /// Whether spaces in the background's colour leave the cells as they are.
    private func fills(_ screen: UnsafeMutableBufferPointer<Cell>, from index: Int, count: Int)
        -> Bool
    {
        let space = Cell(solid: background)
        for offset in 0..<count where screen[index + offset] != space { return false }
        return true
    }

    mutating func moveAbsolutely(x newX: Int, y newY: Int) {
        sink.reserve(32)
        sink.put("\u{1B}[")
        sink.put(decimal: newY + 1)
        if newX > 0 {
            sink.put(UInt8(ascii: ";"))
            sink.put(decimal: newX + 1)
        }
        sink.put(UInt8(ascii: "H"))
        x = newX
        y = newY
    }

    // MARK: Text

    /// Writes the characters in `target` that `screen` does not show.
    mutating func paintText(_ target: [Cell], over screen: inout [Cell]) {
        var style: ScreenText.Style?
        for index in target.indices where target[index].isText && !target[index].isContinuation {
            let cell = target[index]
            let isWide = cell.isWideHead
            guard screen[index] != cell || isWide && screen[index + 1] != target[index + 1] else {
                continue
            }
            sink.reserve(64)
            if y != index / columns || x != index % columns {
                moveAbsolutely(x: index % columns, y: index / columns)
            }
            if style != cell.style {
                switch cell.style {
                case .plain: sink.put("\u{1B}[0m")
                case .inverse: sink.put("\u{1B}[0;7m")
                case .bold: sink.put("\u{1B}[0;1m")
                case .dim: sink.put("\u{1B}[0;2m")
                }
                style = cell.style
            }
            sink.put(scalar: cell.scalarValue)
            screen[index] = cell
            x += 1
            if isWide {
                screen[index + 1] = target[index + 1]
                x += 1
            }
            // How wide a terminal thinks an unusual character is, nobody knows: place the next one absolutely.
            if isWide || cell.scalarValue > 0x17F { x = -1 }
        }
        guard style != nil else { return }
        sink.reserve(8)
        sink.put("\u{1B}[0m")
    }
}
