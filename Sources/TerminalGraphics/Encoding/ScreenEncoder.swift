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
    private var screen: [Cell]
    /// What it should show.
    private var target: [Cell]
    private var needsClear = true
    private var painter = CellPainter()
    /// The kitty image on the screen, and its number.
    private var shownImage: UInt64 = 0
    private var imageNumber = 0

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

    /// Appends the bytes that show a picture and some text.
    ///
    /// - Parameters:
    ///   - newPicture: The picture, kept until the next; nil: the last one stays.
    ///   - text: All text on the screen; later entries lie over earlier ones, all over the picture. What was there before and is not
    ///     in the list is taken off.
    ///   - bytes: Where the bytes go; nothing is appended when the screen is right already.
    public mutating func encode(
        _ newPicture: RenderedPicture?, text: [ScreenText] = [], into bytes: inout [UInt8]
    ) {
        if let newPicture { show(newPicture) }
        painter.begin(grid: grid, options: options)
        if options.synchronizedOutput { painter.sink.put("\u{1B}[?2026h") }
        let start = painter.sink.count
        if needsClear { clear() }

        composePicture()
        compose(text)
        if let picture {
            painter.use(picture.glyphSet, picture.colorDepth)
        }
        painter.paintPatterns(target, over: &screen)
        if let picture {
            switch picture.content {
            case .cells: break
            case .sixel: paintSixels(of: picture)
            case .kitty: paintKitty(picture)
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
        if let picture, !picture.isCompatible(with: newPicture) {
            if picture.glyphSet != newPicture.glyphSet || picture.isImage || newPicture.isImage {
                needsClear = true
            } else {
                for index in screen.indices where screen[index].isPattern && screen[index] != .blank
                {
                    screen[index] = .unknown
                }
            }
        }
        picture = newPicture
    }

    private mutating func clear() {
        painter.sink.put("\u{1B}[0m\u{1B}[2J")
        if shownImage != 0 {
            painter.sink.put("\u{1B}_Ga=d,d=A,q=2\u{1B}\\")
            shownImage = 0
        }
        for index in screen.indices { screen[index] = .blank }
        needsClear = false
    }

    /// Puts the picture's cells into the target, and blanks beside them.
    private mutating func composePicture() {
        guard let picture, case .cells = picture.content else {
            for index in target.indices { target[index] = .blank }
            if let picture, case .sixel = picture.content { composeSixels(of: picture) }
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

// MARK: Images

extension ScreenEncoder {
    /// Marks the cells of each chunk of sixels with its identity; the whole image must lie above the last row, where it could scroll.
    private mutating func composeSixels(of picture: RenderedPicture) {
        let image = picture.sixel
        let cells = picture.layout.cells
        guard cells.x + cells.width <= grid.columns, cells.y + cells.height <= grid.rows else {
            return
        }
        for row in 0..<cells.height {
            let identity = image.chunks[row / image.rowsPerChunk].identity
            let start = (cells.y + row) * grid.columns + cells.x
            for index in start..<start + cells.width { target[index] = .image(identity) }
        }
    }

    private mutating func paintSixels(of picture: RenderedPicture) {
        let cells = picture.layout.cells
        guard cells.x + cells.width <= grid.columns, cells.y + cells.height <= grid.rows else {
            return
        }
        let chunkCount = picture.sixel.chunkCount
        var chunk = 0
        while chunk < chunkCount {
            guard isStale(chunk, of: picture) else {
                chunk += 1
                continue
            }
            let first = chunk
            while chunk < chunkCount, isStale(chunk, of: picture) {
                mark(chunk, of: picture)
                chunk += 1
            }
            let row = cells.y + first * picture.sixel.rowsPerChunk
            painter.moveAbsolutely(x: cells.x, y: row)
            picture.sixel.write(chunks: first..<chunk, into: &painter.sink)
            painter.forgetCursor()
        }
    }

    private func indices(ofChunk chunk: Int, row: Int, of picture: RenderedPicture) -> Range<Int> {
        let cells = picture.layout.cells
        let start = (cells.y + row) * grid.columns + cells.x
        return start..<start + cells.width
    }

    private func rows(ofChunk chunk: Int, of picture: RenderedPicture) -> Range<Int> {
        let rowsPerChunk = picture.sixel.rowsPerChunk
        let first = chunk * rowsPerChunk
        return first..<min(first + rowsPerChunk, picture.layout.cells.height)
    }

    /// Whether a cell that should show the chunk shows something else.
    private func isStale(_ chunk: Int, of picture: RenderedPicture) -> Bool {
        let wanted = Cell.image(picture.sixel.chunks[chunk].identity)
        for row in rows(ofChunk: chunk, of: picture) {
            for index in indices(ofChunk: chunk, row: row, of: picture)
            where target[index] == wanted && screen[index] != wanted {
                return true
            }
        }
        return false
    }

    /// Notes that the chunk is on the screen, over whatever text was there.
    private mutating func mark(_ chunk: Int, of picture: RenderedPicture) {
        let shown = Cell.image(picture.sixel.chunks[chunk].identity)
        for row in rows(ofChunk: chunk, of: picture) {
            for index in indices(ofChunk: chunk, row: row, of: picture) { screen[index] = shown }
        }
    }

    private mutating func paintKitty(_ picture: RenderedPicture) {
        let image = picture.kitty
        let cells = picture.layout.cells
        guard image.identity != shownImage, cells.x + cells.width <= grid.columns,
            cells.y + cells.height <= grid.rows
        else { return }
        painter.moveAbsolutely(x: cells.x, y: cells.y)
        let number = imageNumber == 1 ? 2 : 1
        image.write(number: number, replacing: imageNumber, into: &painter.sink)
        imageNumber = number
        shownImage = image.identity
        painter.forgetCursor()
    }
}

extension RenderedPicture {
    var isImage: Bool {
        if case .cells = content { false } else { true }
    }

    var glyphSet: GlyphSet {
        if case .cells(let set) = content { set } else { .half }
    }

    /// Whether cells of the two mean the same, so that one can be drawn over the other.
    fileprivate func isCompatible(with other: RenderedPicture) -> Bool {
        isImage == other.isImage && glyphSet == other.glyphSet && colorDepth == other.colorDepth
            && (!isImage || layout == other.layout)
    }
}
