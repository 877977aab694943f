/// A frame, complementary field pair or lone field that was written, and what a decoder makes of it.
package struct WrittenPicture: Hashable, Sendable {
    /// What is shown, cropped.
    ///
    /// Monochrome too is shown by libavcodec as 4:2:0, with chroma of 128; a lone field with each row twice.
    package var picture: Picture
    /// Least of its fields, relative to the start of its sequence.
    package var pictureOrderCount: Int
    /// Counts the IDR pictures and MMCO 5 so far; order counts compare within one.
    package var sequence: Int
    package var frameNum: Int
    package var isReference: Bool
    package var isIDR: Bool
    package var kind: PictureOptions.Kind
    /// `.frame` for pairs too.
    package var structure: PictureStructure
    package var isFieldPair: Bool
    package var pictureStructure: Int?
}
