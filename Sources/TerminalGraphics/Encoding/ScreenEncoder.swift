// SAFETY: the encoder owns its memory alone, being noncopyable.

/// Turns pictures and text into the bytes that bring a terminal's screen from what it shows to what it should show.
///
/// The encoder remembers every cell it has sent. A picture costs only the cells that differ, each with the cheapest cursor
/// moves, colour changes and glyph orientation; a picture that is on the screen already costs nothing. What it needs of the
/// terminal: nobody else writes, attributes are off and no scrolling region is set when it begins. The cursor is left anywhere.
///
/// One thread at a time.
public struct ScreenEncoder: ~Copyable, @unchecked Sendable {
    /// What the terminal can do, and how exact the screen must be.
    public struct Options: Hashable, Sendable {
        /// The terminal has synchronized output (mode 2026): each picture is wrapped in it, and it is always closed.
        public var synchronizedOutput: Bool
        /// The terminal has REP (`CSI Ps b`) for any character.
        public var repeatsCharacters: Bool
        /// How far a channel on the screen may be from the picture's, of 255, before a cell is sent again.
        ///
        /// Errors do not add up:
        /// the comparison is with what was sent. Only truecolor cells use it.
        public var tolerance: Int

        /// Makes options; without any, what every terminal understands, and exact.
        public init(
            synchronizedOutput: Bool = false, repeatsCharacters: Bool = false, tolerance: Int = 0
        ) {
            self.synchronizedOutput = synchronizedOutput
            self.repeatsCharacters = repeatsCharacters
            self.tolerance = tolerance
        }
    }

    /// The whole screen.
    public private(set) var grid: TerminalGrid
    /// May be changed between pictures.
    public var options: Options
    /// The picture on the screen.
    public private(set) var picture: RenderedPicture?

    /// What the terminal shows; ``Cell/unknown`` where that is not known.
    var screen: [Cell]
    /// What it should show.
    var target: [Cell]
    private var needsClear = true
    var painter = CellPainter()
    /// The strips of kitty images on the screen, from the top.
    var shownStrips: [ShownStrip] = []
    /// What the patterns in `screen` mean.
    private var cellMeaning: CellMeaning?
    /// What ``keep()`` kept.
    private var kept = Kept()

    struct ShownStrip {
        var identity: UInt64 = 0
        /// The image's number for the terminal; 0: none is there.
        var number = 0
    }

    private struct CellMeaning: Equatable {
        var glyphSet: GlyphSet
        var colorDepth: ColorDepth
    }

    private struct Kept {
        var screen: [Cell] = []
        var cellMeaning: CellMeaning?
        var picture: RenderedPicture?
        var needsClear = true
        var shownStrips: [ShownStrip] = []
    }

    /// Makes an encoder for a screen whose contents are not known.
    ///
    /// - Parameters:
    ///   - grid: The whole screen.
    ///   - options: What the terminal can do.
    public init(grid: TerminalGrid, options: Options = Options()) {
        self.grid = grid
        self.options = options
        screen = [Cell](repeating: .unknown, count: grid.cellCount)
        target = screen
    }

    /// Forgets what is on the screen: the next picture clears it and is drawn whole.
    ///
    /// To be called after another program wrote, after a write that was broken off, after a change of size.
    public mutating func invalidate() {
        needsClear = true
    }

    /// Takes another size of the screen, whose contents then are not known.
    public mutating func resize(to newGrid: TerminalGrid) {
        needsClear = true
        guard newGrid != grid else { return }
        grid = newGrid
        screen = [Cell](repeating: .unknown, count: newGrid.cellCount)
        target = screen
        picture = nil
    }

    /// Takes the picture off: the next call of ``encode(_:text:into:)`` without one leaves its place blank.
    public mutating func removePicture() {
        picture = nil
    }

    /// Remembers what the terminal shows, for ``revert()``.
    public mutating func keep() {
        if kept.screen.count != screen.count {
            kept.screen = screen
        } else {
            for index in screen.indices { kept.screen[index] = screen[index] }
        }
        kept.picture = picture
        (kept.needsClear, kept.cellMeaning) = (needsClear, cellMeaning)
        kept.shownStrips = shownStrips
    }

    /// Takes back what was encoded since ``keep()``: the bytes were not sent.
    public mutating func revert() {
        swap(&screen, &kept.screen)
        picture = kept.picture
        (needsClear, cellMeaning) = (kept.needsClear, kept.cellMeaning)
        shownStrips = kept.shownStrips
    }

    /// Appends the bytes that show a picture and some text.
    ///
    /// - Parameters:
    ///   - newPicture: The picture, kept until the next; nil: the last one stays.
    ///   - text: All text on the screen; later entries lie over earlier ones, all over the picture. What was there before and is not
    ///     in the list is taken off.
    ///   - rows: Rows of the picture to bring up to date; outside of them only what text gives free is drawn. Nil: all.
    ///   - bytes: Where the bytes go; nothing is appended when the screen is right already.
    public mutating func encode(
        _ newPicture: RenderedPicture?, text: [ScreenText] = [], rows: Range<Int>? = nil,
        into bytes: inout [UInt8]
    ) {
        if let newPicture { show(newPicture) }
        let rows = needsClear || picture == nil ? 0..<grid.rows : rows ?? 0..<grid.rows
        painter.begin(grid: grid, options: options)
        if options.synchronizedOutput { painter.sink.put("\u{1B}[?2026h") }
        let start = painter.sink.count
        if needsClear { clear() }

        composePicture()
        leave(rowsOutside: rows)
        if let picture, case .sixel = picture.content { composeSixels(of: picture, rows) }
        compose(text)
        if let picture {
            painter.use(picture.glyphSet, picture.colorDepth)
        }
        painter.paintPatterns(target, over: &screen)
        if let picture {
            switch picture.content {
            case .cells: break
            case .sixel: paintSixels(of: picture)
            case .kitty: paintKitty(picture, rows)
            }
        }
        painter.paintText(target, over: &screen)

        guard painter.sink.count > start else {
            painter.sink.removeAll()
            return
        }
        painter.sink.reserve(16)
        if options.synchronizedOutput { painter.sink.put("\u{1B}[?2026l") }
        bytes.append(contentsOf: painter.sink.written)
    }

