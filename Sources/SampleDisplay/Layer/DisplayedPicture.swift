public import MediaTime
public import PixelBuffers

/// A decoded picture on its way to a display layer's sink. [HERE]
///
/// One object from `prepare` to `present` or `discard`: a sink may key its own work on its identity.
public final class DisplayedPicture: Sendable {
    /// The pixels.
    ///
    /// They must not be changed: the decoder may still predict from them.
    public let pixelBuffer: CVPixelBuffer
    /// The sample's output presentation time stamp; not numeric for a sample without time (L-12).
    public let presentationTimeStamp: CMTime
    /// The sample's output duration; `.invalid` if unknown.
    public let duration: CMTime
    /// What the client attached to the sample to know it again.
    public let token: Int64?
    /// Whether the decoder concealed errors or lacked references for it.
    public let isDamaged: Bool

    package init(
        pixelBuffer: CVPixelBuffer, presentationTimeStamp: CMTime, duration: CMTime,
        token: Int64? = nil, isDamaged: Bool = false
    ) {
        self.pixelBuffer = pixelBuffer
        self.presentationTimeStamp = presentationTimeStamp
        self.duration = duration
        self.token = token
        self.isDamaged = isDamaged
    }
}
