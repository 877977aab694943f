import Testing
import TerminalGraphics

@Suite("Sixel renderer")
struct SixelRendererTests {
    /// A picture with smooth parts, edges, and a patch that moves.
    private func scene(_ width: Int, _ height: Int, step: Int = 0) -> TestPicture {
        TestPicture(width, height) { x, y in
            if x / 8 == step % max(width / 8, 1), y < height / 3 { return (200, 90, 200) }
            return (
                UInt8(20 + x * 200 / width), UInt8(60 + y * 120 / height),
                (x / 16 + y / 16) % 2 == 0 ? 110 : 160
            )
        }
    }

    @Test(
        "pixels lie where they should, in the right colours",
        arguments: [(8, 16), (7, 18), (10, 20), (9, 22), (6, 13)], [Fit.contain, .fill])
    func pixels(cell: (Int, Int), fit: Fit) throws {
        let cellSize = CellSize(width: cell.0, height: cell.1)
        let grid = TerminalGrid(columns: 21, rows: 8)
        let options = RendererOptions(
            area: TerminalGrid(columns: 21, rows: 7), cellSize: cellSize, fit: fit)
        let renderer = SixelRenderer(options: options)
        var encoder = ScreenEncoder(grid: grid)
        var emulator = Emulator(grid: grid, cellSize: cellSize)
        for step in 0..<6 {
            let picture = scene(160, 90, step: step)
            let rendered = try picture.rendered(by: renderer)
            var bytes: [UInt8] = []
            encoder.encode(rendered, into: &bytes)
            emulator.feed(bytes)
            #expect(emulator.complaints.isEmpty, "\(emulator.complaints.prefix(3))")

            let planes = RGBPlanes()
            let place = rendered.layout.destination
            planes.resize(to: PixelSize(width: place.width, height: place.height))
            try picture.withSource { try PictureScaler().scale($0, into: planes) }
            var error = 0
            for y in 0..<place.height {
                for x in 0..<place.width {
                    let at = y * planes.stride + x
                    let shown = try #require(
                        emulator.pixels[(place.y + y) * emulator.pixelWidth + place.x + x])
                    let r = Int(shown >> 16) - Int(planes.red[at])
                    let g = Int(shown >> 8 & 255) - Int(planes.green[at])
                    let b = Int(shown & 255) - Int(planes.blue[at])
                    error += r * r + g * g + b * b
                }
            }
            let mean = Double(error) / Double(place.width * place.height * 3)
            #expect(mean < 40, "a mean square of \(mean)")
            let count = emulator.pixels.count { $0 != nil }
            #expect(count == place.width * place.height, "nothing beside the picture")
        }
    }

    @Test("a picture that stays sends nothing; a change sends its chunks only")
    func chunks() throws {
        let options = RendererOptions(area: TerminalGrid(columns: 40, rows: 12))
        let renderer = SixelRenderer(options: options)
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 40, rows: 13))
        var bytes: [UInt8] = []
        encoder.encode(try scene(320, 192).rendered(by: renderer), into: &bytes)
        let whole = bytes.count
        bytes.removeAll()
        encoder.encode(try scene(320, 192).rendered(by: renderer), into: &bytes)
        #expect(bytes.isEmpty)
        encoder.encode(try scene(320, 192, step: 1).rendered(by: renderer), into: &bytes)
        #expect(!bytes.isEmpty && bytes.count < whole * 3 / 4)
    }

    @Test("text over the image is sent after it, and the image comes back where text goes")
    func overlay() throws {
        let grid = TerminalGrid(columns: 20, rows: 8)
        let renderer = SixelRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 20, rows: 7), fit: .fill))
        let rendered = try scene(160, 112).rendered(by: renderer)
        var encoder = ScreenEncoder(grid: grid, options: .init(synchronizedOutput: true))
        var emulator = Emulator(grid: grid)
        let note = ScreenText(row: 4, column: 2, width: 6, "note")
        for text in [[], [note], [], [note]] {
            var bytes: [UInt8] = []
            encoder.encode(rendered, text: text, into: &bytes)
            emulator.feed(bytes)
            let isCovered = emulator.pixels[70 * emulator.pixelWidth + 20] == nil
            #expect(isCovered == !text.isEmpty)
            #expect(emulator.text(row: 4).contains("note") == !text.isEmpty || text.isEmpty)
            #expect(emulator.pixels[30 * emulator.pixelWidth + 20] != nil)
        }
        #expect(emulator.complaints.isEmpty, "\(emulator.complaints)")
    }

    @Test("the palette is kept while it serves and fitted when it does not")
    func palette() throws {
        let renderer = SixelRenderer(
            options: RendererOptions(
                area: TerminalGrid(columns: 20, rows: 6), maximumRegisterCount: 16))
        func registers(_ picture: TestPicture) throws -> [Int: UInt32] {
            var encoder = PlainTextEncoder()
            var bytes: [UInt8] = []
            encoder.encode(try picture.rendered(by: renderer), into: &bytes)
            return Sixels(Array(bytes.dropFirst(2).dropLast(3))).registers
        }
        let first = try registers(scene(160, 96))
        #expect(first.count <= 16)
        for (register, color) in try registers(scene(160, 96, step: 1)) {
            #expect(first[register] == nil || first[register] == color)
        }
        let other = try registers(
            TestPicture(160, 96) { x, y in (UInt8(30 + y), 200, UInt8(60 + x / 2)) })
        #expect(other != first && other.count <= 16)
    }

    @Test("dithering keeps the mean", arguments: [Dither.ordered, .diffusion])
    func dither(dither: Dither) throws {
        let renderer = SixelRenderer(
            options: RendererOptions(
                area: TerminalGrid(columns: 16, rows: 8), fit: .fill, dither: dither,
                maximumRegisterCount: 8))
        let picture = TestPicture(128, 128) { x, _ in (UInt8(40 + x), 128, 128) }
        var encoder = PlainTextEncoder()
        var bytes: [UInt8] = []
        encoder.encode(try picture.rendered(by: renderer), into: &bytes)
        let image = Sixels(Array(bytes.dropFirst(2).dropLast(3)))
        for block in 1..<7 {
            var sum = 0.0
            for y in 0..<128 {
                for x in block * 16..<block * 16 + 16 {
                    sum += Double((image.pixels[y * 128 + x] ?? 0) & 255)
                }
            }
            let wanted = (Double(40 + block * 16) + 7.5 - 16) * 255 / 219
            #expect(abs(sum / 2048 - wanted) < 8, "block \(block): \(sum / 2048) for \(wanted)")
        }
    }
}
