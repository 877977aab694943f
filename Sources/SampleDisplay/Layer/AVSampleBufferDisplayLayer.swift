public import Dispatch
public import MediaTime
public import SampleBuffers

/// Decodes sample buffers and shows each picture at its time.
///
/// It has no screen: pictures go to its `sink`. All members may be used from any thread; calls of `enqueue` from
/// one thread keep their order. When the layer and its renderer go, everything stops silently.
///
/// The picture on show at timebase time *t* is the decoded one with the largest output presentation time stamp
/// <= *t*, at any rate. With rate 0 a picture appears once nothing enqueued can overtake it: none with a time between its
/// own and *t* waits to be decoded. A client that seeks flushes, sets the time, and marks the samples before its
/// target DoNotDisplay.
public final class AVSampleBufferDisplayLayer: AVQueuedSampleBufferRendering {
    /// What queues, decodes and shows.
    ///
    /// Apple prefers its methods to the layer's own; do not mix both.
    public let sampleBufferRenderer: AVSampleBufferVideoRenderer
    let properties = LayerProperties()

    /// Creates a layer that shows by the host clock.
    public init() { sampleBufferRenderer = AVSampleBufferVideoRenderer() }

    package init(makeDecoder: @escaping SampleDecoderFactory) {
        sampleBufferRenderer = AVSampleBufferVideoRenderer(makeDecoder: makeDecoder)
    }

    var engine: DisplayEngine { sampleBufferRenderer.engine }

    // MARK: Time

    /// What decides when pictures are shown; nil for the host clock.
    ///
    /// Not asked while a synchronizer has the layer.
    ///
    /// A timebase that follows this layer's own ``timebase`` traps.
    public var controlTimebase: CMTimebase? {
        get { engine.controlTimebase }
        set { engine.controlTimebase = newValue }
    }

    /// The layer's own timebase, which cannot be set.
    ///
    /// It follows a synchronizer's, else the control timebase, else the host clock.
    public var timebase: CMTimebase { engine.timebase }

    // MARK: State

    /// How it is doing.
    public var status: AVQueuedSampleBufferRenderingStatus { sampleBufferRenderer.status }

    /// Why it failed; nil unless ``status`` is `failed`.
    public var error: AVError? { sampleBufferRenderer.error }

    /// Whether the decoder was lost, so that only `flush` gets it going.
    public var requiresFlushToResumeDecoding: Bool {
        sampleBufferRenderer.requiresFlushToResumeDecoding
    }

    /// Whether a picture is decoded that can be shown; false again once the image is removed.
    public var isReadyForDisplay: Bool { engine.monitor.withLock { $0.isReadyForDisplay } }

    // MARK: Queue

    /// Takes a sample, in decode order.
    ///
    /// Ignored while ``status`` is `failed`.
    ///
    /// - Parameter sampleBuffer: A compressed sample, an image, or a marker without samples.
    public func enqueue(_ sampleBuffer: CMSampleBuffer) { engine.enqueue(sampleBuffer) }

    /// Discards everything enqueued; what is on show stays.
    ///
    /// Recovers from a failure.
    ///
    /// The sink's `discard` is called for what was prepared, inside this call. A `present` in progress is not
    /// waited for.
    public func flush() { sampleBufferRenderer.flush() }

    /// Discards everything enqueued and takes the image off.
    public func flushAndRemoveImage() { engine.flush(removingImage: true) }

    /// Whether more samples are welcome (L-17).
    public var isReadyForMoreMediaData: Bool { sampleBufferRenderer.isReadyForMoreMediaData }

    /// Has `block` called on `queue` whenever more samples are welcome; it should enqueue until they are not.
    ///
    /// - Parameters:
    ///   - queue: Where to call it. Calls never overlap.
    ///   - block: What enqueues. A request replaces the one before; `flush` does not end it.
    public func requestMediaDataWhenReady(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
    ) {
        engine.requestMediaData(on: queue, using: block)
    }

    /// Ends the request.
    ///
    /// May be called inside the block; from outside, a call in progress may finish.
    public func stopRequestingMediaData() { engine.stopRequestingMediaData() }

    /// Whether enough is decoded to start without a stall (L-26).
    public var hasSufficientMediaDataForReliablePlaybackStart: Bool {
        sampleBufferRenderer.hasSufficientMediaDataForReliablePlaybackStart
    }
}
