public import MediaTime

/// When a sample is shown and decoded, and how long it lasts.
public struct CMSampleTimingInfo: Hashable, Sendable {
    /// How long the sample lasts.
    public var duration: CMTime
    /// When it is shown.
    public var presentationTimeStamp: CMTime
    /// When it is decoded; invalid where decoding order is presentation order.
    public var decodeTimeStamp: CMTime

    /// All times invalid.
    public init() { self = .invalid }

    /// Creates timing.
    ///
    /// - Parameters:
    ///   - duration: How long the sample lasts.
    ///   - presentationTimeStamp: When it is shown.
    ///   - decodeTimeStamp: When it is decoded.
    public init(
        duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime = .invalid
    ) {
        self.duration = duration
        self.presentationTimeStamp = presentationTimeStamp
        self.decodeTimeStamp = decodeTimeStamp
    }

    /// All times invalid.
    public static let invalid = CMSampleTimingInfo(
        duration: .invalid, presentationTimeStamp: .invalid, decodeTimeStamp: .invalid)
}

/// The timing of a buffer's samples: none, one for all, or one each.
struct SampleTimings: Sendable {
    let entries: [CMSampleTimingInfo]
    let sampleCount: Int

    /// One sample's timing; nil without timing.
    subscript(index: Int) -> CMSampleTimingInfo? {
        if entries.count == sampleCount { return entries[index] }
        guard var entry = entries.first else { return nil }
        // One entry for all: times advance by the duration, exactly.
        if index > 0 {
            let offset = Self.times(entry.duration, index)
            entry.presentationTimeStamp = entry.presentationTimeStamp + offset
            entry.decodeTimeStamp = entry.decodeTimeStamp + offset
        }
        return entry
    }

    private static func times(_ duration: CMTime, _ count: Int) -> CMTime {
        guard let count = Int32(exactly: count) else { return .invalid }
        return duration.multiplied(by: count)
    }

    /// The sum of all durations.
    var duration: CMTime {
        guard let first = entries.first else { return .invalid }
        if entries.count < sampleCount { return Self.times(first.duration, sampleCount) }
        return entries.dropFirst().reduce(first.duration) { $0 + $1.duration }
    }

    /// The earliest time stamp.
    var presentationTimeStamp: CMTime {
        guard let first = entries.first?.presentationTimeStamp else { return .invalid }
        return entries.dropFirst().reduce(first) { min($0, $1.presentationTimeStamp) }
    }

    /// The first sample's.
    var decodeTimeStamp: CMTime { entries.first?.decodeTimeStamp ?? .invalid }

    /// The timing of a range of samples.
    func subrange(_ range: Range<Int>) -> [CMSampleTimingInfo] {
        if entries.count == sampleCount { return Array(entries[range]) }
        return range.isEmpty ? [] : self[range.lowerBound].map { [$0] } ?? []
    }
}
