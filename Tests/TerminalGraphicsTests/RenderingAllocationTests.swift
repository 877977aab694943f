import TerminalGraphics
import TestSupport
import Testing

/// A renderer in steady state draws into pictures that it has used before.
@Suite("Renderers: allocations", .enabled(if: Allocations.canBeCounted))
struct RenderingAllocationTests {
    @Test(arguments: RendererKind.allCases)
    func `a steady state allocates nothing large`(_ kind: RendererKind) async {
        await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
            let kind = try #require(RendererKind(rawValue: name))
            let pictures = Self.pictures()
            var options = RendererOptions(area: TerminalGrid(columns: 80, rows: 24))
            try Self.check(kind, options, pictures, count: 200)
            for dither in [Dither.none, .ordered, .diffusion] {
                options.dither = dither
                for depth in kind.isImage ? [.truecolor] : [ColorDepth.palette256, .mono] {
                    options.colorDepth = depth
                    try Self.check(kind, options, pictures, count: 32)
                }
            }
        }
    }

    /// A gradient that moves, and whose colours change: every picture is another one, and sixels need other registers.
    private static func pictures() -> [TestPicture] {
        (0..<16).map { number in
            TestPicture(160, 90, .yuv420p) { x, y in
                (
                    UInt8(40 + abs((x + y + number * 4) % 320 - 160)),
                    UInt8(100 + abs(x / 4 + number - 40)), UInt8(100 + abs(y / 4 - number - 20))
                )
            }
        }
    }

    private static func check(
        _ kind: RendererKind, _ options: RendererOptions, _ pictures: [TestPicture], count: Int
    ) throws {
        let renderer = kind.makeSourceRenderer(options: options)
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 80, rows: 25))
        var bytes: [UInt8] = []
        func play(_ count: Int) throws {
            for number in 0..<count {
                let picture = try pictures[number % pictures.count].rendered(by: renderer)
                bytes.removeAll(keepingCapacity: true)
                encoder.encode(picture, into: &bytes)
            }
        }
        // Memory grows to what the largest picture needs.
        try play(32)
        let steady = try Allocations { try play(count) }
        #expect(!bytes.isEmpty)
        #expect(steady.largeCount == 0, "\(options): \(steady) for \(count) pictures")
        // Small boxes: what Swift passes closures and strings in; seen are 3 for cells, 8 for sixels with a palette fitted
        // anew, 21 for kitty's strips, the largest with 2 KB.
        #expect(steady.count <= count * 32, "\(options): \(steady) for \(count) pictures")
    }
}
