import TerminalGraphics
import Testing

@Suite("Test pattern")
struct TestPatternTests {
    private func lines(
        _ depth: ColorDepth, cell: CellSize = .assumed, images: [RendererKind] = []
    ) throws -> [Substring] {
        let options = RendererOptions(
            area: TerminalGrid(columns: 80, rows: 24), cellSize: cell, colorDepth: depth)
        let page = try TestPattern(options: options, images: images).make()
        return String(decoding: page, as: UTF8.self).split(separator: "\n")
    }

    /// Without escape sequences.
    private func plain(_ line: Substring) -> String {
        String(line.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: ""))
    }

    @Test func `every character of every set is in it`() throws {
        let text = try lines(.truecolor).map(plain).joined(separator: "\n")
        for set in GlyphSet.allCases {
            for pattern in 0..<set.patternCount {
                #expect(text.unicodeScalars.contains(set.scalar(pattern: pattern)))
            }
        }
    }

    @Test(arguments: ColorDepth.allCases, [CellSize.assumed, CellSize(width: 10, height: 20)])
    func `lines fit 80 columns, and use no colours beyond the terminal's`(
        depth: ColorDepth, cell: CellSize
    ) throws {
        for line in try lines(depth, cell: cell) {
            #expect(plain(line).unicodeScalars.count <= 80, "\(plain(line))")
            if depth != .truecolor { #expect(!line.contains("8;2;")) }
            if depth == .palette16 || depth == .mono { #expect(!line.contains("8;5;")) }
            if depth == .mono { #expect(!line.contains("\u{1B}[")) }
        }
    }

    @Test func `images are there where the terminal shows them`() throws {
        let none = try lines(.truecolor).joined()
        #expect(!none.contains("\u{1B}P") && !none.contains("\u{1B}_G"))
        let both = try lines(.truecolor, images: [.sixel, .kitty]).joined()
        #expect(both.contains("\u{1B}P") && both.contains("\u{1B}_G"))
    }
}