    private mutating func show(_ newPicture: RenderedPicture) {
        if let picture, picture.changesLayers(to: newPicture) { needsClear = true }
        if case .cells(let glyphSet) = newPicture.content {
            let meaning = CellMeaning(glyphSet: glyphSet, colorDepth: newPicture.colorDepth)
            if let cellMeaning, cellMeaning != meaning {
                for index in screen.indices where screen[index].isPattern && screen[index] != .blank
                {
                    screen[index] = .unknown
                }
            }
            cellMeaning = meaning
        }
        picture = newPicture
    }

    private mutating func clear() {
        painter.sink.put("\u{1B}[0m\u{1B}[2J")
        if !shownStrips.isEmpty {
            painter.sink.put("\u{1B}_Ga=d,d=A,q=2\u{1B}\\")
            shownStrips.removeAll()
        }
        for index in screen.indices { screen[index] = .blank }
        needsClear = false
    }

    /// Puts the picture's cells into the target, and blanks beside them.
    private mutating func composePicture() {
        guard let picture, case .cells = picture.content else {
            for index in target.indices { target[index] = .blank }
            return
        }
        let area = picture.area
        let columns = min(area.columns, grid.columns)
        let rows = min(area.rows, grid.rows)
        let width = grid.columns
        let height = grid.rows
        target.withUnsafeMutableBufferPointer { target in
            picture.cells.withUnsafeBufferPointer { cells in
                for row in 0..<height {
                    let out = target.baseAddress! + row * width
                    guard row < rows else {
                        out.update(repeating: .blank, count: width)
                        continue
                    }
                    out.update(from: cells.baseAddress! + row * area.columns, count: columns)
                    if columns < width {
                        (out + columns).update(repeating: .blank, count: width - columns)
                    }
                }
            }
        }
    }

    /// Outside some rows the picture stays as it is on the screen; where text was, its own cells come to light.
    private mutating func leave(rowsOutside rows: Range<Int>) {
        guard rows.count < grid.rows else { return }
        let count = grid.columns
        for row in 0..<grid.rows where !rows.contains(row) {
            for index in row * count..<(row + 1) * count
            where !screen[index].isText || screen[index] == .unknown {
                target[index] = screen[index]
            }
        }
    }

    private mutating func compose(_ text: [ScreenText]) {
        for line in text where line.row >= 0 && line.row < grid.rows {
            let limit = min(grid.columns, line.width.map { line.column + $0 } ?? grid.columns)
            var x = line.column
            let row = line.row * grid.columns
            for scalar in line.text.unicodeScalars {
                guard x < limit else { break }
                // A control character or one without a shape stands as a question mark; joiners and marks are left out.
                let width = CharacterWidth.of(scalar)
                if width == 0 { continue }
                if width == 2, x + 1 < limit, x >= 0 {
                    target[row + x] = Cell(scalar: scalar, style: line.style)
                    target[row + x + 1] = .continuation(style: line.style)
                } else if x >= 0 {
                    let shown: Unicode.Scalar = width == nil ? "?" : width == 2 ? " " : scalar
                    target[row + x] = Cell(scalar: shown, style: line.style)
                }
                x += width ?? 1
            }
            guard line.width != nil else { continue }
            while x < limit {
                if x >= 0 { target[row + x] = Cell(scalar: " ", style: line.style) }
                x += 1
            }
        }
        repairWideCharacters()
    }

    /// A wide character of which later text covers one half becomes a space.
    private mutating func repairWideCharacters() {
        for index in target.indices where target[index].isText {
            let column = index % grid.columns
            if target[index].isContinuation {
                let isWhole = column > 0 && target[index - 1].isWideHead
                if !isWhole { target[index] = Cell(scalar: " ", style: target[index].style) }
            } else if target[index].isWideHead {
                let isWhole = column + 1 < grid.columns && target[index + 1].isContinuation
                if !isWhole { target[index] = Cell(scalar: " ", style: target[index].style) }
            }
        }
    }
}

extension RenderedPicture {
    var isImage: Bool {
        if case .cells = content { false } else { true }
    }

    var glyphSet: GlyphSet {
        if case .cells(let set) = content { set } else { .half }
    }

    /// Whether one does not simply draw over the other: kitty's images lie below the text, and images of other sizes leave rests.
    fileprivate func changesLayers(to other: RenderedPicture) -> Bool {
        switch (content, other.content) {
        case (.cells(let set), .cells(let otherSet)):
            // Where most of the picture goes, to clear the screen is shorter than to blank its cells.
            set != otherSet || other.layout.cells.area * 2 < layout.cells.area
        case (.sixel, .sixel), (.kitty, .kitty): layout != other.layout
        case (.kitty, _), (_, .kitty): true
        default: false
        }
    }
}
