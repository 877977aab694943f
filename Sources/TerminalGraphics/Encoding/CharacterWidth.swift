/// How many cells a character takes, and which characters are sent at all.
enum CharacterWidth {
    /// 0: not to be sent (invisible, or joins the character before); 1 or 2: cells; nil: a control character.
    static func of(_ scalar: Unicode.Scalar) -> Int? {
        let value = scalar.value
        if value < 0x7F { return value < 0x20 ? nil : 1 }
        if value < 0xA0 { return nil }
        if value < 0x300 { return value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        case .control, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            return nil
        default: return isWide(value) ? 2 : 1
        }
    }

    /// East Asian Width W and F, in the rough ranges that terminals use.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FC, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// Cells of a text as it will be sent.
    static func count(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + (of($1) ?? 1) }
    }
}
