internal import MediaTime

/// What waits for its time.
enum DisplayContent: Sendable {
    case picture(DisplayedPicture)
    /// The picture on show is to go (EmptyMedia).
    case removal

    var picture: DisplayedPicture? {
        if case .picture(let picture) = self { picture } else { nil }
    }

    /// How long it is meant to be on show, 0 if unknown.
    var nanoseconds: Int64 { picture?.duration.nanoseconds ?? 0 }
}

/// What is to be shown as soon as possible, whatever the timebase says.
struct ImmediateContent: Sendable {
    var content: DisplayContent
    var ordinal: UInt64
    /// Whether it replaces all that was enqueued before it (L-11), or only what is immediate too (L-12).
    var replacesEarlier: Bool
}

extension CMTime {
    /// A duration in nanoseconds, rounded up, one hour at most; 0 for what is no positive number.
    var nanoseconds: Int64 {
        guard isNumeric, value > 0 else { return 0 }
        let time = convertScale(1_000_000_000, method: .roundAwayFromZero)
        return time.isNumeric ? min(time.value, 3_600_000_000_000) : 3_600_000_000_000
    }
}
