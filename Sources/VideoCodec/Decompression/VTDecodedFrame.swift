public import MediaTime
public import PixelBuffers

/// What a decompression session tells about one sample.
///
/// Ours: Apple's callback has the first five.
public struct VTDecodedFrame: @unchecked Sendable {
    // SAFETY: `frameRefcon` is the client's and only handed through; all else is Sendable.

    /// How a picture is coded, over all its slices: any B makes B, else any P makes P.
    public enum PictureType: Character, Sendable {
        /// Intra.
        case i = "I"
        /// Predicted.
        case p = "P"
        /// Bi-predicted.
        case b = "B"
    }

    /// `noErr`, or why there is no picture.
    public var status: OSStatus
    /// What became of the sample.
    public var infoFlags: VTDecodeInfoFlags
    /// The picture; nil when there is none or it was not asked for.
    ///
    /// It must not be changed unless `imageBufferModifiable` is set.
    public var imageBuffer: CVPixelBuffer?
    /// The sample's output presentation time stamp.
    public var presentationTimeStamp: CMTime
    /// The sample's output duration, `.invalid` if unknown.
    public var duration: CMTime
    /// The sample's attachment `token`.
    public var token: Int64?
    /// Whether the picture is broken, or built on one that is, or lacks references.
    ///
    /// As its attachment `damaged`.
    public var isDamaged: Bool
    /// How the picture is coded, nil for none.
    public var pictureType: PictureType?
    /// What the client gave along with the sample.
    public var frameRefcon: UnsafeMutableRawPointer?
}
