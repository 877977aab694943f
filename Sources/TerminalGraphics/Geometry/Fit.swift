/// How a picture is fitted into the cells it has.
public enum Fit: String, CaseIterable, Hashable, Sendable {
    /// The whole picture, its shape kept (`AVLayerVideoGravity.resizeAspect`).
    case contain
    /// All cells, the picture's shape kept, what does not fit cut off (`resizeAspectFill`).
    case cover
    /// All cells, the whole picture, its shape lost (`resize`).
    case fill
    /// One pixel of the picture on one of the terminal, cut off where there are too few.
    case none
}
