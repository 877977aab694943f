/// The colours of terminals that do not take all.
enum TerminalPalette {
    /// xterm's first sixteen; themes change them.
    static let first16: [UInt32] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]

    /// 16 to 255: a cube of six levels, then 24 greys.
    ///
    /// No theme changes these.
    static let fixed240: [UInt32] = {
        let levels: [UInt32] = [0, 95, 135, 175, 215, 255]
        var colors: [UInt32] = []
        for red in levels {
            for green in levels {
                for blue in levels { colors.append(red << 16 | green << 8 | blue) }
            }
        }
        for step in 0..<24 as Range<UInt32> { colors.append((8 + step * 10) * 0x010101) }
        return colors
    }()

    /// The colours of a depth, what to add to their place for their number, and how far ordered dither moves a channel.
    static func colors(of depth: ColorDepth) -> (
        colors: [UInt32], first: UInt32, ditherStrength: Int
    ) {
        switch depth {
        case .truecolor: ([], 0, 0)
        case .palette256: (fixed240, 16, 20)
        case .palette16: (first16, 0, 60)
        case .mono: ([0x000000, 0xFFFFFF], 0, 126)
        }
    }
}
