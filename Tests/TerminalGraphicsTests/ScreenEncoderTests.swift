import Testing
import TerminalGraphics

@Suite("Screen encoder")
struct ScreenEncoderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var set: GlyphSet
        var depth: ColorDepth
        var options: ScreenEncoder.Options
        var testDescription: String { "\(set) \(depth) \(options)" }
    }

    static let cases: [Case] = GlyphSet.allCases.flatMap { set in
        ColorDepth.allCases.flatMap { depth in
            [
                ScreenEncoder.Options(),
                .init(synchronizedOutput: true, repeatsCharacters: true),
            ].map { Case(set: set, depth: depth, options: $0) }
        }
    }

    @Test("the screen shows each picture after its bytes", arguments: cases)
    func follows(one: Case) {
        let area = TerminalGrid(columns: 31, rows: 9)
        let grid = TerminalGrid(columns: 31, rows: 10)
        var source = RandomCells(one.set, one.depth, area: area, seed: 11)
        var encoder = ScreenEncoder(grid: grid, options: one.options)
        var emulator = Emulator(grid: grid)
        for round in 0..<60 {
            if round % 23 == 22 { encoder.invalidate() }
            var bytes: [UInt8] = []
            let text =
                round % 3 == 0
                ? [] : [ScreenText(row: 9, width: 31, "picture \(round)", style: .inverse)]
            let picture = source.next()
            encoder.encode(picture, text: text, into: &bytes)
            emulator.feed(bytes)
            for row in 0..<area.rows {
                for column in 0..<area.columns {
                    let wanted = source.cells[row * area.columns + column]
                    let got = emulator.cell(column, row, one.set, one.depth)
                    guard got == wanted || one.depth == .mono && wanted == .blank else {
                        Issue.record(
                            "round \(round) at \(column),\(row): \(wanted) is \(String(describing: got))"
                        )
                        return
                    }
                }
            }
            #expect(emulator.text(row: 9) == (round % 3 == 0 ? "" : "picture \(round)"))
            #expect(emulator.complaints.isEmpty, "\(emulator.complaints)")

            bytes.removeAll()
            encoder.encode(picture, text: text, into: &bytes)
            #expect(bytes.isEmpty, "the same again costs nothing")
        }
    }

    @Test("with a tolerance no channel is ever further off", arguments: [GlyphSet.half, .octant])
    func tolerance(set: GlyphSet) {
        let area = TerminalGrid(columns: 20, rows: 8)
        var random = Random(seed: 5)
        var encoder = ScreenEncoder(grid: area, options: .init(tolerance: 2))
        var emulator = Emulator(grid: area)
        var source = RandomCells(set, .truecolor, area: area, seed: 3)
        let picture = source.next()
        var cells = picture.cells.map { cell in
            cell == .blank ? Cell(solid: 0x808080) : cell
        }
        func step(_ color: UInt32) -> UInt32 {
            guard color & Cell.defaultColor == 0 else { return color }
            return [16, 8, 0].reduce(0) { sum, shift in
                let value =
                    Int(color >> UInt32(shift) & 255) + Int.random(in: -1...1, using: &random)
                return sum | UInt32(min(max(value, 0), 255)) << UInt32(shift)
            }
        }
        func far(_ a: UInt32, _ b: UInt32) -> Int {
            if (a | b) & Cell.defaultColor != 0 { return a == b ? 0 : 255 }
            return [16, 8, 0].map { abs(Int(a >> $0 & 255) - Int(b >> $0 & 255)) }.max() ?? 0
        }
        var total = 0
        for round in 0..<60 {
            cells = cells.map { cell in
                let foreground = step(cell.foreground)
                let background = step(cell.background)
                return cell.pattern == 0 || foreground == background
                    ? Cell(solid: foreground)
                    : Cell(pattern: cell.pattern, foreground: foreground, background: background)
            }
            let next = RenderedPicture(layout: picture.layout, content: .cells(set))
            next.cells = cells
            if round == 59 { encoder.options.tolerance = 0 }
            var bytes: [UInt8] = []
            encoder.encode(next, into: &bytes)
            emulator.feed(bytes)
            total += bytes.count
            for (index, wanted) in cells.enumerated() {
                let got = emulator.cell(index % 20, index / 20, set, .truecolor) ?? .blank
                let allowed = round == 59 ? 0 : 2
                // One colour may be shown as two that are near it, and the other way round.
                let isNear =
                    far(got.foreground, wanted.foreground) <= allowed
                    && far(got.background, wanted.background) <= allowed
                #expect(isNear, "round \(round): \(got) for \(wanted)")
            }
        }
        #expect(emulator.complaints.isEmpty)
    }

    @Test("text is clipped, and control characters are not passed on")
    func text() {
        let grid = TerminalGrid(columns: 12, rows: 3)
        var encoder = ScreenEncoder(grid: grid)
        var emulator = Emulator(grid: grid)
        var bytes: [UInt8] = []
        encoder.encode(
            nil,
            text: [
                ScreenText(row: 0, "a\u{1B}[2Jb\u{7}\u{9B}c\u{202E}d too long"),
                ScreenText(row: 1, column: 9, "日本語"),
                ScreenText(row: 2, column: -2, width: 8, "xxyz", style: .bold),
                ScreenText(row: 7, "nowhere"),
            ], into: &bytes)
        emulator.feed(bytes)
        #expect(emulator.complaints.isEmpty, "\(emulator.complaints)")
        #expect(emulator.text(row: 0) == "a?[2Jb??cd t")
        #expect(emulator.text(row: 1) == "         日")
        #expect(emulator.text(row: 2) == "yz")
        #expect(emulator[0, 2].attributes == [1] && emulator[5, 2].attributes == [1])
        #expect(emulator[6, 2].attributes == [])

        bytes.removeAll()
        encoder.encode(nil, text: [], into: &bytes)
        emulator.feed(bytes)
        for row in 0..<3 { #expect(emulator.text(row: row).isEmpty) }
    }

    @Test("only the characters that change are sent")
    func textChanges() {
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 40, rows: 2))
        var bytes: [UInt8] = []
        encoder.encode(
            nil, text: [ScreenText(row: 1, width: 40, "picture 17 of 132")], into: &bytes)
        bytes.removeAll()
        encoder.encode(
            nil, text: [ScreenText(row: 1, width: 40, "picture 18 of 132")], into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[2;10H\u{1B}[0m8\u{1B}[0m")
    }

    @Test("an overlay covers the picture, and gives it back")
    func overlay() {
        let grid = TerminalGrid(columns: 20, rows: 6)
        var source = RandomCells(.quadrant, .truecolor, area: grid, seed: 9)
        let picture = source.next()
        var encoder = ScreenEncoder(grid: grid)
        var emulator = Emulator(grid: grid)
        for text in [[], [ScreenText(row: 2, column: 3, width: 9, "help 本")], []] {
            var bytes: [UInt8] = []
            encoder.encode(picture, text: text, into: &bytes)
            emulator.feed(bytes)
            for (index, cell) in source.cells.enumerated() {
                let (column, row) = (index % 20, index / 20)
                if !text.isEmpty, row == 2, (3..<12).contains(column) { continue }
                #expect(emulator.cell(column, row, .quadrant, .truecolor) == cell)
            }
            if !text.isEmpty {
                #expect(emulator[3, 2].scalar == 0x68 && emulator[8, 2].scalar == 0x672C)
            }
        }
        #expect(emulator.complaints.isEmpty)
    }

    @Test("another size and another renderer begin with a clear screen")
    func changes() {
        let small = TerminalGrid(columns: 10, rows: 4)
        let large = TerminalGrid(columns: 15, rows: 7)
        var encoder = ScreenEncoder(grid: small)
        var bytes: [UInt8] = []
        var source = RandomCells(.half, .truecolor, area: small, seed: 1)
        encoder.encode(source.next(), into: &bytes)
        encoder.resize(to: large)
        // A picture that was rendered for the old size is clipped or surrounded, never out of bounds.
        bytes.removeAll()
        var emulator = Emulator(grid: large)
        encoder.encode(source.next(), into: &bytes)
        emulator.feed(bytes)
        var other = RandomCells(.octant, .truecolor, area: large, seed: 2)
        bytes.removeAll()
        encoder.encode(other.next(), into: &bytes)
        emulator.feed(bytes)
        for (index, cell) in other.cells.enumerated() {
            #expect(emulator.cell(index % 15, index / 15, .octant, .truecolor) == cell)
        }
        encoder.resize(to: TerminalGrid(columns: 1, rows: 1))
        bytes.removeAll()
        encoder.encode(other.next(), text: [ScreenText(row: 0, "本")], into: &bytes)
        var tiny = Emulator(grid: TerminalGrid(columns: 1, rows: 1))
        tiny.feed(bytes)
        #expect(tiny.complaints.isEmpty && emulator.complaints.isEmpty)
    }

    @Test("synchronized output is opened once and closed")
    func synchronized() {
        let grid = TerminalGrid(columns: 10, rows: 4)
        var source = RandomCells(.half, .truecolor, area: grid, seed: 1)
        var encoder = ScreenEncoder(grid: grid, options: .init(synchronizedOutput: true))
        var bytes: [UInt8] = []
        encoder.encode(source.next(), into: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}[?2026h") && text.hasSuffix("\u{1B}[?2026l"))
        #expect(text.components(of: "2026").count == 3)
    }

    @Test(
        "plain text has one line a row and ends each with a reset", arguments: ColorDepth.allCases)
    func plain(depth: ColorDepth) {
        let area = TerminalGrid(columns: 12, rows: 5)
        var source = RandomCells(.half, depth, area: area, seed: 6)
        var encoder = PlainTextEncoder()
        for _ in 0..<5 {
            var bytes: [UInt8] = []
            encoder.encode(source.next(), into: &bytes)
            #expect(bytes.last == 0x0A && bytes.count(where: { $0 == 0x0A }) == 5)
            for (row, line) in bytes.split(separator: 0x0A).enumerated() {
                var emulator = Emulator(grid: TerminalGrid(columns: 12, rows: 1))
                emulator.feed(Array(line))
                #expect(emulator.complaints.isEmpty)
                for column in 0..<12 {
                    let wanted = source.cells[row * 12 + column]
                    #expect(
                        emulator.cell(column, 0, .half, depth) == wanted
                            || depth == .mono && wanted == .blank)
                }
            }
            if depth == .mono { #expect(!bytes.contains(0x1B)) }
        }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
