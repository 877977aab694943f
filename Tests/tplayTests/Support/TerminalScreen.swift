import StreamSynthesis
import TestSupport

/// What a terminal would show of the bytes a program wrote: as much of a terminal as the program uses.
struct TerminalScreen {
    /// One cell.
    struct Cell: Equatable {
        var scalar: Unicode.Scalar = " "
        var foreground: UInt32 = 0xFFFFFF
        var background: UInt32 = 0
    }

    private(set) var columns: Int
    private(set) var rows: Int
    private(set) var cells: [Cell]
    /// What the interpreter does not know: there should be nothing.
    private(set) var unknown: [String] = []
    private var x = 0
    private var y = 0
    private var pen = Cell()
    private var isInverse = false
    private var taken = 0
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = [Cell](repeating: Cell(), count: columns * rows)
    }

    /// Takes what the terminal has been sent since the last call.
    mutating func update(_ terminal: PseudoTerminal) {
        if terminal.size.columns != columns || terminal.size.rows != rows {
            let (taken, pending) = (taken, pending)
            self = TerminalScreen(columns: terminal.size.columns, rows: terminal.size.rows)
            (self.taken, self.pending) = (taken, pending)
        }
        pending += terminal.output[taken...]
        taken = terminal.output.count
        var offset = 0
        while let length = step(pending[offset...]) { offset += length }
        pending.removeFirst(offset)
    }

    /// The text of a row.
    func text(row: Int) -> String {
        var text = String.UnicodeScalarView()
        for cell in cells[row * columns..<(row + 1) * columns] { text.append(cell.scalar) }
        return String(text)
    }

    /// The status line.
    var statusLine: String { text(row: rows - 1) }

    /// The picture number in the status line.
    var statusNumber: Int? {
        statusLine.prefixMatch(of: /\ (\d+)(\/|\ )/).flatMap { Int($0.1) }
    }

    /// The number burnt into the picture that fills the screen above the status line.
    var counter: Int? {
        PictureCounter.read(width: columns, height: (rows - 1) * 2) { x, y in
            let cell = cells[y / 2 * columns + x]
            let isUpper = y % 2 == 0
            let isForeground =
                switch cell.scalar {
                case "▀": isUpper
                case "▄": !isUpper
                case "█": true
                default: false
                }
            let colour = isForeground ? cell.foreground : cell.background
            return Int(colour >> 16 & 255) + Int(colour >> 8 & 255) + Int(colour & 255)
        }
    }

    // MARK: Interpreting

    /// Interprets what stands first; nil where that is not complete.
    private mutating func step(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return escape(bytes)
        case 0x0D: x = 0
        case 0x0A: y = min(y + 1, rows - 1)
        case 0x08: x = max(0, x - 1)
        case 0x18, 0x1A: break  // CAN, SUB: what was begun is given up
        case ..<0x20: unknown.append("\(first)")
        case ..<0x80: put(Unicode.Scalar(first))
        default:
            let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
            guard bytes.count >= length else { return nil }
            let text = String(decoding: bytes.prefix(length), as: UTF8.self)
            put(text.unicodeScalars.first ?? "?")
            return length
        }
        return 1
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        guard y < rows else { return }
        // No autowrap: at the edge the last cell is written again and again.
        var cell = pen
        cell.scalar = scalar
        if isInverse { swap(&cell.foreground, &cell.background) }
        cells[y * columns + min(x, columns - 1)] = cell
        x = min(x + 1, columns)
    }

    private mutating func escape(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let second = bytes[bytes.startIndex + 1]
        switch second {
        case UInt8(ascii: "["):
            guard
                let end = bytes.dropFirst(2).firstIndex(where: {
                    (0x40...0x7E).contains($0) || $0 == 0x18 || $0 == 0x1A || $0 == 0x1B
                })
            else { return nil }
            if bytes[end] < 0x20 { return end - bytes.startIndex }
            let parameters = String(decoding: bytes[bytes.startIndex + 2..<end], as: UTF8.self)
            control(parameters, Unicode.Scalar(bytes[end]))
            return end - bytes.startIndex + 1
        case UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "]"):
            var index = bytes.startIndex + 2
            while index + 1 < bytes.endIndex {
                if bytes[index] == 0x1B, bytes[index + 1] == UInt8(ascii: "\\") {
                    return index + 2 - bytes.startIndex
                }
                if bytes[index] == 0x18 || bytes[index] == 0x1A { return index - bytes.startIndex }
                if bytes[index] == 7 { return index + 1 - bytes.startIndex }
                index += 1
            }
            return nil
        case UInt8(ascii: "("), UInt8(ascii: ")"): return bytes.count >= 3 ? 3 : nil
        default: return 2
        }
    }

    private mutating func control(_ text: String, _ final: Unicode.Scalar) {
        if text.hasPrefix("?") || text.hasPrefix(">") || text.hasSuffix("$")
            || text.hasPrefix("=") || text.hasPrefix("<")
        {
            return
        }
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map {
            Int($0) ?? 0
        }
        let first = max(numbers.first ?? 1, 1)
        switch final {
        case "H":
            y = min(first, rows) - 1
            x = min(numbers.count > 1 ? max(numbers[1], 1) : 1, columns) - 1
        case "C": x = min(x + first, columns - 1)
        case "D": x = max(x - first, 0)
        case "A": y = max(y - first, 0)
        case "B": y = min(y + first, rows - 1)
        case "G": x = min(first, columns) - 1
        case "d": y = min(first, rows) - 1
        case "J": cells = [Cell](repeating: Cell(), count: columns * rows)
        case "K": for column in x..<columns { cells[y * columns + column] = Cell() }
        case "b":
            let scalar = cells[y * columns + max(0, min(x, columns) - 1)].scalar
            for _ in 0..<first { put(scalar) }
        case "m": style(numbers)
        case "c", "t", "n", "r", "q", "S", "h", "l", "u": break
        default: unknown.append("CSI \(text) \(final)")
        }
    }

    private mutating func style(_ numbers: [Int]) {
        var index = 0
        while index < max(numbers.count, 1) {
            let number = numbers.isEmpty ? 0 : numbers[index]
            switch number {
            case 0:
                pen = Cell()
                isInverse = false
            case 7: isInverse = true
            case 1, 2, 22: break
            case 27: isInverse = false
            case 39: pen.foreground = 0xFFFFFF
            case 49: pen.background = 0
            case 38, 48:
                guard index + 2 < numbers.count else { return }
                var colour: UInt32 = 0
                if numbers[index + 1] == 2, index + 4 < numbers.count {
                    colour = numbers[index + 2...index + 4].reduce(0) { $0 << 8 | UInt32($1) }
                    index += 4
                } else {
                    colour = Self.palette(numbers[index + 2])
                    index += 2
                }
                if number == 38 { pen.foreground = colour } else { pen.background = colour }
            case 30...37: pen.foreground = Self.palette(number - 30)
            case 40...47: pen.background = Self.palette(number - 40)
            case 90...97: pen.foreground = Self.palette(number - 82)
            case 100...107: pen.background = Self.palette(number - 92)
            default: unknown.append("SGR \(number)")
            }
            index += 1
        }
    }

    /// xterm's colours.
    private static func palette(_ index: Int) -> UInt32 {
        func grey(_ level: Int) -> UInt32 { UInt32(level << 16 | level << 8 | level) }
        switch index {
        case 0..<16:
            let level = index >= 8 ? 255 : 205
            return UInt32(
                (index & 1) * level << 16 | (index >> 1 & 1) * level << 8 | (index >> 2 & 1) * level
            )
        case 232...: return grey(8 + (index - 232) * 10)
        default:
            let steps = [0, 95, 135, 175, 215, 255]
            let cube = index - 16
            return UInt32(steps[cube / 36 % 6] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6])
        }
    }
}
