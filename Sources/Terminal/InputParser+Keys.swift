extension InputParser {
    mutating func takeAfterSingleShift(_ byte: UInt8) {
        // Old xterms put the modifiers between: ESC O 5 A.
        if (0x30...0x39).contains(byte), sequence.count < 4 {
            sequence.append(byte)
            return
        }
        var modifiers = Self.modifiers(Self.number(sequence[...]) ?? 1)
        if hasMeta { modifiers.insert(.alt) }
        let key = Self.singleShiftKey(byte, modifiers)
        let held = hasMeta
        let hadParameters = !sequence.isEmpty
        let wasOrphan = isOrphan
        begin(.ground)
        if let key {
            emit(key)
        } else if byte == 0x1B {
            if !held, !hadParameters, !wasOrphan { emit(.character("O", .alt)) }
            begin(.escape)
        } else if byte < 0x20 {
            take(byte)
        }
    }

    static func singleShiftKey(_ byte: UInt8, _ modifiers: Key.Modifiers) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): Key(.up, modifiers)
        case UInt8(ascii: "B"): Key(.down, modifiers)
        case UInt8(ascii: "C"): Key(.right, modifiers)
        case UInt8(ascii: "D"): Key(.left, modifiers)
        case UInt8(ascii: "H"): Key(.home, modifiers)
        case UInt8(ascii: "F"): Key(.end, modifiers)
        case UInt8(ascii: "M"): Key(.enter, modifiers)
        case UInt8(ascii: "I"): Key(.tab, modifiers)
        case UInt8(ascii: "P")...UInt8(ascii: "S"):
            Key(.function(Int(byte) - 0x4F), modifiers)
        // rxvt with Control.
        case UInt8(ascii: "a"): Key(.up, modifiers.union(.control))
        case UInt8(ascii: "b"): Key(.down, modifiers.union(.control))
        case UInt8(ascii: "c"): Key(.right, modifiers.union(.control))
        case UInt8(ascii: "d"): Key(.left, modifiers.union(.control))
        // The keypad in application mode: the ASCII character, 0x40 higher.
        case UInt8(ascii: "j")...UInt8(ascii: "y"), UInt8(ascii: "X"), UInt8(ascii: " "):
            Key(
                .character(Unicode.Scalar(byte == 0x58 ? 0x3D : byte == 0x20 ? 0x20 : byte - 0x40)),
                modifiers)
        default: nil
        }
    }

    /// The key of a control sequence; nil when it is none.
    static func controlKey(_ parameters: [Int], final: UInt8) -> Key? {
        let modifiers = Self.modifiers(parameters.count > 1 ? parameters[1] : 1)
        let plain: Key.Code? =
            switch final {
            case UInt8(ascii: "A"): .up
            case UInt8(ascii: "B"): .down
            case UInt8(ascii: "C"): .right
            case UInt8(ascii: "D"): .left
            case UInt8(ascii: "H"): .home
            case UInt8(ascii: "F"): .end
            case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final) - 0x4F)
            default: nil
            }
        if let plain { return Key(plain, modifiers) }
        switch final {
        case UInt8(ascii: "Z"): return Key(.tab, modifiers.union(.shift))
        // rxvt with Shift.
        case UInt8(ascii: "a"): return Key(.up, .shift)
        case UInt8(ascii: "b"): return Key(.down, .shift)
        case UInt8(ascii: "c"): return parameters == [0] ? Key(.right, .shift) : nil
        case UInt8(ascii: "d"): return Key(.left, .shift)
        case UInt8(ascii: "~"):
            if parameters.first == 27, parameters.count >= 3 {
                return characterKey(parameters[2], modifiers)
            }
            return numbered(parameters[0]).map { Key($0, modifiers) }
        case UInt8(ascii: "$"): return numbered(parameters[0]).map { Key($0, .shift) }
        case UInt8(ascii: "^"): return numbered(parameters[0]).map { Key($0, .control) }
        case UInt8(ascii: "@"):
            return numbered(parameters[0]).map { Key($0, [.shift, .control]) }
        case UInt8(ascii: "u"): return characterKey(parameters[0], modifiers)
        default: return nil
        }
    }

    /// The key `CSI number ~`.
    static func numbered(_ number: Int) -> Key.Code? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23...26: .function(number - 12)
        case 28, 29: .function(number - 13)
        case 31...34: .function(number - 14)
        default: nil
        }
    }

    /// The key of a code point that xterm gives with its modifiers.
    private static func characterKey(_ code: Int, _ modifiers: Key.Modifiers) -> Key? {
        switch code {
        case 8, 127: return Key(.backspace, modifiers)
        case 9: return Key(.tab, modifiers)
        case 10, 13: return Key(.enter, modifiers)
        case 27: return Key(.escape, modifiers)
        default:
            guard code >= 32, let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value)
            else { return nil }
            return .character(scalar, modifiers.subtracting(.shift))
        }
    }

    /// Modifiers from xterm's parameter, which is one more than the bits; Meta and Super are left out.
    static func modifiers(_ parameter: Int) -> Key.Modifiers {
        Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: max(0, parameter - 1) & 7))
    }
}
