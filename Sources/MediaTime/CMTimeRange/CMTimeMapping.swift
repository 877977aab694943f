/// A segment of one timeline put in a place of another.
public struct CMTimeMapping: Hashable, Codable, Sendable, BitwiseCopyable {
    /// The segment of the source's timeline; of an invalid start when the target is left empty.
    public var source: CMTimeRange

    /// Its place in the target's timeline.
    public var target: CMTimeRange

    /// A mapping of one range to another; ``invalid`` when a duration has an epoch.
    public init(source: CMTimeRange, target: CMTimeRange) {
        let isSound = source.duration.epoch == 0 && target.duration.epoch == 0
        self.source = isSound ? source : .invalid
        self.target = isSound ? target : .invalid
    }

    /// A mapping that leaves the target empty (`CMTimeMappingMakeEmpty`).
    public init(emptyTarget target: CMTimeRange) {
        self.init(source: .invalid, target: target)
    }

    /// No mapping at all.
    public static var invalid: CMTimeMapping {
        CMTimeMapping(source: .invalid, target: .invalid)
    }

    /// Whether the target is a valid range.
    public var isValid: Bool { target.isValid }

    /// Whether the target is valid and nothing is put there.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}
