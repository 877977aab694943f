import TerminalGraphics

/// A terminal that knows what our encoder sends, and objects to anything else.
struct Emulator {
    struct Place: Hashable {
        var scalar: UInt32 = 0x20
        var foreground: UInt32 = Cell.defaultColor
        var background: UInt32 = Cell.defaultColor
        var attributes: Set<Int> = []
    }

    let grid: TerminalGrid
    let cellSize: CellSize
    private(set) var places: [Place]
    /// The pixels of images; nil where there are none.
    private(set) var pixels: [UInt32?]
    private(set) var complaints: [String] = []
    private(set) var isSynchronized = false
    private(set) var syncCount = 0
    private(set) var imageCount = 0
    private var x = 0
    private var y = 0
    private var pen = Place()
    private var last: UInt32 = 0x20

    init(grid: TerminalGrid, cellSize: CellSize = .assumed) {
        self.grid = grid
        self.cellSize = cellSize
        places = Array(repeating: Place(), count: grid.columns * grid.rows)
        pixels = Array(
            repeating: nil,
            count: grid.columns * cellSize.width * grid.rows * cellSize.height)
    }

    subscript(column: Int, row: Int) -> Place { places[row * grid.columns + column] }

    var pixelWidth: Int { grid.columns * cellSize.width }

    /// A row's characters, without the spaces at the end.
    func text(row: Int) -> String {
        var text = ""
        for column in 0..<grid.columns {
            let scalar = self[column, row].scalar
            if scalar != 0 { text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "?") }
        }
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    mutating func feed(_ bytes: [UInt8]) {
        var at = 0
        while at < bytes.count { at += step(bytes, at) }
        if isSynchronized { complaints.append("synchronized output left open") }
    }

    /// Takes one character or sequence; returns its bytes.
    private mutating func step(_ bytes: [UInt8], _ at: Int) -> Int {
        switch bytes[at] {
        case 0x1B: return escape(bytes, at)
        case 0x0D:
            x = 0
            return 1
        case 0x0A:
            y += 1
            if y >= grid.rows { complain("line feed scrolls") }
            return 1
        case 0..<0x20, 0x7F:
            complain("control character \(bytes[at])")
            return 1
        default:
            let length = bytes[at] < 0x80 ? 1 : bytes[at] < 0xE0 ? 2 : bytes[at] < 0xF0 ? 3 : 4
            guard
                let text = String(
                    validating: bytes[at..<min(at + length, bytes.count)], as: UTF8.self),
                let scalar = text.unicodeScalars.first
            else {
                complain("invalid UTF-8")
                return 1
            }
            put(scalar.value)
            return length
        }
    }

    private mutating func put(_ scalar: UInt32) {
        guard x < grid.columns, y < grid.rows else { return complain("character beyond the edge") }
        var place = pen
        place.scalar = scalar
        places[y * grid.columns + x] = place
        erasePixels(x, y)
        x += 1
        let isWide = scalar >= 0x1100 && (0x2E80...0xFFE6).contains(scalar)
        if isWide {
            guard x < grid.columns else { return complain("wide character at the edge") }
            place.scalar = 0
            places[y * grid.columns + x] = place
            x += 1
        }
        last = scalar
    }

    private mutating func erasePixels(_ column: Int, _ row: Int) {
        for line in 0..<cellSize.height {
            let start = (row * cellSize.height + line) * pixelWidth + column * cellSize.width
            for pixel in start..<start + cellSize.width { pixels[pixel] = nil }
        }
    }

    private mutating func complain(_ text: String) { complaints.append("\(text) at \(x),\(y)") }

