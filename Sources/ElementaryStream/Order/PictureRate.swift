public import H264

/// How many pictures a second a raw stream has, and who says so.
///
/// H.264 counts time in ticks of a field (E.2.1), half a picture: everything here does too, so that
/// `pic_struct` needs no fractions.
public struct PictureRate: Hashable, Sendable {
    /// Who set the rate.
    public enum Source: String, Sendable {
        /// The timing information of the sequence parameter set.
        case vui
        /// The caller.
        case option
        /// Nobody: 25 pictures a second.
        case `default`
    }

    /// Ticks in a second, 1...2³¹−1: the time scale of every time stamp of the stream.
    public let timescale: Int32
    /// Ticks of half a picture, at least 1.
    public let halfPicture: Int32
    /// Who set it.
    public let source: Source
    /// Timing information that was refused as absurd, "time_scale/num_units_in_tick".
    public let refused: String?

    /// The slowest and the fastest rate that is believed, in pictures a second.
    public static let believable = 0.01...1000.0

    /// 25 pictures a second, where nothing better is known.
    public static let `default` = PictureRate(
        timescale: 50, halfPicture: 1, source: .default, refused: nil)

    private init(timescale: Int32, halfPicture: Int32, source: Source, refused: String?) {
        self.timescale = timescale
        self.halfPicture = halfPicture
        self.source = source
        self.refused = refused
    }

    /// The rate a caller asks for: `numerator / denominator` pictures a second, nil where it is not believable.
    public init?(numerator: Int64, denominator: Int64) {
        guard numerator > 0, denominator > 0 else { return nil }
        let (numerator, denominator) = Self.lowestTerms(numerator, denominator)
        guard numerator < 1 << 30, denominator < 1 << 31,
            Self.believable.contains(Double(numerator) / Double(denominator))
        else { return nil }
        self.init(
            timescale: Int32(numerator * 2), halfPicture: Int32(denominator), source: .option,
            refused: nil)
    }

    /// What the stream itself says, else the default.
    public init(_ sps: SequenceParameterSet) {
        guard let timing = sps.vui?.timing else {
            self = .default
            return
        }
        let rate = Double(timing.timeScale) / 2 / Double(max(timing.unitsInTick, 1))
        guard timing.timeScale > 0, timing.unitsInTick > 0, timing.timeScale <= Int32.max,
            timing.unitsInTick <= Int32.max, Self.believable.contains(rate)
        else {
            self.init(
                timescale: 50, halfPicture: 1, source: .default,
                refused: "\(timing.timeScale)/\(timing.unitsInTick)")
            return
        }
        self.init(
            timescale: Int32(timing.timeScale), halfPicture: Int32(timing.unitsInTick),
            source: .vui, refused: nil)
    }

    /// Pictures a second as a fraction in lowest terms.
    public var fraction: (numerator: Int64, denominator: Int64) {
        Self.lowestTerms(Int64(timescale), Int64(halfPicture) * 2)
    }

    private static func lowestTerms(
        _ numerator: Int64, _ denominator: Int64
    ) -> (numerator: Int64, denominator: Int64) {
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return (numerator / a, denominator / a)
    }
}
