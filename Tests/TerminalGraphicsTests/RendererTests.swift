import Testing
import TerminalGraphics

@Suite("Renderers")
struct RendererTests {
    @Test("renderers use their pictures again", arguments: RendererKind.allCases)
    func recycling(kind: RendererKind) throws {
        let renderer = kind.makeSourceRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 20, rows: 8)))
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 20, rows: 9))
        var seen: Set<ObjectIdentifier> = []
        var bytes: [UInt8] = []
        for seed in 0..<12 {
            let picture = try TestPicture.noise(64, 36, seed: UInt64(seed + 1)).rendered(
                by: renderer)
            seen.insert(ObjectIdentifier(picture))
            encoder.encode(picture, into: &bytes)
        }
        #expect(seen.count <= 3)
    }

    @Test("a half cell at the bottom edge has the terminal's colour below")
    func edge() throws {
        let renderer = HalfBlockRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 16, rows: 9)))
        // 16 by 9 dots: the fifth row of cells is half covered.
        let picture = try TestPicture(160, 90) { _, _ in (100, 128, 128) }.rendered(by: renderer)
        let cells = picture.layout.cells
        #expect(picture.layout.destination.height == 9 && cells.height == 5)
        let last = picture.cells[(cells.y + 4) * 16 + cells.x]
        #expect(last.background == Cell.defaultColor && last.pattern == 1)
        #expect(picture.cells[0] == .blank)
    }

    @Test("cells show the dots of the scaled picture")
    func half() throws {
        let renderer = HalfBlockRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 16, rows: 8), fit: .fill))
        let source = TestPicture.noise(16, 16, seed: 2)
        let picture = try source.rendered(by: renderer)
        let planes = RGBPlanes()
        planes.resize(to: PixelSize(width: 16, height: 16))
        try source.withSource { try PictureScaler().scale($0, into: planes) }
        for row in 0..<8 {
            for column in 0..<16 {
                let cell = picture.cells[row * 16 + column]
                for (color, y) in [(cell.foreground, row * 2), (cell.background, row * 2 + 1)] {
                    let at = y * planes.stride + column
                    #expect(abs(Int(color >> 16) - Int(planes.red[at])) <= 3)
                    #expect(abs(Int(color >> 8 & 255) - Int(planes.green[at])) <= 3)
                    #expect(abs(Int(color & 255) - Int(planes.blue[at])) <= 3)
                }
            }
        }
    }

    @Test("every size works, down to one cell", arguments: RendererKind.allCases)
    func sizes(kind: RendererKind) throws {
        for (columns, rows) in [(1, 1), (2, 1), (1, 3), (7, 5), (333, 2), (3, 120)] {
            let grid = TerminalGrid(columns: columns, rows: rows + 1)
            let renderer = kind.makeSourceRenderer(
                options: RendererOptions(area: TerminalGrid(columns: columns, rows: rows)))
            var emulator = Emulator(grid: grid)
            var encoder = ScreenEncoder(grid: grid)
            var bytes: [UInt8] = []
            encoder.encode(
                try TestPicture.noise(34, 22, seed: 1).rendered(by: renderer), into: &bytes)
            emulator.feed(bytes)
            #expect(
                emulator.complaints.isEmpty, "\(columns)x\(rows) \(emulator.complaints.prefix(2))")
        }
    }
}
