import PixelBuffers

/// Decoded pictures kept for steps back, within a budget of bytes.
package struct PictureCache: Sendable {
    /// Bytes of decoded pictures that are kept at most; one picture is kept in any case.
    package let byteLimit: Int
    private var pictures: [Int: DecodedPicture] = [:]
    package private(set) var byteCount = 0

    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The picture of a presentation rank, if it is kept.
    package subscript(rank: Int) -> DecodedPicture? { pictures[rank] }

    /// The picture of a presentation rank, or of the next of 16 before it that is kept.
    package func nearest(atOrBefore rank: Int) -> DecodedPicture? {
        for step in 0...16 {
            if let picture = pictures[rank - step] { return picture }
        }
        return nil
    }

    /// How many pictures of this size fit.
    package func capacity(pictureByteCount: Int) -> Int {
        max(1, byteLimit / max(1, pictureByteCount))
    }

    /// Keeps more pictures; those farthest from `rank` make room.
    package mutating func insert(_ more: [DecodedPicture], near rank: Int) {
        for picture in more where pictures[picture.rank] == nil {
            pictures[picture.rank] = picture
            byteCount += picture.pixelBuffer.dataSize
        }
        guard byteCount > byteLimit else { return }
        for far in pictures.keys.sorted(by: { abs($0 - rank) > abs($1 - rank) }) {
            guard byteCount > byteLimit, pictures.count > 1 else { break }
            if let gone = pictures.removeValue(forKey: far) {
                byteCount -= gone.pixelBuffer.dataSize
            }
        }
    }

    /// Lets go of all.
    package mutating func removeAll() {
        pictures.removeAll()
        byteCount = 0
    }
}
