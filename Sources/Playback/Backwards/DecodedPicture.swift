package import MediaTime
package import PixelBuffers
package import SampleBuffers

/// A decoded picture that can be shown again, or in another order than it was decoded in.
package struct DecodedPicture: Sendable {
    /// Rank in presentation order.
    package var rank: Int
    /// Rank in decoding order, by which the index knows it.
    package var decodeRank: Int
    /// The pixels, in the decoder's own format.
    package var pixelBuffer: CVPixelBuffer
    /// When it is presented.
    package var presentationTimeStamp: CMTime
    /// How long.
    package var duration: CMTime
    /// Whether the decoder found fault with it.
    package var isDamaged: Bool

    /// The sample that a display layer takes; nil where Core Media refuses the picture.
    package var sampleBuffer: CMSampleBuffer? {
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
