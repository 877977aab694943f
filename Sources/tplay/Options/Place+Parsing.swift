import MediaTime
import Playback

extension Place {
    /// Reads a place as it is written on the command line: `#120`, `120f`, `12.5`, `1:02.5`, `1:01:02.5`; nil where
    /// it is none.
    init?(_ text: String) {
        if text.hasPrefix("#"), let number = Decimal.integer(text.dropFirst()) {
            self = .picture(number)
        } else if text.hasSuffix("f"), let number = Decimal.integer(text.dropLast()) {
            self = .picture(number)
        } else if let nanoseconds = Self.nanoseconds(text) {
            self = .time(CMTime(value: nanoseconds, timescale: 1_000_000_000))
        } else {
            return nil
        }
    }

    private static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last,
            let seconds = Decimal.nano(last)
        else { return nil }
        var total: Int64 = 0
        for (index, part) in parts.dropLast().enumerated() {
            guard let value = Decimal.integer(part), value < 1_000_000,
                index == 0 || value < 60
            else { return nil }
            total = total * 60 + Int64(value)
        }
        if parts.count > 1, seconds >= 60_000_000_000 { return nil }
        return total * 60 * 1_000_000_000 + seconds
    }

    /// The time, where it is one.
    var time: CMTime? {
        guard case .time(let time) = self else { return nil }
        return time
    }
}
