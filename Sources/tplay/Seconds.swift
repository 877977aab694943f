/// Ticks written as decimal seconds, exactly rounded.
enum Seconds {
    /// `ticks / timescale` with `places` digits behind the point, rounded half away from zero.
    static func text(ticks: Int64, timescale: Int32, places: Int) -> String {
        var scale: Int128 = 1
        for _ in 0..<places { scale *= 10 }
        let magnitude = Int128(ticks.magnitude) * scale
        let divisor = Int128(max(timescale, 1))
        let rounded = (magnitude * 2 + divisor) / (divisor * 2)
        let fraction = String(rounded % scale)
        let zeros = String(repeating: "0", count: max(0, places - fraction.utf8.count))
        let sign = ticks < 0 && rounded > 0 ? "-" : ""
        let whole = "\(sign)\(rounded / scale)"
        return places == 0 ? whole : "\(whole).\(zeros)\(fraction)"
    }

    /// The form of a clock: `1:02.480`, `1:01:02.480`.
    static func clock(ticks: Int64, timescale: Int32) -> String {
        let divisor = Int128(max(timescale, 1))
        let milliseconds = Int64(Int128(max(ticks, 0)) * 1000 / divisor)
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (seconds, rest) = (milliseconds / 1000 % 60, milliseconds % 1000)
        func padded(_ value: Int64, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        let tail = "\(padded(seconds, 2)).\(padded(rest, 3))"
        return hours > 0
            ? "\(hours):\(padded(minutes, 2)):\(tail)" : "\(minutes):\(tail)"
    }
}
