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

    /// The image and the numbers of those deleted.
    private func parse(_ bytes: [UInt8]) -> (image: Image?, deleted: [Substring]) {
        var image: Image?
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
            if image == nil { image = Image(control: control) }
            image?.chunkLengths.append(halves[1].utf8.count)
            image?.payload += decode(halves[1])
        }
        return (image, deleted)
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
            let (image, deleted) = parse(bytes)
            let one = try #require(image)
            #expect(
                one.control["s"] == "96" && one.control["v"] == "80" && one.control["f"] == "24")
            #expect(one.control["i"] == (round % 2 == 0 ? "1" : "2"))
            #expect(deleted == (round == 0 ? [] : [round % 2 == 0 ? "2" : "1"]))
            #expect(one.chunkLengths.allSatisfy { $0 <= 4096 })
            #expect(one.chunkLengths.dropLast().allSatisfy { $0 % 4 == 0 })
            #expect(one.payload.count == 96 * 80 * 3)

            let planes = RGBPlanes()
            planes.resize(to: PixelSize(width: 96, height: 80))
            try source.withSource { try PictureScaler().scale($0, into: planes) }
            var largest = 0
            for y in 0..<80 {
                for x in 0..<96 {
                    let at = (y * 96 + x) * 3
                    let green = Int(one.payload[at + 1]) - Int(planes.green[y * planes.stride + x])
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
