/// How the two fields of an interlaced picture are shown.
public enum Deinterlacing: String, CaseIterable, Sendable {
    /// Both at once, lines in turn, as they are coded.
    case weave
    /// One after the other, each for half the time.
    case bob
    /// As bob; steps go field by field.
    case fields
}
