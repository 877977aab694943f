/// Which code values stand for black and white.
public enum ColorRange: String, CaseIterable, Hashable, Sendable {
    /// 16 to 235 (of 8 bits).
    case limited
    /// 0 to 255.
    case full
}
