/// Where chroma samples lie between the luma samples they belong to.
///
/// Source: ITU-T H.264 E.2.1, `chroma_sample_loc_type`.
package struct ChromaSiting: Hashable, Sendable {
    /// In 1/256 of the distance of two luma samples, from the left one.
    package let horizontal: Int
    /// In 1/256 of the distance of two luma rows, from the upper one.
    package let vertical: Int

    package init(horizontal: Int, vertical: Int) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// Type 0, what a stream means that does not say.
    package static let left = ChromaSiting(horizontal: 0, vertical: 128)
    package static let center = ChromaSiting(horizontal: 128, vertical: 128)
    package static let topLeft = ChromaSiting(horizontal: 0, vertical: 0)
    package static let top = ChromaSiting(horizontal: 128, vertical: 0)
    package static let bottomLeft = ChromaSiting(horizontal: 0, vertical: 256)
    package static let bottom = ChromaSiting(horizontal: 128, vertical: 256)
}
