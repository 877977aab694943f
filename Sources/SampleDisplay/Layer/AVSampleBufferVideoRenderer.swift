public import Dispatch
public import MediaTime
public import PixelBuffers
public import SampleBuffers

/// Decodes sample buffers and shows them by a timebase: the part of a display layer that queues.
///
/// All members may be used from any thread.
public final class AVSampleBufferVideoRenderer: AVQueuedSampleBufferRendering {
    let engine: DisplayEngine

    /// Creates a renderer that follows the host clock until it is given to a synchronizer, or its layer a control
    /// timebase.
    public convenience init() { self.init(makeDecoder: DecompressionSessionDecoder.make) }

    package init(makeDecoder: @escaping SampleDecoderFactory) {
        engine = DisplayEngine(makeDecoder: makeDecoder)
    }

    deinit { engine.stop() }

    /// The renderer's own timebase, which cannot be set.
    ///
    /// It follows a synchronizer's, else the layer's control timebase, else the host clock.
    public var timebase: CMTimebase { engine.timebase }

    /// How it is doing.
    public var status: AVQueuedSampleBufferRenderingStatus { engine.monitor.withLock { $0.status } }

    /// Why it failed; nil unless ``status`` is `failed`.
    public var error: AVError? { engine.monitor.withLock { $0.error } }

    /// Whether the decoder was lost, so that only `flush` gets it going.
    public var requiresFlushToResumeDecoding: Bool { engine.monitor.withLock { $0.requiresFlush } }

    /// Takes a sample, in decode order.
    ///
    /// Ignored while ``status`` is `failed`.
    ///
    /// - Parameter sampleBuffer: A compressed sample, an image, or a marker without samples.
    public func enqueue(_ sampleBuffer: CMSampleBuffer) { engine.enqueue(sampleBuffer) }

    /// Discards everything enqueued; what is on show stays.
    ///
    /// Recovers from a failure.
    public func flush() { engine.flush(removingImage: false) }

    /// Discards everything enqueued, and the image on show if asked to.
    ///
    /// - Parameters:
    ///   - removeDisplayedImage: Whether to take it off.
    ///   - handler: Called on the display thread when it is done.
    public func flush(
        removingDisplayedImage removeDisplayedImage: Bool,
        completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        engine.flush(removingImage: removeDisplayedImage, completion: handler ?? {})
    }

    /// Whether more samples are welcome (L-17).
    public var isReadyForMoreMediaData: Bool { engine.monitor.withLock { $0.isReady } }

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
        engine.monitor.withLock { $0.isSufficient }
    }

    /// The pixels on show; nil for none, and while the rate is not 0.
    ///
    /// - Returns: The pixels.
    public func copyDisplayedPixelBuffer() -> CVPixelBuffer? {
        guard engine.timebase.effectiveRate == 0 else { return nil }
        return engine.monitor.withLock { $0.displayed?.pixelBuffer }
    }
}
