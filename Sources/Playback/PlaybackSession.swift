import Dispatch
import ElementaryStream
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay
import Synchronization
import VideoCodec

/// One file being played: source, index, display layer and timebase, and the threads between them.
///
/// The player's thread calls it. Samples are fed on the reader queue, and whatever must not mix with feeding (a flush,
/// a seek) runs there too.
final class PlaybackSession: Sendable {
    /// What happened, told on any thread.
    enum Event: Sendable {
        /// Something that `status` shows changed.
        case changed
        /// The last picture is on the screen.
        case presentedLast
        /// Reading failed.
        case failed(StreamError)
        /// Decoding failed.
        case failedToDecode(status: Int32)
        /// The picture of this rank was decoded before it was whole: time stands, nothing is queued.
        case amended(Int)
    }

    /// What the layer is to be fed with.
    enum Wish: Hashable, Sendable {
        /// The stream, from a picture on.
        case forward(Int)
        /// One picture, to look at.
        case picture(Int)
        /// Pictures in falling order, from one on.
        case backward(Int)
    }

    struct Feed {
        /// Not begun; the reader takes the newest.
        var wish: Wish?
        /// Begun.
        var current: Wish?
        var backward: BackwardFeed?
        var isStopped = false
    }

    let source: any ByteSource
    let index: StreamIndex
    let layer = AVSampleBufferDisplayLayer()
    let timebase: CMTimebase
    let samples: Mutex<SampleSource>
    let pieces: PieceDecoder
    /// Pictures for steps back.
    let cache: Mutex<PictureCache>
    let liveClock: LiveClock
    let sink: Mutex<WholePictureSink?> = Mutex(nil)
    let patience: Mutex<DecoderPatience>
    let queue = DispatchQueue(label: "tplay reader")
    let feed = Mutex(Feed())
    private let lastRankStore: Mutex<Int?> = Mutex(nil)
    let onEvent: @Sendable (Event) -> Void
    private let options: PlaybackOptions

    /// How long the last pictures of a file that is followed wait for one that may come before them.
    ///
    /// Nothing tells that its writer has ended.
    private static let followingPatience: UInt64 = 1_000_000_000

    /// Opens a file and begins to index it.
    ///
    /// Never waits for bytes: that it is something else than H.264 is told by the index.
    ///
    /// - Throws: ``StreamError``: it cannot be opened.
    init(
        path: String, options: PlaybackOptions, onEvent: @escaping @Sendable (Event) -> Void
    ) throws(StreamError) {
        let source = try openByteSource(
            path: path, retainedByteLimit: options.bufferByteLimit, follows: options.followsFiles)
        let index = StreamIndex(byteCount: source.byteCount)
        self.source = source
        self.index = index
        self.onEvent = onEvent
        self.options = options
        let isGrowing = source.byteCount == nil
        let stream = LiveClock.Stream(
            waited: { source.waitedNanoseconds }, news: { index.news(from: $0) },
            patience: source.keepsAll ? Self.followingPatience : nil)
        do {
            timebase = try CMTimebase(sourceClock: .hostTimeClock)
            liveClock = try LiveClock(
                isGrowing ? stream : nil, timebase: timebase,
                isFollowing: options.start == nil && !options.isPaused)
        } catch {
            throw .system(call: "CMTimebase", errno: error.status)
        }
        let first = SampleSource(source, index: index)
        if case .time(let end)? = options.until { first.end(before: end - Place.tolerance) }
        samples = Mutex(first)
        pieces = PieceDecoder(source, index: index)
        cache = Mutex(PictureCache(byteLimit: options.cacheByteLimit))
        patience = Mutex(
            DecoderPatience(mayHoldBack: isGrowing && !source.keepsAll && !options.isLowDelay))
        var indexing = StreamIndexer.Options(rate: options.pictureRate)
        indexing.isInDecodingOrder = options.isInDecodingOrder
        indexing.showsAll = options.showsAll
        indexing.isEager = options.isLowDelay
        // What comes as it is made is awaited; what is read ahead of need waits for others.
        startThread(named: "tplay index", niceness: isGrowing ? 0 : 5) { [indexing, liveClock] in
            StreamIndexer.fill(index, from: source, options: indexing) {
                liveClock.noteArrival(at: CMClock.hostNanoseconds)
                onEvent(.changed)
            }
        }
    }

    /// Puts the pictures on `screen` and begins to feed the layer.
    func start(on screen: Screen, with wish: Wish) {
        layer.decodedImageAttributes = .native
        layer.decodingMode = decodingMode
        layer.waitsForSyncSample = !options.showsAll
        if isGrowing {
            // The layer does not keep it.
            let whole = WholePictureSink(screen, index: index, clock: liveClock)
            sink.withLock { $0 = whole }
            layer.sink = whole
        } else {
            layer.sink = screen
        }
        layer.controlTimebase = timebase
        let onEvent = onEvent
        layer.eventHandler = { event in
            switch event {
            case .presentedLast: onEvent(.presentedLast)
            case .failedToDecode(let error):
                onEvent(.failedToDecode(status: error.underlyingError?.status ?? -1))
            default: onEvent(.changed)
            }
        }
        feed(wish)
    }

    /// Frame threads for files; what comes as it is made, and what is shown as it is coded, is decoded at once.
    private var decodingMode: SampleDecodingMode {
        if options.isInDecodingOrder || options.isLowDelay { return .lowDelay }
        // The end of a file that is followed is waited for in the middle of things: no picture may be held back then.
        if isGrowing, source.keepsAll { return .lowDelay }
        return isGrowing ? .automatic : .throughput
    }

    /// Whether pictures are shown as they come.
    var isLowDelay: Bool { options.isLowDelay }

    /// Whether it is a pipe, or a file that is followed.
    var isGrowing: Bool { source.byteCount == nil }

    /// Ends everything; waits until the reader is out of the way.
    func stop() {
        feed.withLock { feed in
            feed.isStopped = true
            feed.backward?.cancel()
        }
        index.cancel()
        source.cancel()
        layer.stopRequestingMediaData()
        queue.sync {}
        layer.sink = nil
        layer.flushAndRemoveImage()
    }

    /// The picture at a place; nil where it is not indexed, or behind the end.
    func rank(of place: Place) -> Int? {
        switch place {
        case .picture(let rank): return index.entry(presentationRank: rank) == nil ? nil : rank
        case .time(let time):
            let timescale = index.summary.rate.timescale
            let ticks = (time + Place.tolerance).convertScale(
                timescale, method: .roundTowardNegativeInfinity)
            return index.presentationRank(atTicks: ticks.value)
        }
    }

    /// Where playing backwards ends: with the first picture shown, or that which the options name.
    var firstBackwardRank: Int {
        let first = index.firstShownRank ?? 0
        guard options.rate < 0, let start = options.start else { return first }
        if case .picture(let rank) = start { return max(first, rank) }
        return max(first, rank(of: start) ?? .max)
    }

    /// The presentation time of an indexed picture.
    func time(ofRank rank: Int) -> CMTime? {
        guard let found = index.entry(presentationRank: rank) else { return nil }
        return CMTime(
            value: found.entry.presentationTicks, timescale: index.summary.rate.timescale)
    }

    /// The picture after which playing ends.
    func end(afterRank rank: Int?) {
        lastRankStore.withLock { $0 = rank }
    }

    /// The picture after which playing ends, where one is set.
    var lastRank: Int? { lastRankStore.withLock { $0 } }
}
