import ElementaryStream
import PixelBuffers

/// An access unit with what its decoding showed.
struct ReportedPicture {
    var timed: TimedAccessUnit
    /// Whether it is shown: not skipped after a start in the middle of things, or all is asked for.
    var isShown: Bool
    /// Whether it or a picture it is predicted from is lost or broken, by headers and decoder together.
    var isDamaged: Bool
    /// What the decoder made of it; nil where it was not decoded.
    var decoded: Decoded?

    /// What is counted of a picture.
    struct Facts {
        var rank: Int
        var isShown: Bool
        var isDamaged: Bool
        /// Whether it was decoded.
        var hasPicture: Bool

        /// Whether `--strict` ends with it.
        var isBad: Bool { isDamaged && isShown }
    }

    var facts: Facts {
        Facts(
            rank: timed.presentationRank, isShown: isShown, isDamaged: isDamaged,
            hasPicture: decoded?.hasPicture ?? false)
    }

    /// What became of a sample.
    struct Decoded {
        /// MD5 of the picture.
        var digest: PixelBufferDigest?
        /// The picture, where pictures are asked for.
        var image: CVPixelBuffer?
        var pixelFormat: CVPixelFormatType?
        var isDamaged: Bool

        var hasPicture: Bool { digest != nil || image != nil }
    }
}
