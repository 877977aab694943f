import MediaTime
import Testing

/// Whether `time` is the fraction `numerator / denominator` of seconds, rounded half away from zero in
/// the timescale wanted, or in the first of its halves in which the value fits; flags and all.
func isNearest(
    _ time: CMTime, numerator: Wide, denominator: Wide, wanted: CMTimeScale,
    wasRounded: Bool = false
) -> Bool {
    let isNegative = numerator < Wide(0)
    var scale = wanted
    while !fits(numerator, denominator, scale) {
        guard scale > 1 else {
            return isNegative ? time.isNegativeInfinity : time.isPositiveInfinity
        }
        scale /= 2
    }
    guard time.isNumeric, time.timescale == scale else { return false }
    // error = time - exact, in units of 1 / (denominator * scale)
    let error = Wide(time.value) * denominator - numerator * Wide(scale)
    let double = error.magnitude + error.magnitude
    guard double <= denominator else { return false }
    if double == denominator && error.signum != (isNegative ? -1 : 1) { return false }
    return time.hasBeenRounded == (wasRounded || !error.isZero)
}

/// Whether the rounded value is in `Int64`: from -(2^63 + 1/2), exclusive, to 2^63 - 1/2, exclusive.
private func fits(_ numerator: Wide, _ denominator: Wide, _ scale: CMTimeScale) -> Bool {
    let double = numerator * Wide(scale) + numerator * Wide(scale)
    let limit = Wide(UInt128(1) << 64)
    return double < (limit - Wide(1)) * denominator && double > -(limit + Wide(1)) * denominator
}

extension CMTime {
    /// The fields, for comparing what `==` does not.
    var fields: [Int64] { [value, Int64(timescale), Int64(flags.rawValue), epoch] }
}

/// A number with a rounded flag or an epoch.
func time(
    _ value: Int64, _ timescale: Int32, rounded: Bool = false, epoch: Int64 = 0
) -> CMTime {
    CMTime(
        value: value, timescale: timescale, flags: rounded ? [.valid, .hasBeenRounded] : .valid,
        epoch: epoch)
}
