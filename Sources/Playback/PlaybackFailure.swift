public import ElementaryStream

/// Why a file was not played, or not to its end.
public enum PlaybackFailure: Error, Hashable, Sendable {
    /// The stream cannot be read.
    case stream(StreamError)
    /// The stream ended without a picture that can be shown.
    case nothingShown(NothingShown)
    /// The decoder gave up, with the contract's status.
    case decoder(status: Int32)
    /// A picture cannot be drawn.
    case drawing(String)
    /// The first picture asked for is behind the last one.
    case startBehindEnd(pictures: Int)
    /// No picture that is shown lies between the first and the last asked for.
    case emptyRange
    /// The first damaged picture, where damage is not wanted.
    case damage(picture: Int)
    /// Slices from this byte on to the end that no parameter sets explain, where damage is not wanted.
    case undecodableEnd(offset: Int64)

    /// What there was instead of a picture.
    public enum NothingShown: Hashable, Sendable {
        /// No NAL units at all.
        case noNALUnits
        /// NAL units, but no picture that parameter sets explain.
        case noParameterSets(nalUnits: Int)
        /// Pictures, but none to begin with.
        case noRandomAccessPoint(pictures: Int)
        /// Pictures that the decoder makes nothing of.
        case undecodable(pictures: Int)
    }
}
