/// Pictures as lines of text, for files and pipes: no cursor moves, nothing left from picture to picture.
///
/// Colours are set where they change and reset at each line's end, so that lines can be cut out and put together.
public struct PlainTextEncoder: ~Copyable {
    private var painter = CellPainter()
    private var screen: [Cell] = []
    private var row: [Cell] = []

    /// Makes an encoder.
    public init() {}

    /// Appends a picture, as many lines as its area has rows.
    ///
    /// - Parameters:
    ///   - picture: The picture; an image is appended as escape sequences, and the line ends of its rows or one.
    ///   - bytes: Where the bytes go.
    public mutating func encode(_ picture: RenderedPicture, into bytes: inout [UInt8]) {
        switch picture.content {
        case .cells:
            encodeCells(of: picture, into: &bytes)
        case .sixel:
            painter.begin(grid: picture.area, options: .init())
            picture.sixel.write(chunks: 0..<picture.sixel.chunkCount, into: &painter.sink)
            bytes.append(contentsOf: painter.sink.written)
            bytes.append(0x0A)
        case .kitty:
            painter.begin(grid: picture.area, options: .init())
            // The cursor stays where a strip begins.
            for index in 0..<picture.kitty.stripCount {
                let rest = picture.layout.cells.height - index * picture.kitty.rowsPerStrip
                picture.kitty.strips[index].write(
                    number: index + 1, replacing: 0, into: &painter.sink)
                for _ in 0..<min(rest, picture.kitty.rowsPerStrip) { painter.sink.put("\n") }
            }
            bytes.append(contentsOf: painter.sink.written)
        }
    }

    private mutating func encodeCells(of picture: RenderedPicture, into bytes: inout [UInt8]) {
        let columns = picture.area.columns
        let line = TerminalGrid(columns: columns, rows: 1)
        painter.use(picture.glyphSet, picture.colorDepth)
        if row.count != columns {
            row = [Cell](repeating: .blank, count: columns)
            screen = row
        }
        for y in 0..<picture.area.rows {
            for x in 0..<columns {
                row[x] = picture.cells[y * columns + x]
                screen[x] = .unknown
            }
            painter.begin(grid: line, options: .init())
            painter.beginLine()
            painter.paintPatterns(row, over: &screen)
            bytes.append(contentsOf: painter.sink.written)
            if picture.colorDepth != .mono {
                bytes.append(contentsOf: [
                    0x1B, UInt8(ascii: "["), UInt8(ascii: "0"), UInt8(ascii: "m"),
                ])
            }
            bytes.append(0x0A)
        }
    }
}
