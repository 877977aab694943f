/// What one cell of the screen shows, in 64 bits, so that a screen is compared as fast as memory.
///
/// Bits 0–24 the foreground, 25–49 the background (24 bits of colour or a palette's index; the 25th bit is the terminal's own
/// colour), 50–57 the pattern: which dots have the foreground, or the number of the glyph. Bit 62: pixels of an image;
/// bit 63: a character.
///
/// Two cells that look the same are the same: one colour alone is pattern 0 with that colour twice; in glyph sets that have every pattern's
/// complement, dot 0 has the foreground.
package struct Cell: Hashable, Sendable, BitwiseCopyable {
    package var rawValue: UInt64

    @inline(__always)
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    @inline(__always)
    package init(pattern: UInt32, foreground: UInt32, background: UInt32) {
        rawValue =
            UInt64(foreground) | UInt64(background) &<< 25 | UInt64(pattern) &<< 50
    }

    /// A cell of one colour.
    @inline(__always)
    package init(solid color: UInt32) {
        self.init(pattern: 0, foreground: color, background: color)
    }

    /// The terminal's own colour in place of a picture's.
    package static let defaultColor: UInt32 = 1 << 24
    package static let blank = Cell(solid: defaultColor)
    /// Equal to no cell that is ever wanted.
    static let unknown = Cell(rawValue: .max)

    static let imageFlag: UInt64 = 1 << 62
    static let textFlag: UInt64 = 1 << 63

    @inline(__always)
    package var foreground: UInt32 { UInt32(truncatingIfNeeded: rawValue) & 0x1FF_FFFF }
    @inline(__always)
    package var background: UInt32 { UInt32(truncatingIfNeeded: rawValue &>> 25) & 0x1FF_FFFF }
    @inline(__always)
    package var pattern: UInt32 { UInt32(truncatingIfNeeded: rawValue &>> 50) & 0xFF }
    @inline(__always)
    var isPattern: Bool { rawValue >> 62 == 0 }

    // A character of text.

    init(scalar: Unicode.Scalar, style: ScreenText.Style) {
        rawValue = Self.textFlag | UInt64(style.rawValue) << 32 | UInt64(scalar.value)
    }

    /// The second half of a character two cells wide.
    static func continuation(style: ScreenText.Style) -> Cell {
        Cell(rawValue: textFlag | UInt64(style.rawValue) << 32)
    }

    var isText: Bool { rawValue & Self.textFlag != 0 }
    var isContinuation: Bool { isText && scalarValue == 0 }
    var isWideHead: Bool {
        isText && scalarValue > 0x10FF
            && Unicode.Scalar(scalarValue).map { CharacterWidth.of($0) == 2 } ?? false
    }
    var scalarValue: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
    var style: ScreenText.Style {
        .init(rawValue: UInt8(truncatingIfNeeded: rawValue >> 32)) ?? .plain
    }

    /// A cell covered by image content `identity`.
    var isImage: Bool { rawValue >> 62 == 1 }

    static func image(_ identity: UInt64) -> Cell {
        Cell(rawValue: imageFlag | identity & (imageFlag - 1))
    }
}