    private mutating func escape(_ bytes: [UInt8], _ at: Int) -> Int {
        guard at + 1 < bytes.count else {
            complain("cut off")
            return 1
        }
        switch bytes[at + 1] {
        case UInt8(ascii: "["):
            var end = at + 2
            while end < bytes.count, !(0x40...0x7E).contains(bytes[end]) { end += 1 }
            guard end < bytes.count else {
                complain("cut off")
                return bytes.count - at
            }
            control(String(decoding: bytes[at + 2..<end], as: UTF8.self), bytes[end])
            return end + 1 - at
        case UInt8(ascii: "P"), UInt8(ascii: "_"):
            var end = at + 2
            while end + 1 < bytes.count, !(bytes[end] == 0x1B && bytes[end + 1] == 0x5C) {
                end += 1
            }
            guard end + 1 < bytes.count else {
                complain("cut off")
                return bytes.count - at
            }
            imageCount += 1
            if bytes[at + 1] == UInt8(ascii: "P") { draw(Sixels(Array(bytes[at + 2..<end]))) }
            return end + 2 - at
        default:
            complain("unknown escape")
            return 2
        }
    }

    private mutating func draw(_ image: Sixels) {
        complaints += image.complaints
        // Where scrolling is on, the cursor goes to the line below the image.
        let rows = (image.height + cellSize.height - 1) / cellSize.height
        if y + rows >= grid.rows { complain("image scrolls") }
        for (index, pixel) in image.pixels.enumerated() where pixel != nil {
            let left = x * cellSize.width + index % image.width
            let top = y * cellSize.height + index / image.width
            guard left < pixelWidth else { return complain("image beyond the edge") }
            pixels[top * pixelWidth + left] = pixel
        }
        x = 0
        y = 0
    }

    private mutating func control(_ parameters: String, _ final: UInt8) {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        switch (final, parameters) {
        case (UInt8(ascii: "h"), "?2026"):
            if isSynchronized { complain("synchronized twice") }
            isSynchronized = true
            syncCount += 1
        case (UInt8(ascii: "l"), "?2026"): isSynchronized = false
        case (UInt8(ascii: "J"), "2"):
            places = places.map { _ in
                var blank = pen
                blank.scalar = 0x20
                return blank
            }
            pixels = pixels.map { _ in nil }
        case (UInt8(ascii: "H"), _):
            y = max(numbers[0], 1) - 1
            x = numbers.count > 1 ? max(numbers[1], 1) - 1 : 0
            if x >= grid.columns || y >= grid.rows { complain("move beyond the edge") }
        case (UInt8(ascii: "C"), _):
            if x >= grid.columns { complain("relative move from behind the last column") }
            x += max(numbers[0], 1)
            if x >= grid.columns { complain("move beyond the edge") }
        case (UInt8(ascii: "b"), _):
            for _ in 0..<numbers[0] { put(last) }
        case (UInt8(ascii: "m"), _): setColors(numbers)
        default: complain("unknown control \(parameters)\(Unicode.Scalar(final))")
        }
    }

    private mutating func setColors(_ numbers: [Int]) {
        var at = 0
        while at < numbers.count {
            switch numbers[at] {
            case 0: pen = Place()
            case 1, 2, 7: pen.attributes.insert(numbers[at])
            case 39: pen.foreground = Cell.defaultColor
            case 49: pen.background = Cell.defaultColor
            case 30...37: pen.foreground = UInt32(numbers[at] - 30)
            case 40...47: pen.background = UInt32(numbers[at] - 40)
            case 90...97: pen.foreground = UInt32(numbers[at] - 90 + 8)
            case 100...107: pen.background = UInt32(numbers[at] - 100 + 8)
            case 38, 48:
                let color: UInt32
                let isForeground = numbers[at] == 38
                if numbers[at + 1] == 2 {
                    color = UInt32(numbers[at + 2] << 16 | numbers[at + 3] << 8 | numbers[at + 4])
                    at += 4
                } else {
                    color = UInt32(numbers[at + 2])
                    at += 2
                }
                if isForeground { pen.foreground = color } else { pen.background = color }
            default: complain("unknown attribute \(numbers[at])")
            }
            at += 1
        }
    }
}
