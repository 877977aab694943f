import MediaTime
import PixelBuffers
import SampleBuffers

/// A decoded picture that can be shown again, or in another order than it was decoded in.
struct DecodedPicture: Sendable {
    /// Rank in presentation order.
    var rank: Int
    /// Rank in decoding order, by which the index knows it.
    var decodeRank: Int
    /// The pixels, in the decoder's own format.
    var pixelBuffer: CVPixelBuffer
    /// When it is presented.
    var presentationTimeStamp: CMTime
    /// How long.
    var duration: CMTime
    /// Whether the decoder found fault with it.
    var isDamaged: Bool

    /// The sample that a display layer takes; nil where Core Media refuses the picture.
    var sampleBuffer: CMSampleBuffer? {
        guard let format = try? CMFormatDescription(imageBuffer: pixelBuffer),
            let sample = try? CMSampleBuffer(
                imageBuffer: pixelBuffer, formatDescription: format,
                sampleTiming: CMSampleTimingInfo(
                    duration: duration, presentationTimeStamp: presentationTimeStamp,
                    decodeTimeStamp: .invalid))
        else { return nil }
        sample.sampleAttachments[0][.token] = Int64(decodeRank)
        return sample
    }
}
