import ElementaryStream
import Playback
import TerminalGraphics
import TestSupport
import Testing

/// What pictures cost on the way to the terminal, at 160 × 45 cells in half blocks.
@Suite(
    "Bytes of a picture", .enabled(if: Clip.hasStreams), .timeLimit(.minutes(Checkout.patience(10)))
)
struct PictureByteTests {
    @Test(arguments: [
        ("bbb1080.264", 0, 160_000), ("bbb1080.264", 2, 105_000), ("static1080.264", 0, 9000),
        ("static1080.264", 2, 5300), ("bbb1080.264", 4, 80_000), ("bbb1080.264", 12, 40_000),
    ])
    func `exact, and within a tolerance`(name: String, tolerance: Int, most: Int) throws {
        let source = try openByteSource(path: Clip.streamsFolder + "/bench/" + name)
        let index = StreamIndex(byteCount: source.byteCount)
        StreamIndexer.fill(index, from: source, options: .init()) {}
        let decoder = PieceDecoder(source, index: index)
        let grid = TerminalGrid(columns: 160, rows: 45)
        let area = TerminalGrid(columns: 160, rows: 44)
        let renderer = RendererKind.half.makeRenderer(options: RendererOptions(area: area))
        var encoder = ScreenEncoder(
            grid: grid, options: .init(synchronizedOutput: true, tolerance: tolerance))
        let count = index.summary.count
        var bytes: [UInt8] = []
        var total = 0
        for first in stride(from: 0, to: count, by: 22) {
            let pictures = decoder.decode(first...min(first + 21, count - 1)) { false }
            for picture in pictures {
                bytes.removeAll(keepingCapacity: true)
                encoder.encode(try renderer.render(picture.pixelBuffer), into: &bytes)
                total += bytes.count
            }
        }
        #expect(count >= 132)
        #expect(total / count <= most, "\(total / count)")
        #expect(total > 0)
    }
}
