/// The quotient and remainder of `a * b / c`, with all 256 bits of the product.
///
/// Nil when the quotient needs more than 128 bits. `c` is not 0.
@inline(__always)
func multiplyDivide(
    _ a: UInt128, _ b: UInt128, by c: UInt128
) -> (quotient: UInt128, remainder: UInt128)? {
    let product = a.multipliedFullWidth(by: b)
    if product.high == 0 {
        return product.low.quotientAndRemainder(dividingBy: c)
    }
    guard product.high < c else { return nil }
    return c.dividingFullWidth(product)
}

/// The greatest common divisor; of 0 and n it is n.
func greatestCommonDivisor<T: FixedWidthInteger & UnsignedInteger>(_ a: T, _ b: T) -> T {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
}

extension CMTimeRoundingMethod {
    /// Whether a magnitude that left a remainder goes up to the next whole number.
    ///
    /// `quickTime` depends on the timescales and is resolved before (`CMTime.convertScale`).
    @inline(__always)
    func raises(remainder: UInt128, divisor: UInt128, isNegative: Bool) -> Bool {
        guard remainder != 0 else { return false }
        switch self {
        case .roundHalfAwayFromZero: return remainder >= divisor - remainder
        case .roundTowardZero, .quickTime: return false
        case .roundAwayFromZero: return true
        case .roundTowardPositiveInfinity: return !isNegative
        case .roundTowardNegativeInfinity: return isNegative
        }
    }
}

extension Int64 {
    /// The number with this sign and magnitude, nil when it does not fit.
    @inline(__always)
    init?(isNegative: Bool, magnitude: UInt128) {
        guard magnitude <= UInt128(UInt64.max) else { return nil }
        let magnitude = UInt64(truncatingIfNeeded: magnitude)
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { return nil }
            self = Int64(truncatingIfNeeded: 0 &- magnitude)
        } else {
            guard magnitude <= UInt64(Int64.max) else { return nil }
            self = Int64(truncatingIfNeeded: magnitude)
        }
    }
}
