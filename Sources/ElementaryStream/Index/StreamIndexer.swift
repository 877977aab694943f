import H264
import MediaTime
import SampleBuffers

/// Fills an index in one pass over the stream.
public struct StreamIndexer: ~Copyable {
    /// Entries that go into the index at a time.
    private static let batchCount = 128
    /// Bytes that a pipe is read ahead of the player.
    private static let pipeAheadByteCount: Int64 = 8 << 20

    /// How a stream is put in order for a player.
    public struct Options: Sendable {
        /// The picture rate, in place of the stream's.
        public var rate: PictureRate?
        /// Whether pictures are presented as they are coded.
        public var isInDecodingOrder = false
        /// Whether what comes before the first random access point is shown too.
        public var showsAll = false

        /// The stream's own order and rate; what can be decoded.
        public init(rate: PictureRate? = nil) { self.rate = rate }
    }

    private let index: StreamIndex
    private let options: Options
    /// In decoding order: the time of the next access unit.
    private var nextTicks: Int64 = 0
    private let source: any ByteSource
    private let isPipe: Bool
    private var sequence: AccessUnitSequence
    private var batch: [IndexEntry] = []
    private var formats = FormatCache()
    private var newFormats: [StreamIndex.Format] = []
    private var newPoints: [StreamIndex.RandomAccessPoint] = []
    /// A recovery point that is not complete yet, with the frame_num that completes it.
    private var recovering: (point: StreamIndex.RandomAccessPoint, frameNum: Int)?
    private var shown = 0
    private var hasFlushedShown = false
    private var damaged = 0

    /// Looks at what the stream is, then indexes it to its end; a failure is told by the index.
    ///
    /// - Parameters:
    ///   - index: The index to fill.
    ///   - source: The stream.
    ///   - options: How it is put in order.
    ///   - onProgress: Called on this thread when there is more in the index.
    public static func fill(
        _ index: StreamIndex, from source: any ByteSource, options: Options,
        onProgress: () -> Void
    ) {
        do throws(StreamError) {
            try ForeignFormat.refuse(source)
            var indexer = StreamIndexer(index, source, options: options)
            indexer.run(onProgress: onProgress)
        } catch {
            index.state.update { state in
                state.failure = error
                state.isComplete = true
            }
            onProgress()
        }
    }

    /// - Parameters:
    ///   - index: The index to fill.
    ///   - source: The stream.
    ///   - options: How it is put in order.
    public init(_ index: StreamIndex, _ source: any ByteSource, options: Options) {
        self.options = options
        self.index = index
        self.source = source
        isPipe = source.byteCount == nil
        sequence = AccessUnitSequence(
            source, rate: options.rate, lookahead: isPipe ? 0 : 32)
    }

    /// - Parameters:
    ///   - index: The index to fill.
    ///   - source: The stream.
    ///   - rate: The picture rate, in place of the stream's.
    public init(_ index: StreamIndex, _ source: any ByteSource, rate: PictureRate?) {
        self.init(index, source, options: Options(rate: rate))
    }

    /// Reads the stream to its end, or until the index is cancelled.
    ///
    /// - Parameter onProgress: Called on this thread when there is more in the index.
    public mutating func run(onProgress: () -> Void) {
        do throws(StreamError) {
            while let unit = try sequence.next() {
                try append(unit)
                if batch.count >= Self.batchCount || isPipe || !hasFlushedShown {
                    guard flush(isComplete: false) else { return }
                    onProgress()
                }
            }
            _ = flush(isComplete: true)
        } catch {
            _ = flush(isComplete: true, failure: error)
        }
        onProgress()
    }

    private mutating func append(_ unit: TimedAccessUnit) throws(StreamError) {
        var timed = unit
        if options.showsAll { timed.isShown = true }
        if options.isInDecodingOrder {
            timed.presentationRank = timed.decodeRank
            timed.presentationTicks = nextTicks
            nextTicks += timed.durationTicks
        }
        try enter(timed)
    }

    private mutating func enter(_ timed: TimedAccessUnit) throws(StreamError) {
        let unit = timed.accessUnit
        let known = formats.descriptions.count
        let format = try formats.index(for: unit)
        if formats.descriptions.count > known {
            newFormats.append(
                .init(
                    description: formats.descriptions[format], parameterSets: unit.parameterSets))
        }
        batch.append(IndexEntry(timed, format: UInt16(format)))
        if timed.isShown { shown += 1 }
        if timed.isDamaged { damaged += 1 }
        noteRandomAccess(timed)
    }

    private mutating func noteRandomAccess(_ timed: TimedAccessUnit) {
        let unit = timed.accessUnit
        var point = StreamIndex.RandomAccessPoint(
            decodeRank: timed.decodeRank, completeDecodeRank: timed.decodeRank,
            firstShownRank: timed.presentationRank)
        switch unit.randomAccess {
        case .idr:
            newPoints.append(point)
            recovering = nil
            return
        case .recoveryPoint(let count):
            let modulus = unit.sequenceParameterSet.maximumFrameNum
            if recovering == nil {
                recovering = (point, (unit.frameNum + count) % modulus)
            }
        case .intra, .none: break
        }
        guard let pending = recovering, pending.frameNum == unit.frameNum, unit.referenceIDC != 0
        else { return }
        point.decodeRank = pending.point.decodeRank
        newPoints.append(point)
        recovering = nil
    }

    /// Hands over what is new.
    ///
    /// - Returns: False when the index was cancelled.
    private mutating func flush(isComplete: Bool, failure: StreamError? = nil) -> Bool {
        let rate = sequence.rate
        let (depth, nals, offset) = (
            sequence.reorderDepth, sequence.nalUnitCount, sequence.offset
        )
        let isCancelled = index.state.update {
            [batch, newFormats, newPoints, shown, damaged] state in
            state.append(batch)
            state.formats.append(contentsOf: newFormats)
            state.randomAccessPoints.append(contentsOf: newPoints)
            state.rate = state.rate ?? rate
            state.reorderDepth = depth
            state.shownCount = shown
            state.damagedCount = damaged
            state.nalUnitCount = nals
            state.offset = offset
            state.isComplete = isComplete
            state.failure = failure
            return state.isCancelled
        }
        hasFlushedShown = shown > 0
        batch.removeAll(keepingCapacity: true)
        newFormats.removeAll(keepingCapacity: true)
        newPoints.removeAll(keepingCapacity: true)
        if isCancelled { return false }
        guard isPipe, !isComplete else { return true }
        // What is read of a pipe is kept in memory until the player is past it.
        return index.state.wait { state -> Bool? in
            if state.isCancelled { return false }
            return offset - state.consumerOffset < Self.pipeAheadByteCount ? true : nil
        } ?? false
    }
}
