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
    }

    private struct Feed {
        /// The picture to go to; the reader takes the newest.
        var seek: Int?
        var isStopped = false
    }

    let source: any ByteSource
    let index: StreamIndex
    let layer = AVSampleBufferDisplayLayer()
    let timebase: CMTimebase
    private let samples: Mutex<SampleSource>
    private let queue = DispatchQueue(label: "tplay reader")
    private let feed = Mutex(Feed())
    private let lastRankStore: Mutex<Int?> = Mutex(nil)
    private let onEvent: @Sendable (Event) -> Void

    /// Opens a file and begins to index it.
    ///
    /// Never waits for bytes: that it is something else than H.264 is told by the index.
    ///
    /// - Throws: ``StreamError``: it cannot be opened.
    init(
        path: String, rate: PictureRate?, onEvent: @escaping @Sendable (Event) -> Void
    ) throws(StreamError) {
        let source = try openByteSource(path: path)
        let index = StreamIndex(byteCount: source.byteCount)
        self.source = source
        self.index = index
        self.onEvent = onEvent
        do {
            timebase = try CMTimebase(sourceClock: .hostTimeClock)
        } catch {
            throw .system(call: "CMTimebase", errno: error.status)
        }
        samples = Mutex(SampleSource(source, index: index))
        startThread(named: "tplay index", niceness: 5) {
            StreamIndexer.fill(index, from: source, rate: rate) { onEvent(.changed) }
        }
    }

    /// Puts the pictures on `screen` and begins to feed the layer.
    func start(on screen: Screen, atRank rank: Int) {
        layer.decodedImageAttributes = .native
        layer.sink = screen
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
        seek(toRank: rank)
    }

    /// Ends everything; waits until the reader is out of the way.
    func stop() {
        feed.withLock { $0.isStopped = true }
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
            let ticks = time.convertScale(timescale, method: .roundTowardNegativeInfinity)
            return index.presentationRank(atTicks: ticks.value)
        }
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

    /// Goes to an indexed picture: what is queued is dropped, the picture on the screen stays until the new one comes.
    ///
    /// Calls in quick succession are one: the reader goes to the picture asked for last.
    func seek(toRank rank: Int) {
        feed.withLock { $0.seek = rank }
        index.interrupt()
        queue.async { [self] in performSeek() }
    }

    private func performSeek() {
        let target = feed.withLock { feed in
            defer { feed.seek = nil }
            return feed.isStopped ? nil : feed.seek
        }
        guard let target else { return }
        layer.stopRequestingMediaData()
        // Flushed first: with the new time an old picture would be due.
        layer.flush()
        let last = lastRank
        let time = samples.withLock { samples in
            if let last { samples.end(after: last) }
            return samples.seek(toPresentationRank: target)
        }
        if let time { try? timebase.setTime(time) }
        layer.requestMediaDataWhenReady(on: queue) { [weak self] in self?.feedLayer() }
    }

    private func feedLayer() {
        while layer.isReadyForMoreMediaData {
            let (hasSeek, isStopped) = feed.withLock { ($0.seek != nil, $0.isStopped) }
            if hasSeek || isStopped { return layer.stopRequestingMediaData() }
            do throws(StreamError) {
                switch try samples.withLock({ samples throws(StreamError) in try samples.next() }) {
                case .sample(let sample): layer.enqueue(sample)
                case .interrupted: return
                case .end:
                    return finishFeeding()
                }
            } catch {
                finishFeeding()
                if error != .cancelled { onEvent(.failed(error)) }
                return
            }
        }
    }

    /// Tells the layer that nothing more comes: the decoder gives what it still holds, and the end is told.
    private func finishFeeding() {
        layer.stopRequestingMediaData()
        guard
            let marker = try? CMSampleBuffer(
                dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [],
                sampleSizes: [])
        else { return }
        marker.attachments[.permanentEmptyMedia] = true
        layer.enqueue(marker)
    }
}
