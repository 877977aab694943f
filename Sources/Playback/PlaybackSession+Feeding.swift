import Dispatch
import ElementaryStream
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay
import Synchronization
import VideoCodec

/// What the layer is fed with, all on the reader queue.
extension PlaybackSession {
    /// Feeds the layer with something else: what is queued is dropped, the picture on the screen stays until a new one comes.
    ///
    /// Calls in quick succession are one: the reader does what was asked for last.
    func feed(_ wish: Wish) {
        feed.withLock { feed in
            feed.wish = wish
            feed.backward?.cancel()
        }
        index.interrupt()
        queue.async { [self] in performWish() }
    }

    /// Whether the layer is fed for playing at a rate: the stream for a positive one, pictures in falling order for a negative one.
    func isFed(for rate: Double) -> Bool {
        feed.withLock { feed in
            switch feed.wish ?? feed.current {
            case .forward: rate >= 0
            case .backward: rate < 0
            case .picture, nil: false
            }
        }
    }

    /// Notes that all is shown: whoever plays on feeds anew.
    func noteEnded() { feed.withLock { $0.current = nil } }

    /// Whether a picture is at hand, decoded.
    func isCached(_ rank: Int) -> Bool { cache.withLock { $0[rank] != nil } }

    /// Whether the reader has begun what was asked for last.
    var isSettled: Bool { feed.withLock { $0.wish == nil } }

    /// Whether the reader has something else to do.
    private var hasNewWish: Bool { feed.withLock { $0.wish != nil || $0.isStopped } }

    private func performWish() {
        let wish = feed.withLock { feed -> Wish? in
            guard !feed.isStopped, let wish = feed.wish else { return nil }
            feed.wish = nil
            feed.current = wish
            feed.backward = nil
            return wish
        }
        guard let wish else { return }
        layer.stopRequestingMediaData()
        switch wish {
        case .forward(let rank): goForward(from: rank)
        case .picture(let rank): show(rank)
        case .backward(let rank): goBackward(from: rank)
        }
    }

    // MARK: Forwards

    private func goForward(from rank: Int) {
        // Flushed first: with the new time an old picture would be due.
        flush(isInOrder: !isLowDelay)
        let last = lastRank
        let time = samples.withLock { samples in
            if let last { samples.end(after: last) }
            return samples.seek(toPresentationRank: rank)
        }
        if let time { try? timebase.setTime(time) }
        layer.requestMediaDataWhenReady(on: queue) { [weak self] in self?.feedSamples() }
    }

    /// Drops what is queued; what comes next is in presentation order, or in any.
    private func flush(isInOrder: Bool) {
        layer.flush()
        sink.withLock { $0 }?.restart(isInOrder: isInOrder)
    }

    private func feedSamples() {
        while layer.isReadyForMoreMediaData {
            if hasNewWish { return layer.stopRequestingMediaData() }
            let last = lastRank
            let thinning = thinning
            do throws(StreamError) {
                let next = try samples.withLock { samples throws(StreamError) in
                    if let last { samples.end(after: last) }
                    return try samples.next(thinning)
                }
                switch next {
                case .sample(let sample):
                    chooseDecoder(for: sample)
                    layer.enqueue(sample)
                case .amended(let rank): if decodeAgain(from: rank) { return }
                case .interrupted: return
                case .end: return finishFeeding()
                }
            } catch {
                finishFeeding()
                if error != .cancelled { onEvent(.failed(error)) }
                return
            }
        }
    }

    /// Changes the decoder, where nothing is predicted across.
    private func chooseDecoder(for sample: CMSampleBuffer) {
        let attachments = sample.sampleAttachments[0]
        guard attachments[.notSync] != true, let rank = attachments[.token],
            let mode = patience.withLock({
                $0.change(before: Int(rank), isLive: liveClock.isLive)
            })
        else { return }
        layer.decodingMode = mode
        sample.attachments[.resetDecoderBeforeDecoding] = true
    }

