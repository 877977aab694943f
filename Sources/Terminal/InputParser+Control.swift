extension InputParser {
    mutating func takeInControl(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "[") where sequence.isEmpty: state = .linuxFunction
        case UInt8(ascii: "$") where Self.number(sequence[...]) != nil:
            // rxvt ends a key with Shift in what is no final byte. Reports have two numbers here, or a prefix.
            finishControl(byte)
        case 0x20...0x3F:
            if sequence.count < Self.longestControl {
                sequence.append(byte)
            } else {
                state = .controlOverflow
            }
        case 0x40...0x7E: finishControl(byte)
        case 0x1B: begin(.escape)
        case 0x18, 0x1A: begin(.ground)
        default:
            // Nothing that a terminal sends: somebody has typed into a sequence whose end got lost.
            begin(.ground)
            take(byte)
        }
    }

    private mutating func finishControl(_ final: UInt8) {
        let bytes = sequence
        let meta = hasMeta
        begin(.ground)
        let prefix = bytes.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
        let intermediates = bytes.filter { $0 < 0x30 }
        let parameters = Self.parameters(bytes.dropFirst(prefix == nil ? 0 : 1))

        // The mouse: three bytes follow the old report.
        if final == UInt8(ascii: "M"), bytes.isEmpty {
            state = .mouse(missing: 3)
        } else if let reply = Self.reply(prefix, parameters, intermediates, final) {
            hasMeta = meta
            emit(reply)
        } else if prefix == nil, intermediates.isEmpty {
            if final == UInt8(ascii: "~"), parameters == [200] {
                state = .paste(matched: 0)
            } else if var key = Self.controlKey(parameters, final: final) {
                if meta { key.modifiers.insert(.alt) }
                emit(key)
            }
        }
    }

    private static func reply(
        _ prefix: UInt8?, _ parameters: [Int], _ intermediates: [UInt8], _ final: UInt8
    ) -> TerminalReply? {
        switch (prefix, intermediates, final) {
        case (UInt8(ascii: "?"), [], UInt8(ascii: "c")): return .primaryAttributes(parameters)
        case (UInt8(ascii: ">"), [], UInt8(ascii: "c")): return .secondaryAttributes(parameters)
        case (UInt8(ascii: "?"), [UInt8(ascii: "$")], UInt8(ascii: "y")):
            return parameters.count == 2 ? .mode(parameters[0], value: parameters[1]) : .other
        case (UInt8(ascii: "?"), [], UInt8(ascii: "S")):
            guard parameters.count >= 2 else { return .other }
            return .graphics(
                item: parameters[0], status: parameters[1], values: Array(parameters.dropFirst(2)))
        case (nil, [], UInt8(ascii: "t")):
            guard parameters.count >= 3 else { return .other }
            let size = TerminalPixelSize(width: parameters[2], height: parameters[1])
            switch parameters[0] {
            case 4: return .areaSize(size)
            case 6: return .cellSize(size)
            case 8: return .areaCells(rows: parameters[1], columns: parameters[2])
            default: return .other
            }
        case (nil, [], UInt8(ascii: "n")): return parameters == [0] ? .status : .other
        case (nil, [], UInt8(ascii: "R")):
            // xterm's F3 with modifiers is CSI 1 ; m R. We never ask for the cursor's position.
            guard parameters.count == 2, !(parameters[0] == 1 && (2...16).contains(parameters[1]))
            else { return nil }
            return .cursorPosition(row: parameters[0], column: parameters[1])
        case (nil, [], _), (nil, [UInt8(ascii: "$")], UInt8(ascii: "$")): return nil
        default: return .other
        }
    }

    mutating func finishString(_ introducer: UInt8) {
        let text = sequence[...]
        switch introducer {
        case UInt8(ascii: "P") where text.starts(with: ">|".utf8):
            emit(.version(Self.printable(text.dropFirst(2))))
        case UInt8(ascii: "P") where text.starts(with: "1$r".utf8):
            emit(.setting(Self.printable(text.dropFirst(3))))
        case UInt8(ascii: "_") where text.first == UInt8(ascii: "G"):
            let parts = text.dropFirst().split(
                separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
            emit(
                .kittyGraphics(
                    keys: Self.printable(parts[0]),
                    message: Self.printable(parts.count > 1 ? parts[1] : [])))
        default: emit(.other)
        }
    }

    /// A terminal's own words, fit to be shown: ASCII, at most 200 characters.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            decoding: bytes.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : 0x3F },
            as: UTF8.self)
    }

    /// Numbers between semicolons, an empty one 0; what follows a colon (sub-parameters) is left out.
    private static func parameters(_ bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            number($0.prefix { (0x30...0x39).contains($0) }) ?? 0
        }
    }

    /// A decimal number; nil when that is not what it is.
    ///
    /// More than fits is as much as fits in 31 bits.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var value = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = min(value * 10 + Int(byte) - 0x30, Int(Int32.max))
        }
        return value
    }
}
