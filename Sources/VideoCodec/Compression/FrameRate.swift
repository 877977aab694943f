internal import MediaTime

/// A number of pictures a second as a fraction.
struct FrameRate: Hashable, Sendable {
    let numerator: Int32
    let denominator: Int32

    /// What libx264 assumes where nothing is known.
    static let assumed = FrameRate(numerator: 30, denominator: 1)

    private init(numerator: Int32, denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The fraction that is meant: whole numbers, and those of NTSC.
    init?(_ rate: Double) {
        guard rate.isFinite, rate >= 0.001, rate <= 1_000_000 else { return nil }
        let whole = rate.rounded()
        if abs(rate - whole) < 0.0005 * rate, whole >= 1 {
            // 23.976 is no 24: it is nearer to 24000/1001.
            let slow = whole * 1000 / 1001
            if abs(rate - slow) < abs(rate - whole) {
                self.init(numerator: Int32(whole) * 1000, denominator: 1001)
            } else {
                self.init(numerator: Int32(whole), denominator: 1)
            }
            return
        }
        let next = rate.rounded(.up)
        if abs(rate - next * 1000 / 1001) < 0.0005 * rate, next < 1_000_000 {
            self.init(numerator: Int32(next) * 1000, denominator: 1001)
            return
        }
        self.init(numerator: Int32((rate * 1000).rounded()), denominator: 1000)
    }

    /// One picture in a duration.
    init?(duration: CMTime) {
        guard duration.isNumeric, duration.value > 0, let value = Int32(exactly: duration.value),
            duration.timescale > 0
        else { return nil }
        let divisor = Self.greatestCommonDivisor(value, duration.timescale)
        numerator = duration.timescale / divisor
        denominator = value / divisor
        guard perSecond >= 0.001 else { return nil }
    }

    var perSecond: Double { Double(numerator) / Double(denominator) }

    /// How long a picture lasts.
    var duration: CMTime { CMTime(value: Int64(denominator), timescale: numerator) }

    /// `num_units_in_tick` and `time_scale`, which count fields.
    var timing: (unitsInTick: UInt32, timeScale: UInt32) {
        (UInt32(denominator), UInt32(numerator) * 2)
    }

    private static func greatestCommonDivisor(_ first: Int32, _ second: Int32) -> Int32 {
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
