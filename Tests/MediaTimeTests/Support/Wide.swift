/// A whole number of sign and 256 bits, of which only sums, products and order are needed: a result is
/// proved by multiplying it back, not by dividing as the code under test does.
struct Wide: Comparable {
    private var isNegative: Bool
    /// Little-endian digits of 64 bits.
    private var digits: InlineArray<4, UInt64>

    init(_ value: some BinaryInteger) {
        isNegative = value < 0
        let magnitude = UInt128(value.magnitude)
        digits = [
            UInt64(truncatingIfNeeded: magnitude), UInt64(truncatingIfNeeded: magnitude >> 64), 0,
            0,
        ]
    }

    static func * (a: Wide, b: Wide) -> Wide {
        var product = Wide(0)
        for i in 0..<4 where a.digits[i] != 0 {
            var carry: UInt64 = 0
            for j in 0..<4 {
                guard i + j < 4 else {
                    precondition(b.digits[j] == 0 && carry == 0, "more than 256 bits")
                    continue
                }
                let (high, low) = a.digits[i].multipliedFullWidth(by: b.digits[j])
                let (sum, first) = low.addingReportingOverflow(carry)
                let (digit, second) = product.digits[i + j].addingReportingOverflow(sum)
                product.digits[i + j] = digit
                // high is at most 2^64 - 2, and with both carries the sum still fits two digits.
                carry = high + (first ? 1 : 0) + (second ? 1 : 0)
            }
            precondition(carry == 0, "more than 256 bits")
        }
        product.isNegative = a.isNegative != b.isNegative && !product.isZero
        return product
    }

    static func + (a: Wide, b: Wide) -> Wide {
        if a.isNegative == b.isNegative {
            var sum = a
            var carry: UInt64 = 0
            for i in 0..<4 {
                let (partial, first) = a.digits[i].addingReportingOverflow(b.digits[i])
                let (digit, second) = partial.addingReportingOverflow(carry)
                sum.digits[i] = digit
                carry = first || second ? 1 : 0
            }
            precondition(carry == 0, "more than 256 bits")
            return sum
        }
        let isSmaller = order(a, b) < 0
        let (large, small) = isSmaller ? (b, a) : (a, b)
        var difference = large
        var borrow: UInt64 = 0
        for i in 0..<4 {
            let (partial, first) = large.digits[i].subtractingReportingOverflow(small.digits[i])
            let (digit, second) = partial.subtractingReportingOverflow(borrow)
            difference.digits[i] = digit
            borrow = first || second ? 1 : 0
        }
        if difference.isZero { difference.isNegative = false }
        return difference
    }

    static func - (a: Wide, b: Wide) -> Wide { a + -b }

    static prefix func - (a: Wide) -> Wide {
        var negated = a
        negated.isNegative = !a.isNegative && !a.isZero
        return negated
    }

    static func << (a: Wide, bits: Int) -> Wide {
        a * (bits < 64 ? Wide(UInt128(1) << bits) : Wide(UInt128(1) << 63) << (bits - 63))
    }

    var isZero: Bool { digits[0] | digits[1] | digits[2] | digits[3] == 0 }
    var magnitude: Wide { isNegative ? -self : self }
    var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

    /// The number, when it is positive and below 2^127.
    var narrow: Int128? {
        guard !isNegative, digits[2] | digits[3] == 0, digits[1] >> 63 == 0 else { return nil }
        return Int128(digits[1]) << 64 | Int128(digits[0])
    }

    /// The order of the magnitudes.
    private static func order(_ a: Wide, _ b: Wide) -> Int {
        var i = 3
        while i > 0 && a.digits[i] == b.digits[i] { i -= 1 }
        return a.digits[i] == b.digits[i] ? 0 : a.digits[i] < b.digits[i] ? -1 : 1
    }

    static func == (a: Wide, b: Wide) -> Bool {
        a.isNegative == b.isNegative && order(a, b) == 0
    }

    static func < (a: Wide, b: Wide) -> Bool {
        guard a.isNegative == b.isNegative else { return a.isNegative }
        return a.isNegative ? order(b, a) < 0 : order(a, b) < 0
    }
}
