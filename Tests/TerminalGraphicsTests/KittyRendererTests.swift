import Testing
import TerminalGraphics

@Suite("Kitty renderer")
struct KittyRendererTests {
    private struct Image {
        var control: [Substring: Substring] = [:]
        var payload: [UInt8] = []
        var chunkLengths: [Int] = []
    }

    private func decode(_ text: Substring) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bytes: [UInt8] = []
        var word = 0
        var bits = 0
        for character in text where character != "=" {
            word = word << 6 | (alphabet.firstIndex(of: character) ?? 0)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 255))
            }
        }
        return bytes
    }

    /// The images and the numbers of those deleted.
    private func parse(_ bytes: [UInt8]) -> (images: [Image], deleted: [Substring]) {
        var images: [Image] = []
        var deleted: [Substring] = []
        for part in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}_G").dropFirst()
        {
            let body = part.split(separator: "\u{1B}\\", omittingEmptySubsequences: false)[0]
            let halves = body.split(separator: ";", maxSplits: 1)
            var control: [Substring: Substring] = [:]
            for pair in halves[0].split(separator: ",") {
                let sides = pair.split(separator: "=")
                control[sides[0]] = sides[1]
            }
            if control["a"] == "d" {
                deleted.append(control["i"] ?? "")
                continue
            }
            if control["a"] != nil { images.append(Image(control: control)) }
            images[images.count - 1].chunkLengths.append(halves[1].utf8.count)
            images[images.count - 1].payload += decode(halves[1])
        }
        return (images, deleted)
    }

    @Test func `what moves in a part of the picture sends the strips it touches`() throws {
        let renderer = KittyRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 12, rows: 12), fit: .fill))
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 12, rows: 13))
        let source = TestPicture.noise(96, 192, seed: 1)
        var bytes: [UInt8] = []
        encoder.encode(try source.rendered(by: renderer), into: &bytes)
        #expect(parse(bytes).images.map { $0.control["v"] } == ["64", "64", "64"])
        for (row, strip) in [(10, 0), (100, 1), (191, 2), (64, 1), (127, 1)] {
            for x in 20..<40 { source.invert(x: x, y: row) }
            bytes.removeAll()
            encoder.encode(try source.rendered(by: renderer), into: &bytes)
            let (images, deleted) = parse(bytes)
            #expect(images.count == 1 && deleted.count == 1, "row \(row)")
            let number = images.first?.control["i"].flatMap { Int($0) } ?? 0
            #expect((number - 1) / 2 == strip)
            #expect(deleted.first.flatMap { Int($0) }.map { ($0 - 1) / 2 } == strip)
            let row = String(decoding: bytes, as: UTF8.self)
            #expect(row.contains("\u{1B}[\(strip * 4 + 1)") || strip == 0)
        }
    }

    @Test("pixels arrive as they are, chunk by chunk, under two numbers in turn")
    func pixels() throws {
        let renderer = KittyRenderer(
            options: RendererOptions(area: TerminalGrid(columns: 12, rows: 5), fit: .fill))
        var encoder = ScreenEncoder(grid: TerminalGrid(columns: 12, rows: 6))
        for round in 0..<3 {
            let source = TestPicture.noise(96, 80, seed: UInt64(round + 1))
            var bytes: [UInt8] = []
            encoder.encode(try source.rendered(by: renderer), into: &bytes)
            let (images, deleted) = parse(bytes)
            #expect(images.map { $0.control["v"] } == ["64", "16"])
            #expect(images.allSatisfy { $0.control["s"] == "96" && $0.control["f"] == "24" })
            #expect(images.map { $0.control["i"] } == (round % 2 == 0 ? ["1", "3"] : ["2", "4"]))
            #expect(deleted == (round == 0 ? [] : round % 2 == 0 ? ["2", "4"] : ["1", "3"]))
            for one in images {
                #expect(one.chunkLengths.allSatisfy { $0 <= 4096 })
                #expect(one.chunkLengths.dropLast().allSatisfy { $0 % 4 == 0 })
            }
            let payload = images.flatMap(\.payload)
            #expect(payload.count == 96 * 80 * 3)

            let planes = RGBPlanes()
            planes.resize(to: PixelSize(width: 96, height: 80))
            try source.withSource { try PictureScaler().scale($0, into: planes) }
            var largest = 0
            for y in 0..<80 {
                for x in 0..<96 {
                    let at = (y * 96 + x) * 3
                    let green = Int(payload[at + 1]) - Int(planes.green[y * planes.stride + x])
                    largest = max(largest, abs(green))
                }
            }
            #expect(largest <= 1)

            bytes.removeAll()
            encoder.encode(try source.rendered(by: renderer), into: &bytes)
            #expect(bytes.isEmpty)
        }
    }
}