    /// Takes note that the stream has stopped while the decoder may hold pictures back.
    ///
    /// - Parameter rank: The picture on show.
    /// - Returns: The picture to go to for those that it does hold; nil where there are none, or it is not worth the time.
    func rankHeldBack(behind rank: Int) -> Int? {
        guard rank < index.lastRank, isFed(for: 1),
            rank - index.firstRankDecodable(with: rank + 1) <= Self.decodedAgainLimit,
            patience.withLock({ $0.noteDry(count: index.summary.count) })
        else { return nil }
        return rank + 1
    }

    /// Pictures that are decoded once more at most, where one counted as complete too early.
    private static let decodedAgainLimit = 300

    /// Has decoded again what was decoded of half a picture, and what may have been predicted from it.
    ///
    /// - Returns: False where that is not worth the time: the damage lasts until the next random access point.
    private func decodeAgain(from rank: Int) -> Bool {
        guard rank - index.firstRankDecodable(with: rank) <= Self.decodedAgainLimit else {
            return false
        }
        // Until the player goes on nothing more of it is to be seen.
        try? timebase.setRate(0)
        layer.stopRequestingMediaData()
        layer.flush()
        onEvent(.amended(rank))
        return true
    }

    /// What is left out at the rate there is: at 4 times and more what is late already and helps no other
    /// picture, at 16 times and more all but random access points.
    private var thinning: SampleSource.Thinning {
        let (time, rate) = timebase.timeAndRate
        switch rate {
        case 16...: return .allButRandomAccess
        case 4...: return .lateNonReference(time)
        default: return .none
        }
    }

    // MARK: One picture

    private func show(_ rank: Int) {
        if cache.withLock({ $0[rank] }) == nil {
            let first = max(index.firstRankDecodable(with: rank), rank - capacity(at: rank) + 1)
            let decoded = pieces.decode(first...rank) { hasNewWish }
            if hasNewWish { return }
            cache.withLock { $0.insert(decoded, near: rank) }
        }
        // What cannot be decoded is answered by the nearest picture before it.
        let found = cache.withLock { $0.nearest(atOrBefore: rank) }
        flush(isInOrder: false)
        if let found {
            try? timebase.setTime(found.presentationTimeStamp)
            if let sample = found.sampleBuffer { layer.enqueue(sample) }
        }
        finishFeeding()
    }

    /// How many pictures like the one at `rank` the cache holds.
    private func capacity(at rank: Int) -> Int {
        let size = index.pictureByteCount(presentationRank: rank)
        return cache.withLock { $0.capacity(pictureByteCount: size) }
    }

    // MARK: Backwards

    private func goBackward(from rank: Int) {
        flush(isInOrder: false)
        if let time = time(ofRank: rank) { try? timebase.setTime(time) }
        let feed = BackwardFeed(
            pieces, index: index, ranks: min(firstBackwardRank, rank)...rank,
            pieceCount: max(1, (capacity(at: rank) - Self.layerCount) / 2), as: .native
        ) { [weak self] in self?.playingTime(of: $0) }
        let isCurrent = self.feed.withLock { state in
            guard state.wish == nil, !state.isStopped else { return false }
            state.backward = feed
            return true
        }
        guard isCurrent else { return feed.cancel() }
        layer.requestMediaDataWhenReady(on: queue) { [weak self] in self?.feedBackward(feed) }
    }

    /// Pictures of the budget that the layer holds until their time.
    private static let layerCount = 24

    /// How long a run of pictures is on show at the rate there is; nil where no clock runs.
    private func playingTime(of ranks: ClosedRange<Int>) -> Duration? {
        let rate = abs(timebase.rate)
        guard rate > 0, let first = time(ofRank: ranks.lowerBound),
            let last = index.entry(presentationRank: ranks.upperBound)
        else { return nil }
        let end = CMTime(
            value: last.entry.presentationTicks + Int64(last.entry.durationTicks),
            timescale: first.timescale)
        return .seconds((end - first).seconds / rate)
    }

    private func feedBackward(_ feed: BackwardFeed) {
        while layer.isReadyForMoreMediaData {
            if hasNewWish { return layer.stopRequestingMediaData() }
            guard let picture = feed.next() else {
                if !hasNewWish { finishFeeding() }
                return
            }
            if let sample = picture.sampleBuffer { layer.enqueue(sample) }
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
