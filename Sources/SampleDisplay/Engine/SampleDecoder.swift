package import MediaTime
package import PixelBuffers
package import SampleBuffers
package import VideoCodec

/// What became of one sample given to a decoder.
package struct DecodedSample: Sendable {
    /// The sample's place in the order of enqueueing.
    package var ordinal: UInt64
    /// `noErr`, or why there is no picture.
    package var status: OSStatus
    /// The picture; nil when there is none, or it was not to be displayed.
    package var imageBuffer: CVPixelBuffer?
    /// Whether errors were concealed or references lacked.
    package var isDamaged: Bool

    /// Creates a result.
    package init(
        ordinal: UInt64, status: OSStatus = noErr, imageBuffer: CVPixelBuffer? = nil,
        isDamaged: Bool = false
    ) {
        self.ordinal = ordinal
        self.status = status
        self.imageBuffer = imageBuffer
        self.isDamaged = isDamaged
    }
}

/// What the display layer asks of a decoder.
///
/// Its decode thread is the only caller.
package protocol SampleDecoder: AnyObject {
    /// Whether a sample of another format can follow without a new decoder.
    func canAccept(_ formatDescription: CMFormatDescription) -> Bool

    /// Decodes a sample. The output handler is called once for it, now or later, unless an error is returned.
    ///
    /// - Parameters:
    ///   - sampleBuffer: One compressed sample.
    ///   - ordinal: Comes back with the result.
    ///   - displays: Whether a picture is wanted; if not, it is decoded for the sake of others.
    /// - Returns: `noErr`, or an error.
    func decode(_ sampleBuffer: CMSampleBuffer, ordinal: UInt64, displays: Bool) -> OSStatus

    /// Has everything that is held back given to the output handler before it returns.
    func finish()

    /// Forgets references and what is held back, as before a jump in the stream.
    func reset()

    /// Ends it. The output handler is not called any more.
    func invalidate()
}

/// How a display layer's decoder is to work.
package struct SampleDecoderSettings: Hashable, Sendable {
    /// What pictures to give.
    package var request = PixelBufferRequest.default
    /// nil for one a core.
    package var threadCount: Int?
    /// Whether pictures come in presentation order after a delay (frame threads), or each at once in decode order.
    package var isInPresentationOrder = true

    /// Creates the default settings.
    package init() {}
}

/// Makes a decoder for a format.
package typealias SampleDecoderFactory =
    @Sendable (
        CMFormatDescription, SampleDecoderSettings, @escaping @Sendable (DecodedSample) -> Void
    ) throws(MediaError) -> any SampleDecoder
