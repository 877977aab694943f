import ElementaryStream
import MediaTime
import Playback

/// `--start` and `--until` on ranks and ticks.
struct ReportRange {
    private let options: Options
    private let timescale: Int32

    init(_ options: Options, rate: PictureRate) {
        self.options = options
        timescale = rate.timescale
    }

    /// Whether the picture is in the range.
    func contains(_ timed: TimedAccessUnit) -> Bool {
        switch options.start {
        case .picture(let first)? where timed.presentationRank < first: return false
        case .time(let first)? where time(timed.presentationTicks + timed.durationTicks) <= first:
            return false
        default: return !isBehind(timed)
        }
    }

    /// Whether the picture, and so each after it, is behind the range.
    func isBehind(_ timed: TimedAccessUnit) -> Bool {
        switch options.until {
        case .picture(let last)?: timed.presentationRank > last
        case .time(let end)?: time(timed.presentationTicks) >= end
        case nil: false
        }
    }

    private func time(_ ticks: Int64) -> CMTime { CMTime(value: ticks, timescale: timescale) }
}
