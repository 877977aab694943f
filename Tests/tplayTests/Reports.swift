import TestSupport

/// `tplay --report`, and what is read of its lines.
enum Reports {
    static func run(_ arguments: [String], input: Subprocess.Input? = nil) -> Subprocess {
        Subprocess.run(PseudoTerminal.product("tplay"), arguments, input: input)
    }

    /// The fields of a line as text, `"name":value` each.
    static func fields(_ line: Substring) -> [Substring] {
        var fields: [Substring] = []
        var start = line.startIndex
        var index = line.startIndex
        while let comma = line[index...].firstIndex(of: ",") {
            index = line.index(after: comma)
            guard index < line.endIndex, line[index] == "\"" else { continue }
            fields.append(line[start..<comma])
            start = index
        }
        return fields + [line[start...]]
    }

    /// The line without what depends on how the NAL units are framed.
    static func comparable(_ line: Substring) -> String {
        let framing = ["offset", "start_code", "bit_rate", "stray_bytes"]
        let isNALUnit = line.contains("\"start_code\"")
        return fields(line).filter { field in
            !framing.contains { field.contains("\"\($0)\":") }
                && (isNALUnit || !field.contains("\"bytes\":"))
        }.joined(separator: ",")
    }

    /// The value of a field.
    static func integer(_ line: Substring, _ name: String) -> Int? {
        guard let field = fields(line).first(where: { $0.contains("\"\(name)\":") }),
            let colon = field.lastIndex(of: ":")
        else { return nil }
        return Int(field[field.index(after: colon)...].filter { $0 != "}" })
    }

    /// The NAL units of a byte stream, without start codes and the zeros behind them.
    static func nalUnits(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var starts: [Int] = []
        var index = 2
        while index < bytes.count {
            if bytes[index] == 1, bytes[index - 1] == 0, bytes[index - 2] == 0 {
                starts.append(index + 1)
            }
            index += 1
        }
        return starts.indices.map { number in
            var end = number + 1 < starts.count ? starts[number + 1] - 3 : bytes.count
            while end > starts[number], bytes[end - 1] == 0 { end -= 1 }
            return bytes[starts[number]..<end]
        }
    }
}

/// Numbers that are the same in every run (SplitMix64).
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ value >> 31) % UInt64(bound))
    }
}
