internal import MediaTime
internal import SampleBuffers

/// What the display layer needs to know of a sample, read once when it is enqueued.
struct SampleTraits: Sendable {
    enum Kind: Sendable {
        /// No sample: only its attachments count.
        case marker
        /// Pixels.
        case image
        /// Something to decode.
        case compressed
    }

    var kind: Kind
    /// Output presentation time stamp; not numeric for a sample without time.
    var time: CMTime
    var decodeTime: CMTime
    /// Output duration, 0 if unknown; rounded up, so that 25 times 40 ms make a second.
    var nanoseconds: Int64
    /// Decodable without what came before.
    var isSync: Bool
    /// Decoding may begin here: a sync sample, a recovery point or another intra picture.
    var isRandomAccess: Bool
    var doNotDisplay: Bool
    var displayImmediately: Bool
    var token: Int64?
    var emptiesMedia: Bool
    var endsMedia: Bool
    var resetsDecoder: Bool
    var drainsDecoder: Bool

    /// Whether it is shown by the timebase.
    var isTimed: Bool { time.isNumeric && !displayImmediately }

    /// Whether a picture will be shown by the timebase, so that it can overtake an earlier one.
    var isExpected: Bool {
        isTimed && (kind == .marker ? emptiesMedia : !doNotDisplay)
    }
}

/// A sample on its way through the layer.
struct QueuedSample: Sendable {
    let buffer: CMSampleBuffer
    let traits: SampleTraits
    /// Place in the order of enqueueing, from 1; never used twice.
    let ordinal: UInt64
    /// The flushes before it.
    let epoch: UInt64
}
