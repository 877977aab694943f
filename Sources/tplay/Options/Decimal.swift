/// Numbers as people write them on a command line, exactly.
enum Decimal {
    /// Writes an integer, with zeros in front up to `width` digits; without a string in between.
    static func append(_ value: Int64, width: Int = 1, to bytes: inout [UInt8]) {
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var rest = value.magnitude
        var first = 20
        while rest > 0 || 20 - first < width {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        for index in first..<20 { bytes.append(digits[index]) }
    }

    /// Digits only, at most 15 of them.
    static func integer(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 15,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// `12`, `12.5`, `.5`: billionths, digits behind the ninth cut off.
    static func nano(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !(parts[0].isEmpty && parts.count == 1) else {
            return nil
        }
        guard let whole = parts[0].isEmpty ? 0 : integer(parts[0]), whole < 1_000_000_000 else {
            return nil
        }
        var fraction: Int64 = 0
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
                !(digits.isEmpty && parts[0].isEmpty)
            else { return nil }
            for place in 0..<9 {
                let digit = digits.dropFirst(place).first.map { Int64($0) - 0x30 } ?? 0
                fraction = fraction * 10 + digit
            }
        }
        return Int64(whole) * 1_000_000_000 + fraction
    }

    /// `25`, `29.97`, `30000/1001`: numerator and denominator, both positive.
    static func fraction(_ text: String) -> (numerator: Int64, denominator: Int64)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let numerator = integer(parts[0]), let denominator = integer(parts[1]),
                numerator > 0, denominator > 0
            else { return nil }
            return (Int64(numerator), Int64(denominator))
        }
        guard parts.count == 1, var numerator = nano(parts[0]), numerator > 0 else { return nil }
        var denominator: Int64 = 1_000_000_000
        while denominator > 1, numerator % 10 == 0 {
            numerator /= 10
            denominator /= 10
        }
        return (numerator, denominator)
    }

    /// A rate of the timebase: `0.5`, `-1`, `1/3`, `0`; nil where it is none or beyond ±1000.
    static func rate(_ text: String) -> Double? {
        let isNegative = text.hasPrefix("-")
        let magnitude = String(text.drop(while: { $0 == "-" || $0 == "+" }))
        guard text.utf8.count - magnitude.utf8.count <= 1 else { return nil }
        var value: Double
        if let fraction = fraction(magnitude) {
            value = Double(fraction.numerator) / Double(fraction.denominator)
        } else if let zero = nano(magnitude), zero == 0 {
            value = 0
        } else {
            return nil
        }
        guard value <= 1000 else { return nil }
        if isNegative { value = -value }
        return value
    }

    /// `268435456`, `200K`, `256M`, `2G`: bytes, with the prefixes of 1024.
    static func bytes(_ text: String) -> Int? {
        let shifts: [Character: Int] = ["k": 10, "K": 10, "m": 20, "M": 20, "g": 30, "G": 30]
        let shift = text.last.flatMap { shifts[$0] }
        guard let number = integer(shift == nil ? text[...] : text.dropLast()),
            number > 0, number <= Int.max >> (shift ?? 0)
        else { return nil }
        return number << (shift ?? 0)
    }

    /// `160x45`: two positive integers up to 65535.
    static func size(_ text: String) -> (width: Int, height: Int)? {
        let parts = text.split(whereSeparator: { $0 == "x" || $0 == "X" })
        guard parts.count == 2, let width = integer(parts[0]), let height = integer(parts[1]),
            (1...65535).contains(width), (1...65535).contains(height),
            text.utf8.count == parts[0].utf8.count + parts[1].utf8.count + 1
        else { return nil }
        return (width, height)
    }
}
