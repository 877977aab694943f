internal import PixelBuffers

/// A page of text that shows what a terminal makes of ours: every glyph, colour ramps of each depth, and the same picture by
/// every renderer.
///
/// Lines of at most 80 columns, for a terminal in its normal state.
public struct TestPattern: ~Copyable {
    private let options: RendererOptions
    private let images: [RendererKind]
    private var bytes: [UInt8] = []
    private var encoder = PlainTextEncoder()

    /// The cells of one picture: 4:3 where cells are 1:2.
    private static let columns = 24

    /// - Parameters:
    ///   - options: Cells' size and colours; the area is the pattern's own.
    ///   - images: Which kinds of images the terminal shows.
    public init(options: RendererOptions, images: [RendererKind]) {
        self.options = options
        self.images = images.filter(\.isImage)
    }

    /// The page.
    ///
    /// - Throws: ``RenderError`` where there is no memory.
    public consuming func make() throws(RenderError) -> [UInt8] {
        putGlyphs()
        putColors()
        let picture = try TestPicture.make()
        let kinds = RendererKind.allCases.filter { !$0.isImage }
        for start in stride(from: 0, to: kinds.count, by: 3) {
            try putPictures(picture, Array(kinds[start..<min(start + 3, kinds.count)]))
        }
        for kind in images { try putImage(picture, kind) }
        return bytes
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    // MARK: Glyphs

    private mutating func putGlyphs() {
        for set in GlyphSet.allCases {
            for start in stride(from: 0, to: set.patternCount, by: 64) {
                let name = start == 0 ? "\(set)" : ""
                put(name + String(repeating: " ", count: 12 - name.utf8.count))
                for pattern in start..<min(start + 64, set.patternCount) {
                    put(String(Character(set.scalar(pattern: pattern))))
                }
                put("\n")
            }
        }
    }

    // MARK: Colours

    private mutating func putColors() {
        guard options.colorDepth != .mono else { return }
        putSwatches("16", 0..<16, width: 4) { $0 < 8 ? "\(40 + $0)" : "\(92 + $0)" }
        if options.colorDepth == .palette16 { return }
        for start in stride(from: 16, to: 232, by: 54) {
            putSwatches(start == 16 ? "256" : "", start..<start + 54, width: 1) { "48;5;\($0)" }
        }
        putSwatches("", 232..<256, width: 2) { "48;5;\($0)" }
        if options.colorDepth == .palette256 { return }
        putSwatches("truecolor", 0..<64, width: 1) { "48;2;\($0 * 4);\($0 * 4);\($0 * 4)" }
        putSwatches("", 0..<64, width: 1) { "48;2;\($0 * 4);0;0" }
        putSwatches("", 0..<64, width: 1) { "48;2;0;\($0 * 4);0" }
        putSwatches("", 0..<64, width: 1) { "48;2;0;0;\($0 * 4)" }
    }

    private mutating func putSwatches(
        _ name: String, _ range: Range<Int>, width: Int, _ parameters: (Int) -> String
    ) {
        put(name + String(repeating: " ", count: 12 - name.utf8.count))
        let space = String(repeating: " ", count: width)
        for index in range { put("\u{1B}[\(parameters(index))m\(space)") }
        put("\u{1B}[0m\n")
    }

    // MARK: Pictures

    /// The options of one picture: as high as its shape asks for.
    private var pictureOptions: RendererOptions {
        var options = options
        let width = Self.columns * options.cellSize.width
        let height = width * TestPicture.size.height / TestPicture.size.width
        let rows = (height + options.cellSize.height / 2) / options.cellSize.height
        options.area = TerminalGrid(columns: Self.columns, rows: max(1, rows))
        options.fit = .contain
        return options
    }

    /// Pictures side by side, their names above.
    private mutating func putPictures(
        _ picture: CVPixelBuffer, _ kinds: [RendererKind]
    ) throws(RenderError) {
        var pictures: [[ArraySlice<UInt8>]] = []
        for kind in kinds {
            var text: [UInt8] = []
            let rendered = try kind.makeRenderer(options: pictureOptions).render(picture)
            encoder.encode(rendered, into: &text)
            pictures.append(text.split(separator: 0x0A))
            let name = kind.rawValue
            put(name + String(repeating: " ", count: Self.columns + 2 - name.utf8.count))
        }
        put("\n")
        for row in 0..<pictureOptions.area.rows {
            for lines in pictures where row < lines.count {
                bytes.append(contentsOf: lines[row])
                put("  ")
            }
            put("\n")
        }
    }

    private mutating func putImage(
        _ picture: CVPixelBuffer, _ kind: RendererKind
    ) throws(RenderError) {
        let rendered = try kind.makeRenderer(options: pictureOptions).render(picture)
        let rows = pictureOptions.area.rows
        put("\(kind.rawValue)\n")
        // Room first, so that nothing scrolls while the image is drawn; where it leaves the cursor differs.
        put(String(repeating: "\n", count: rows + 1) + "\u{1B}[\(rows + 1)A\u{1B}7")
        encoder.encode(rendered, into: &bytes)
        put("\u{1B}8\u{1B}[\(rows + 1)B")
    }
}
