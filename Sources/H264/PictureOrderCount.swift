/// Where a picture stands in output order within its coded video sequence.
///
/// Source: ITU-T H.264 (08/2021) 8.2.1.
public struct PictureOrderCount: Hashable, Sendable {
    /// `TopFieldOrderCnt`; nil for a bottom field.
    public let top: Int?
    /// `BottomFieldOrderCnt`; nil for a top field.
    public let bottom: Int?

    /// Takes the counts of the fields there are: at least one.
    public init(top: Int?, bottom: Int?) {
        precondition(top != nil || bottom != nil, "a picture without fields")
        self.top = top
        self.bottom = bottom
    }

    /// `PicOrderCnt()`: the smaller of the two, or the one there is.
    public var value: Int {
        min(top ?? .max, bottom ?? .max)
    }

    /// That of the frame whose fields have these two counts.
    func joined(_ other: PictureOrderCount) -> PictureOrderCount {
        PictureOrderCount(top: top ?? other.top, bottom: bottom ?? other.bottom)
    }
}
