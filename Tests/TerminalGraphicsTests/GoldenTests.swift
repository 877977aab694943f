import Glibc
import Testing
import TerminalGraphics

/// Escape output, byte for byte.
///
/// `TPLAY_RECORD=1` writes the files anew.
@Suite("Golden output")
struct GoldenTests {
    static let folder =
        #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Golden/"

    /// Three pictures of a moving edge, their text, and a picture that stays.
    private func output(_ kind: RendererKind, _ depth: ColorDepth) throws -> [UInt8] {
        let renderer = kind.makeSourceRenderer(
            options: RendererOptions(
                area: TerminalGrid(columns: 12, rows: 5), colorDepth: depth, dither: .none))
        var encoder = ScreenEncoder(
            grid: TerminalGrid(columns: 12, rows: 6), options: .init(synchronizedOutput: true))
        var bytes: [UInt8] = []
        for step in [0, 1, 2, 2] {
            let picture = TestPicture(96, 64) { x, y in
                // Large flat areas: every version of libswscale makes the same of them.
                x < 16 * (step + 1) ? (60, 128, 128) : y < 32 ? (180, 100, 180) : (180, 180, 100)
            }
            encoder.encode(
                try picture.rendered(by: renderer),
                text: [ScreenText(row: 5, width: 12, "picture \(step)", style: .inverse)],
                into: &bytes)
        }
        return bytes
    }

    @Test(
        "the bytes are those on file",
        arguments: [
            (RendererKind.half, ColorDepth.truecolor), (.half, .palette256), (.half, .palette16),
            (.half, .mono), (.quadrant, .truecolor), (.octant, .truecolor), (.octant, .mono),
            (.ascii, .truecolor), (.sixel, .truecolor),
        ])
    func golden(kind: RendererKind, depth: ColorDepth) throws {
        let bytes = try output(kind, depth)
        let path = Self.folder + "\(kind.rawValue)-\(depth.rawValue).txt"
        if getenv("TPLAY_RECORD") != nil {
            let file = try #require(fopen(path, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            return
        }
        let file = try #require(fopen(path, "r"), "no \(path): run once with TPLAY_RECORD=1")
        defer { fclose(file) }
        var wanted = [UInt8](repeating: 0, count: 1 << 20)
        wanted.removeLast(wanted.count - fread(&wanted, 1, wanted.count, file))
        let difference = zip(bytes, wanted).enumerated().first { $1.0 != $1.1 }?.offset
        let first = difference ?? min(bytes.count, wanted.count)
        #expect(bytes == wanted, "differs from byte \(first) on")
    }
}
