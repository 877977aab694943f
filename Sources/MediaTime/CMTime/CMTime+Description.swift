extension CMTime: CustomStringConvertible {
    /// The time as `CMTimeShow` prints it: `{1/30 = 0.033}`, `{INVALID}`, `{+INFINITY}`.
    public var description: String {
        switch kind {
        case .positiveInfinity: return "{+INFINITY}"
        case .negativeInfinity: return "{-INFINITY}"
        case .indefinite: return "{INDEFINITE}"
        case .invalid: return "{INVALID}"
        case .number: break
        }
        var text = "{\(value)/\(timescale) = \(secondsText)"
        if epoch != 0 { text += ", epoch=\(epoch)" }
        if hasBeenRounded { text += ", rounded" }
        return text + "}"
    }

    /// The seconds of a number with three decimals, rounded to the nearest.
    private var secondsText: String {
        let scale = UInt128(timescale.magnitude)
        let thousandths = (UInt128(value.magnitude) * 1000 + scale / 2) / scale
        let decimals = String(thousandths % 1000)
        let sign = value < 0 ? "-" : ""
        let padding = String(repeating: "0", count: 3 - decimals.count)
        return "\(sign)\(thousandths / 1000).\(padding)\(decimals)"
    }
}
