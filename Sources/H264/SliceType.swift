/// The type of a slice: `slice_type` modulo 5.
///
/// Source: ITU-T H.264 (08/2021) table 7-6.
public enum SliceType: UInt8, Hashable, Sendable {
    /// Inter prediction from one list.
    case p = 0
    /// Inter prediction from two lists.
    case b = 1
    /// Intra prediction only.
    case i = 2
    /// A P slice that can be switched to.
    case sp = 3
    /// An I slice that can be switched to.
    case si = 4

    /// Whether only intra prediction is used: I and SI.
    public var isIntra: Bool {
        self == .i || self == .si
    }

    /// The letters of the standard: "I", "P", "B", "SI", "SP".
    public var name: String {
        switch self {
        case .p: "P"
        case .b: "B"
        case .i: "I"
        case .sp: "SP"
        case .si: "SI"
        }
    }
}
