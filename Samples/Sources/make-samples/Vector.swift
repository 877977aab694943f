/// What the showpiece computes with.
typealias Vector = SIMD3<Double>

extension SIMD3<Double> {
    func dot(_ other: Vector) -> Double { (self * other).sum() }
    var length: Double { dot(self).squareRoot() }
    var normalized: Vector { self / length }

    func mixed(with other: Vector, _ part: Double) -> Vector { self + (other - self) * part }

    /// Mirrored at a surface of normal `normal`.
    func reflected(at normal: Vector) -> Vector { self - 2 * dot(normal) * normal }
}

/// 0 up to `low`, 1 from `high`, smooth between.
func smoothStep(_ low: Double, _ high: Double, _ value: Double) -> Double {
    let part = min(max((value - low) / (high - low), 0), 1)
    return part * part * (3 - 2 * part)
}
