import Testing
import TerminalGraphics

@Suite("Few colours")
struct ReducedColorTests {
    private func cells(
        _ kind: RendererKind, _ depth: ColorDepth, _ dither: Dither, _ picture: TestPicture
    ) throws -> [Cell] {
        let options = RendererOptions(
            area: TerminalGrid(columns: 24, rows: 12), fit: .fill, colorDepth: depth, dither: dither
        )
        return try picture.rendered(by: kind.makeSourceRenderer(options: options)).cells
    }

    @Test(
        "a grey is the nearest of the palette's",
        arguments: [(ColorDepth.palette256, UInt32(244)), (.palette16, 8)])
    func nearest(depth: ColorDepth, number: UInt32) throws {
        // Code 125 is 127 of 255.
        let picture = TestPicture(96, 96) { _, _ in (125, 128, 128) }
        for kind in [RendererKind.half, .quadrant, .octant] {
            for cell in try cells(kind, depth, .none, picture) {
                #expect(cell == Cell(solid: number))
            }
        }
    }

    @Test(
        "ordered dither stays still where the picture does",
        arguments: [ColorDepth.palette256, .palette16, .mono])
    func still(depth: ColorDepth) throws {
        let first = TestPicture(96, 96) { x, _ in (UInt8(40 + x * 2), 110, 140) }
        let second = TestPicture(96, 96) { x, y in (x < 48 ? UInt8(40 + x * 2) : UInt8(y), 110, 140)
        }
        let one = try cells(.sextant, depth, .automatic, first)
        let other = try cells(.sextant, depth, .automatic, second)
        for index in one.indices where index % 24 < 11 { #expect(one[index] == other[index]) }
    }

    @Test(
        "dots in mono are as many as the picture is bright",
        arguments: [Dither.ordered, .diffusion])
    func mono(dither: Dither) throws {
        for code in [16, 70, 125, 180, 235] as [UInt8] {
            let picture = TestPicture(96, 96) { _, _ in (code, 128, 128) }
            let cells = try cells(.octant, .mono, dither, picture)
            let dots = cells.reduce(0) { $0 + $1.pattern.nonzeroBitCount }
            let share = Double(dots) / Double(cells.count * 8)
            #expect(abs(share - Double(code - 16) / 219) < 0.04, "\(code): \(share)")
        }
    }
}
