extension RenderedPicture {
    /// Whether it is an image that looks exactly as another: to send it in the other's place would change nothing.
    ///
    /// Of cells nobody needs to ask: those that are the same are not sent again.
    package func isSameImage(as other: RenderedPicture) -> Bool {
        guard layout == other.layout else { return false }
        switch (content, other.content) {
        case (.sixel, .sixel):
            guard sixel.chunkCount == other.sixel.chunkCount else { return false }
            for register in 0..<256 where sixel.palette[register] != other.sixel.palette[register] {
                return false
            }
            return (0..<sixel.chunkCount).allSatisfy {
                sixel.chunks[$0].bytes == other.sixel.chunks[$0].bytes
            }
        case (.kitty, .kitty):
            guard kitty.stripCount == other.kitty.stripCount else { return false }
            return (0..<kitty.stripCount).allSatisfy {
                kitty.strips[$0].head == other.kitty.strips[$0].head
                    && kitty.strips[$0].tail == other.kitty.strips[$0].tail
            }
        default: return false
        }
    }
}
