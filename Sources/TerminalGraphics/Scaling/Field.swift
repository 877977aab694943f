/// One of the two fields of an interlaced picture.
public enum Field: Hashable, Sendable {
    /// The even rows, from 0.
    case top
    /// The odd rows.
    case bottom
}
