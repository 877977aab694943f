public import MediaTime

/// What a display layer tells its client. [HERE]
///
/// Apple's layer posts notifications for some of them; these are the stack's form.
public enum SampleDisplayEvent: Sendable {
    /// `isReadyForDisplay` changed: the first picture is decoded, or the image was removed.
    case readyForDisplayDidChange(Bool)
    /// A picture has become known to `nextPresentationTimeStamp(after:)`. Comes once a picture, after `prepare`.
    case pictureAvailable(CMTime)
    /// Everything enqueued before the end of data is decoded.
    case decodedAll
    /// Everything enqueued before the end of data is decoded, and what of it is to be shown has been.
    case presentedLast
    /// Decoding failed (L-23). `flush` recovers.
    case failedToDecode(AVError)
    /// `requiresFlushToResumeDecoding` changed.
    case requiresFlushToResumeDecodingDidChange(Bool)
}
