/// A profile and a level of H.264 to keep to: the strings behind `kVTProfileLevel_H264_…`.
public struct VTProfileLevel: RawRepresentable, Hashable, Sendable {
    /// Apple's string, such as `H264_High_4_1`.
    public let rawValue: String
    /// Takes any string; ``isKnown`` tells whether it means something.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A profile of H.264.
    public enum Profile: String, CaseIterable, Hashable, Sendable {
        /// Baseline: no B pictures, CAVLC.
        ///
        /// What is written keeps to Constrained Baseline, which every decoder of Baseline decodes.
        case baseline = "Baseline"
        /// Constrained Baseline.
        case constrainedBaseline = "ConstrainedBaseline"
        /// Extended.
        ///
        /// What is written uses the tools that it shares with Constrained Baseline.
        case extended = "Extended"
        /// Main.
        case main = "Main"
        /// Constrained High: High without B pictures.
        case constrainedHigh = "ConstrainedHigh"
        /// High.
        case high = "High"
    }

    /// A profile, and a level by ten times its number, or nil for the lowest that will do.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - level: 13, 30, 31, 32, 40, 41, 42, 50, 51 or 52, or nil.
    public init(_ profile: Profile, level: Int? = nil) {
        let suffix = level.map { "\($0 / 10)_\($0 % 10)" } ?? "AutoLevel"
        self.init(rawValue: "H264_\(profile.rawValue)_\(suffix)")
    }

    /// Baseline at the lowest level that will do.
    public static let h264BaselineAutoLevel = VTProfileLevel(.baseline)
    /// Main at the lowest level that will do.
    public static let h264MainAutoLevel = VTProfileLevel(.main)
    /// High at the lowest level that will do.
    public static let h264HighAutoLevel = VTProfileLevel(.high)

    private static let levels = [13, 30, 31, 32, 40, 41, 42, 50, 51, 52]

    /// The profile; nil for an unknown string.
    public var profile: Profile? { parts?.profile }
    /// Ten times the level's number; nil for "AutoLevel" and for an unknown string.
    public var level: Int? { parts?.level }
    /// Whether the string is one of Apple's for H.264.
    public var isKnown: Bool { parts != nil }

    private var parts: (profile: Profile, level: Int?)? {
        let words = rawValue.split(separator: "_")
        guard words.count >= 3, words[0] == "H264",
            let profile = Profile(rawValue: String(words[1]))
        else { return nil }
        if words.count == 3, words[2] == "AutoLevel" { return (profile, nil) }
        guard words.count == 4, let whole = Int(words[2]), let tenth = Int(words[3]),
            Self.levels.contains(whole * 10 + tenth)
        else { return nil }
        return (profile, whole * 10 + tenth)
    }
}

/// How the encoder writes coefficients: the strings behind `kVTH264EntropyMode_…`.
public enum VTH264EntropyMode: String, Hashable, Sendable {
    /// Context-adaptive variable-length codes.
    case cavlc = "CAVLC"
    /// Context-adaptive binary arithmetic coding.
    case cabac = "CABAC"
}
