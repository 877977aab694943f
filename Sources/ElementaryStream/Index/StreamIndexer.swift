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
        /// Whether pictures count as in order until one is seen that is not.
        public var isEager = false

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
    private var rule: SilenceRule?
    private var batch: [(entry: IndexEntry, known: StreamIndex.State.Early)] = []
    private var formats = FormatCache()
    private var newFormats: [StreamIndex.Format] = []
    private var newPoints: [StreamIndex.RandomAccessPoint] = []
    /// A recovery point that is not complete yet, with the frame_num that completes it.
    private var recovering: (point: StreamIndex.RandomAccessPoint, frameNum: Int)?
    private var recoveringOffset: Int64?
    private var shown = 0
    private var hasFlushedShown = false
    /// Nanoseconds that the reader had waited for its writer at the last unit.
    private var lastWaited: UInt64 = 0
    /// Units that still count as just made, since the reader had to wait for one.
    private var freshCount = 0
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
        rule = source.silence.map { SilenceRule(least: $0) }
        sequence = AccessUnitSequence(
            source, rate: options.rate, lookahead: isPipe ? 0 : 32, isEager: options.isEager)
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
            reading: while true {
                switch try sequence.step(patience: rule?.patience) {
                case .end: break reading
                case .pause:
                    if !batch.isEmpty {
                        guard flush(isComplete: false) else { return }
                    }
                    let isNew = try enterUnitsUnderWay()
                    if sequence.isInPadding, !passPadding() { return }
                    guard isNew else { continue }
                case .unit(let unit):
                    try append(unit)
                    rule?.pass(sliceCount: unit.accessUnit.sliceCount)
                    guard batch.count >= Self.batchCount || isEachOfUse() else { continue }
                    guard flush(isComplete: false) else { return }
                }
                onProgress()
            }
            _ = flush(isComplete: true)
        } catch {
            _ = flush(isComplete: true, failure: error)
        }
        onProgress()
    }

    /// Whether somebody may wait for each unit: for the first one, and where the stream is read as it is made.
    private mutating func isEachOfUse() -> Bool {
        let waited = source.waitedNanoseconds
        freshCount = waited > lastWaited ? Self.batchCount : max(freshCount - 1, 0)
        lastWaited = waited
        return !hasFlushedShown || !source.keepsAll || freshCount > 0
    }

    private mutating func append(_ unit: TimedAccessUnit) throws(StreamError) {
        var ticks = nextTicks
        try enter(placed(unit, at: &ticks))
        nextTicks = ticks
    }

    /// The unit as the options want it.
    private func placed(_ unit: TimedAccessUnit, at ticks: inout Int64) -> TimedAccessUnit {
        var timed = unit
        if options.showsAll { timed.isShown = true }
        if options.isInDecodingOrder {
            timed.presentationRank = timed.decodeRank
            timed.presentationTicks = ticks
            ticks += timed.durationTicks
        }
        return timed
    }

    /// Indexes, for the time being, the units that are complete if the stream pauses between two of them.
    ///
    /// - Returns: Whether there are any.
    private mutating func enterUnitsUnderWay() throws(StreamError) -> Bool {
        var ticks = nextTicks
        var early: [(IndexEntry, StreamIndex.State.Early)] = []
        let known = formats.descriptions.count
        var earlyFormats: [StreamIndex.Format] = []
        var earlyShown = 0
        let sliceCount = sequence.isInPadding ? 0 : rule?.sliceCount ?? 1
        let underWay = sequence.unitsUnderWay(sliceCount: sliceCount)
        for unit in underWay.units {
            let timed = placed(unit, at: &ticks)
            let format = try formats.index(forUnitAhead: timed.accessUnit)
            if formats.descriptions.count > known + earlyFormats.count {
                earlyFormats.append(
                    .init(
                        description: formats.descriptions[format],
                        parameterSets: timed.accessUnit.parameterSets))
            }
            early.append((IndexEntry(timed, format: UInt16(format)), .init(timed.accessUnit)))
            if timed.isShown { earlyShown += 1 }
        }
        guard !early.isEmpty else { return false }
        let (rate, offset) = (underWay.rate, sequence.offset)
        let depth = options.isInDecodingOrder ? 0 : underWay.reorderDepth
        let isMistaken = index.state.update { [early, earlyFormats, shown, earlyShown] state in
            state.formats.append(contentsOf: earlyFormats)
            state.rate = state.rate ?? rate
            state.reorderDepth = max(state.reorderDepth, depth)
            state.shownCount = shown + earlyShown
            state.offset = offset
            return state.enter([], early: early)
        }
        if isMistaken { rule?.noteMistake() }
        return true
    }

    /// Lets go of padding without end, once the player has taken all that stands before it.
    ///
    /// - Returns: False when the index was cancelled.
    private func passPadding() -> Bool {
        guard !source.keepsAll else { return true }
        let isTaken = index.state.wait { state -> Bool? in
            if state.isCancelled { return false }
            return state.isAwaited ? true : nil
        }
        if recovering == nil { source.release(before: sequence.offset) }
        return isTaken ?? false
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
        batch.append((IndexEntry(timed, format: UInt16(format)), .init(timed.accessUnit)))
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
            (recovering, recoveringOffset) = (nil, nil)
            return
        case .recoveryPoint(let count):
            let modulus = unit.sequenceParameterSet.maximumFrameNum
            if recovering == nil {
                recoveringOffset = unit.byteRange.lowerBound
                recovering = (point, (unit.frameNum + count) % modulus)
            }
        case .intra, .none: break
        }
        guard let pending = recovering, pending.frameNum == unit.frameNum, unit.referenceIDC != 0
        else { return }
        point.decodeRank = pending.point.decodeRank
        newPoints.append(point)
        (recovering, recoveringOffset) = (nil, nil)
    }

    /// Hands over what is new.
    ///
    /// - Returns: False when the index was cancelled.
    private mutating func flush(isComplete: Bool, failure: StreamError? = nil) -> Bool {
        let rate = sequence.rate
        let (depth, nals, offset) = (
            options.isInDecodingOrder ? 0 : sequence.reorderDepth, sequence.nalUnitCount,
            sequence.offset
        )
        let (isCancelled, isMistaken) = index.state.update {
            [batch, newFormats, newPoints, shown, damaged] state in
            let isMistaken = state.enter(batch, early: isComplete ? [] : nil)
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
            return (state.isCancelled, isMistaken)
        }
        if isMistaken { rule?.noteMistake() }
        hasFlushedShown = shown > 0
        if shown == 0, let last = batch.last {
            // Nobody will go back before where decoding may begin.
            source.release(before: recoveringOffset ?? last.entry.offset)
        }
        batch.removeAll(keepingCapacity: true)
        newFormats.removeAll(keepingCapacity: true)
        newPoints.removeAll(keepingCapacity: true)
        if isCancelled { return false }
        guard !source.keepsAll, !isComplete else { return true }
        // What is read of a pipe is kept in memory until the player is past it.
        return index.state.wait { state -> Bool? in
            if state.isCancelled { return false }
            if state.isAwaited { return true }
            return offset - state.consumerOffset < Self.pipeAheadByteCount ? true : nil
        } ?? false
    }
}
