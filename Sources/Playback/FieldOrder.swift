import PixelBuffers
import SampleDisplay
import TerminalGraphics

/// The fields of an interlaced picture, in the order of their times.
struct FieldOrder: Hashable, Sendable {
    var first: Field
    var second: Field

    /// Nil for a progressive picture.
    init?(_ picture: DisplayedPicture) {
        let attachments = picture.pixelBuffer.attachments
        guard attachments[.fieldCount] == 2 else { return nil }
        let isTopFirst = attachments[.fieldDetail] != .spatialFirstLineLate
        (first, second) = isTopFirst ? (.top, .bottom) : (.bottom, .top)
    }
}
