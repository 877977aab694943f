public import Dispatch
public import MediaTime
public import SampleBuffers

/// How a renderer is doing.
public enum AVQueuedSampleBufferRenderingStatus: Int, Hashable, Sendable {
    /// Nothing has been enqueued, or a failure was flushed.
    case unknown = 0
    /// Samples are being decoded and shown.
    case rendering = 1
    /// Decoding failed; `flush` recovers.
    case failed = 2
}

/// What accepts sample buffers and shows them by a timebase.
public protocol AVQueuedSampleBufferRendering: AnyObject, Sendable {
    /// The renderer's own timebase; it cannot be set.
    var timebase: CMTimebase { get }

    /// Takes a sample, in decode order. Legal also while not ready: nothing is lost.
    ///
    /// - Parameter sampleBuffer: The sample, or a marker without samples.
    func enqueue(_ sampleBuffer: CMSampleBuffer)

    /// Discards everything enqueued; what is on show stays. The next sample should be a sync sample.
    func flush()

    /// Whether more samples are welcome.
    var isReadyForMoreMediaData: Bool { get }

    /// Has `block` called on `queue` whenever more samples are welcome; it should enqueue until they are not.
    ///
    /// - Parameters:
    ///   - queue: Where to call it. Calls never overlap.
    ///   - block: What enqueues. A request replaces the one before.
    func requestMediaDataWhenReady(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void)

    /// Ends the request. May be called inside the block.
    func stopRequestingMediaData()

    /// Whether enough is enqueued to start without a stall.
    var hasSufficientMediaDataForReliablePlaybackStart: Bool { get }
}
