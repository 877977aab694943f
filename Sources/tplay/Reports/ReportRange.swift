import ElementaryStream
import MediaTime
import Playback

/// `--start` and `--until` on ranks and ticks.
struct ReportRange {
    private let start: Place?
    private let until: Place?

    init(_ options: Options) {
        start = options.start
        until = options.until
    }

    private init(start: Place?, until: Place?) {
        self.start = start
        self.until = until
    }

    /// The range of these pictures alone.
    static func pictures(_ ranks: Range<Int>) -> ReportRange {
        ReportRange(start: .picture(ranks.lowerBound), until: .picture(ranks.upperBound - 1))
    }

    /// Whether it is the whole stream.
    var isWhole: Bool { start == nil && until == nil }

    /// Whether the picture is in the range; `rate` is the stream's.
    func contains(_ timed: TimedAccessUnit, _ rate: PictureRate) -> Bool {
        !isBefore(timed, rate) && !isBehind(timed, rate)
    }

    /// Whether the picture, and so each presented before it, is before the range.
    func isBefore(_ timed: TimedAccessUnit, _ rate: PictureRate) -> Bool {
        switch start {
        case .picture(let first)?: timed.presentationRank < first
        case .time(let first)?:
            Self.time(timed.presentationTicks + timed.durationTicks, rate)
                <= first + Place.tolerance
        case nil: false
        }
    }

    /// Whether the picture, and so each presented after it, is behind the range.
    func isBehind(_ timed: TimedAccessUnit, _ rate: PictureRate) -> Bool {
        switch until {
        case .picture(let last)?: timed.presentationRank > last
        case .time(let end)?:
            Self.time(timed.presentationTicks, rate) >= end - Place.tolerance
        case nil: false
        }
    }

    private static func time(_ ticks: Int64, _ rate: PictureRate) -> CMTime {
        CMTime(value: ticks, timescale: rate.timescale)
    }
}
