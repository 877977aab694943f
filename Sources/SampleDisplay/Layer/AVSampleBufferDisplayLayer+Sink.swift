public import MediaTime
public import PixelBuffers
internal import Synchronization
public import VideoCodec

// Not Apple's: where pictures go, how they are decoded, and what the layer knows.
extension AVSampleBufferDisplayLayer {
    /// The simple form of a sink: the pixels (nil when the image is removed), their output presentation time stamp and
    /// the timebase's time.
    public typealias PresentationHandler =
        @Sendable (CVPixelBuffer?, _ outputTime: CMTime, _ timebaseTime: CMTime) -> Void

    /// Where pictures go.
    ///
    /// Weak: the layer does not keep it alive.
    public var sink: (any SampleBufferDisplaySink)? {
        get { engine.outlets.withLock { $0.sink } }
        set { engine.outlets.withLock { $0.sink = newValue } }
    }

    /// Called on the display thread for each picture shown, after the sink.
    ///
    /// It may block, as the sink's `present` may.
    public var presentationHandler: PresentationHandler? {
        get { engine.outlets.withLock { $0.presentationHandler } }
        set { engine.outlets.withLock { $0.presentationHandler = newValue } }
    }

    /// Told what happens: failure, the end, readiness.
    ///
    /// Called on any thread, without a lock held, in the order of events of that thread. It should return at once;
    /// it may call the layer.
    public var eventHandler: (@Sendable (SampleDisplayEvent) -> Void)? {
        get { engine.outlets.withLock { $0.eventHandler } }
        set { engine.outlets.withLock { $0.eventHandler = newValue } }
    }

    // MARK: Decoding

    /// What pictures the decoder is to give.
    ///
    /// Takes effect with the next decoder: set it before enqueueing, or flush.
    public var decodedImageAttributes: PixelBufferRequest {
        get { engine.outlets.withLock { $0.settings.request } }
        set { engine.outlets.withLock { $0.settings.request = newValue } }
    }

    /// Threads of the decoder, nil for one a core.
    ///
    /// Takes effect with the next decoder.
    public var decoderThreadCount: Int? {
        get { engine.outlets.withLock { $0.settings.threadCount } }
        set { engine.outlets.withLock { $0.settings.threadCount = newValue } }
    }

    /// How to decode.
    ///
    /// Takes effect with the next decoder.
    public var decodingMode: SampleDecodingMode {
        get { engine.monitor.withLock { $0.mode } }
        set { engine.monitor.withLock { $0.mode = newValue } }
    }

    /// Whether after a flush, or a change of format, samples are dropped until one that decoding can begin
    /// with: a sync sample, or one marked PartialSync or not DependsOnOthers (L-15).
    ///
    /// True unless set.
    public var waitsForSyncSample: Bool {
        get { engine.monitor.withLock { $0.waitsForSync } }
        set { engine.monitor.withLock { $0.waitsForSync = newValue } }
    }

    // MARK: What it knows

    /// What the layer has done since it was made.
    public var statistics: SampleDisplayStatistics {
        engine.monitor.withLock { state in
            var statistics = state.statistics
            statistics.queued = state.input.count
            statistics.waiting = state.waiting.count + (state.immediate == nil ? 0 : 1)
            return statistics
        }
    }

    /// The picture on show, at any rate; nil for none.
    public var displayedPicture: DisplayedPicture? { engine.monitor.withLock { $0.displayed } }

    /// The output presentation time stamp of the picture on show; nil for none.
    public var displayedPresentationTimeStamp: CMTime? {
        displayedPicture?.presentationTimeStamp
    }

    /// The time of the picture that follows `time`, decoded or only enqueued, once it is certain that none comes between.
    ///
    /// To step, set the timebase to it: the picture is shown as soon as it is decoded. If it is nil, or no picture comes
    /// at that time because it could not be decoded, ask again at `pictureAvailable` or `decodedAll`.
    ///
    /// - Parameter time: A time of the timebase.
    /// - Returns: A time after it, or nil if none is known.
    public func nextPresentationTimeStamp(after time: CMTime) -> CMTime? {
        engine.monitor.withLock { $0.nextPresentationTimeStamp(after: time) }
    }

    /// The time of the picture that precedes `time`, of those that are enqueued and not shown.
    ///
    /// For images in falling order, as reverse play enqueues them: to go back by one, set the timebase to it.
    ///
    /// - Parameter time: A time of the timebase.
    /// - Returns: A time before it, or nil if none waits, or one that is still to be decoded may come between.
    public func presentationTimeStamp(before time: CMTime) -> CMTime? {
        engine.monitor.withLock { $0.presentationTimeStamp(before: time) }
    }

    /// The picture that takes the place of the one at `time`, where that one cannot be decoded.
    ///
    /// The first that is decoded and waits, once nothing at or before `time` is left to be decoded or shown, and the picture on
    /// show is not the one at `time`.
    ///
    /// - Parameter time: A time of the timebase.
    /// - Returns: Its time, or nil while the one at `time` may still come.
    public func presentationTimeStamp(inPlaceOf time: CMTime) -> CMTime? {
        engine.monitor.withLock { $0.presentationTimeStamp(inPlaceOf: time) }
    }
}
