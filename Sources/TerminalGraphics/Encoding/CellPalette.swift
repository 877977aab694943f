/// How the patterns of a glyph set and the colours of a depth are written.
struct CellPalette {
    let glyphSet: GlyphSet
    let colorDepth: ColorDepth
    /// Glyphs in UTF-8 by pattern, packed.
    let glyphWords = ScratchMemory<UInt32>(capacity: 256)
    let glyphLengths = ScratchMemory<UInt8>(capacity: 256)
    /// Whether a pattern may be drawn by its complement with the colours exchanged.
    let allowsComplement: Bool
    let fullPattern: UInt32

    init(glyphSet: GlyphSet, colorDepth: ColorDepth) {
        self.glyphSet = glyphSet
        self.colorDepth = colorDepth
        for pattern in 0..<glyphSet.patternCount {
            // An empty braille cell is a space, which takes one byte for three.
            let scalar = pattern == 0 ? 0x20 : glyphSet.scalar(pattern: pattern).value
            let (word, length) = utf8(scalar)
            glyphWords.start[pattern] = word
            glyphLengths.start[pattern] = UInt8(length)
        }
        allowsComplement = glyphSet.hasComplements && colorDepth != .mono
        fullPattern = glyphSet.fullPattern
    }

    /// Bytes of a colour's parameters, each with the semicolon or `m` behind it.
    @inline(__always)
    func cost(foreground color: UInt32) -> Int32 {
        if color & Cell.defaultColor != 0 { return 3 }
        switch colorDepth {
        case .truecolor: return trueColorCost(color)
        case .palette256: return 5 + Int32(decimalLength(Int(color & 255))) + 1
        case .palette16, .mono: return 3
        }
    }

    @inline(__always)
    func cost(background color: UInt32) -> Int32 {
        colorDepth == .palette16 && color & Cell.defaultColor == 0 && color & 255 >= 8
            ? 4 : cost(foreground: color)
    }

    @inline(__always)
    private func trueColorCost(_ color: UInt32) -> Int32 {
        let red = color >> 16 & 255
        let green = color >> 8 & 255
        let blue = color & 255
        // Digits by comparison, not by table: three loads less for each of a few thousand cells.
        let digits =
            (red >= 10 ? 1 : 0) + (red >= 100 ? 1 : 0) + (green >= 10 ? 1 : 0)
            + (green >= 100 ? 1 : 0) + (blue >= 10 ? 1 : 0) + (blue >= 100 ? 1 : 0) as Int32
        return 11 + digits
    }

    func putForeground(_ color: UInt32, into sink: inout ByteSink) {
        put(color, trueColor: "38;2;", indexed: "38;5;", low: 30, bright: 90, into: &sink)
    }

    func putBackground(_ color: UInt32, into sink: inout ByteSink) {
        put(color, trueColor: "48;2;", indexed: "48;5;", low: 40, bright: 100, into: &sink)
    }

    @inline(__always)
    private func put(
        _ color: UInt32, trueColor: StaticString, indexed: StaticString, low: UInt32,
        bright: UInt32, into sink: inout ByteSink
    ) {
        if color & Cell.defaultColor != 0 {
            sink.put(parameter: low + 9)
            return
        }
        switch colorDepth {
        case .truecolor:
            sink.put(trueColor)
            sink.put(color: color)
        case .palette256:
            sink.put(indexed)
            sink.put(parameter: color & 255)
        case .palette16, .mono:
            let index = color & 15
            sink.put(parameter: index < 8 ? low + index : bright + index - 8)
        }
    }
}
