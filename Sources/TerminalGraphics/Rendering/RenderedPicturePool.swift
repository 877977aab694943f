/// Rendered pictures that are used again, so that a playing renderer allocates nothing.
struct RenderedPicturePool {
    private var pictures: [RenderedPicture] = []

    /// A picture that nobody else holds, with whatever it held before.
    mutating func take(layout: PictureLayout, content: RenderedPicture.Content) -> RenderedPicture {
        for index in pictures.indices where isKnownUniquelyReferenced(&pictures[index]) {
            let picture = pictures[index]
            picture.layout = layout
            picture.content = content
            return picture
        }
        let picture = RenderedPicture(layout: layout, content: content)
        pictures.append(picture)
        return picture
    }
}
