import PixelBuffers
import Playback
import TerminalGraphics

/// The words of the status line.
enum StatusLine {
    /// The line for a width in columns: what does not fit is left out from the end.
    static func text(_ status: PlaybackStatus, columns: Int) -> String {
        var parts: [String] = []
        if let picture = status.picture {
            let total = status.total.map { "/" + (status.isTotalEstimated ? "~" : "") + "\($0)" }
            parts.append("\(picture)\(total ?? "")")
            parts.append(Seconds.clock(ticks: status.ticks, timescale: status.timescale))
            parts.append(
                status.pictureType + (status.field.map { $0 == .top ? " top" : " bottom" } ?? ""))
        } else {
            parts.append(
                status.skipped > 0
                    ? "waiting for a random access point, \(status.skipped) pictures skipped"
                    : status.isWaitingForData ? "waiting for data" : "waiting")
        }
        parts.append(rate(status))
        if status.isWaitingForData, status.picture != nil { parts.append("waiting for data") }
        if let start = status.loopStart {
            parts.append("loop \(start)-\(status.loopEnd.map(String.init) ?? "")")
        } else if status.isLooping {
            parts.append("loop")
        }
        if status.isDamaged { parts.append("DAMAGED") }
        if let entry = status.entry { return " go to: \(entry)_" }
        if let message = status.message { parts.append(Printable.text(message)) }
        if status.width > 0 { parts.append(format(status)) }
        parts.append(status.renderer)
        if !status.detail.isExact { parts.append(link(status)) }
        if status.dropped > 0 { parts.append("dropped \(status.dropped)") }
        if status.damaged > 0 { parts.append("damaged \(status.damaged)") }
        parts.append(Printable.text(name(status.file)))
        var line = ""
        for part in parts where !part.isEmpty {
            let longer = line.isEmpty ? " " + part : line + "  " + part
            if longer.count > columns { break }
            line = longer
        }
        return line
    }

    /// Size and colours; of range and sample shape what is not usual.
    private static func format(_ status: PlaybackStatus) -> String {
        var words = ["\(status.width)x\(status.height)"]
        if let matrix = status.matrix { words.append(matrix.rawValue) }
        if status.isFullRange { words.append("full") }
        if let ratio = status.pixelAspectRatio {
            words.append("SAR \(ratio.horizontalSpacing):\(ratio.verticalSpacing)")
        }
        return words.joined(separator: " ")
    }

    private static func rate(_ status: PlaybackStatus) -> String {
        if status.isPaused { return "paused" }
        if status.isUntimed { return "untimed" }
        if status.isLowDelay { return "low delay" }
        // What is left out at such rates, where it is late.
        let thinning =
            status.rate >= 16
            ? " random access only" : status.rate >= 4 ? " without late non-reference" : ""
        let thousandths = Int64((status.rate * 1000).rounded())
        let text = Seconds.text(ticks: thousandths, timescale: 1000, places: 3)
        // 1.000 is 1, 0.500 is 0.5.
        var trimmed = Substring(text)
        while trimmed.hasSuffix("0") { trimmed.removeLast() }
        if trimmed.hasSuffix(".") { trimmed.removeLast() }
        return trimmed + "x" + thinning
    }

    /// What the link leaves of a picture.
    private static func link(_ status: PlaybackStatus) -> String {
        let detail = status.detail
        var words: [String] = []
        if detail.isStandIn { words.append("half blocks") }
        if detail.tolerance > 0 { words.append("±\(detail.tolerance)") }
        if detail.hasFewerColors { words.append("256 colours") }
        let divisor = detail.coarseness * detail.shrinking
        if divisor > 1 { words.append("grid 1/\(divisor)") }
        return "link" + (status.linkRate.map { " " + Self.bytes($0) + "/s" } ?? "") + ": "
            + words.joined(separator: ", ")
    }

    /// Bytes in two digits: the rate changes all the time, and what is not seen need not be sent.
    private static func bytes(_ count: Int) -> String {
        var (value, unit) = (count, 1)
        var suffix = ""
        for next in ["K", "M", "G"] where value / unit >= 1000 {
            unit *= 1000
            suffix = next
        }
        let tenths = count * 10 / unit
        value = tenths / 10
        if value >= 10 { return "\(value >= 100 ? value / 10 * 10 : value)\(suffix)" }
        return "\(value).\(tenths % 10)\(suffix)"
    }

    private static func name(_ file: String) -> String {
        if file == "-" { return "standard input" }
        return file.split(separator: "/").last.map(String.init) ?? file
    }
}
