import H264
public import MediaTime
public import SampleBuffers

/// A stream as sample buffers in decoding order, from any picture on: what a display layer is fed from.
///
/// Not thread safe: one queue, the reader's, owns it. It takes times from the index, so that a picture
/// has the same time and number however it was reached.
public final class SampleSource {
    /// What is left out when a player cannot or need not show everything.
    public enum Thinning: Sendable {
        /// Nothing.
        case none
        /// Pictures that no other is predicted from, where they are over before this time.
        case lateNonReference(CMTime)
        /// All but random access points.
        case allButRandomAccess
    }

    /// What ``next()`` found.
    public enum Next {
        /// The next sample, in decoding order.
        case sample(CMSampleBuffer)
        /// There are no more up to the last picture asked for.
        case end
        /// An access unit that was given, or a later one, was not complete when it was: what has been decoded since is
        /// wrong. With the rank of its picture in presentation order.
        case amended(Int)
        /// The index was interrupted while waiting for more of the stream.
        case interrupted
    }

    private let source: any ByteSource
    private let index: StreamIndex
    private var reader: AccessUnitReader?
    private var decodeRank = 0
    /// Earlier pictures are decoded, not displayed.
    private var firstRank = 0
    /// Later pictures are not displayed; when all up to it are delivered the source is at its end.
    private var lastRank = Int.max
    private var lastDecodeRank: Int?
    /// Pictures that begin at it or later are not displayed either.
    private var endTime = CMTime.positiveInfinity
    /// The interruption of the index that a seek has answered: later ones end the wait for a sample, whenever they come.
    private var interruption = 0

    /// A source that begins with the first picture.
    public init(_ source: any ByteSource, index: StreamIndex) {
        self.source = source
        self.index = index
    }

    /// Ends with the picture of this presentation rank.
    public func end(after presentationRank: Int) {
        lastRank = presentationRank
        lastDecodeRank = nil
    }

    /// Displays nothing that begins at `time` or later, also before it is known which picture that is.
    public func end(before time: CMTime) { endTime = time }

    /// Goes to a picture: the next sample is the random access point from which it can be decoded, and what
    /// comes before it in presentation order is marked DoNotDisplay.
    ///
    /// - Parameter presentationRank: An indexed picture.
    /// - Returns: Its time, nil where the picture is not indexed.
    @discardableResult
    public func seek(toPresentationRank presentationRank: Int) -> CMTime? {
        interruption = index.interruptions
        let found = index.state.withLock { state -> (Int, ParameterSets, Int64, CMTime)? in
            guard let target = StreamIndex.decodeRank(state, of: presentationRank) else {
                return nil
            }
            let point = Self.randomAccessPoint(state, before: target, rank: presentationRank)
            let start = point?.decodeRank ?? 0
            let entry = state.entries[start]
            let time = CMTime(
                value: state.entries[target].presentationTicks,
                timescale: (state.rate ?? .default).timescale)
            return (start, Self.parameterSets(state, at: entry), entry.offset, time)
        }
        guard let (start, parameterSets, offset, time) = found else { return nil }
        decodeRank = start
        firstRank = presentationRank
        // At the first unit the parser sees all for itself.
        reader =
            start == 0
            ? AccessUnitReader(source, from: offset, packs: true)
            : AccessUnitReader(
                source, from: offset, parameterSets: parameterSets, packs: true)
        return time
    }

    /// The parameter sets to begin with at an entry: those in force, and those in force before it, which may be
    /// used again without being sent again.
    private static func parameterSets(
        _ state: StreamIndex.State, at entry: IndexEntry
    ) -> ParameterSets {
        var sets = ParameterSets()
        let earlier = state.formats.prefix(Int(entry.format) + 1)
        for active in earlier.map(\.parameterSets) + [
            state.formats[Int(entry.format)].parameterSets
        ] {
            sets.insert(active.sequenceParameterSet.bytes)
            sets.activate(active.sequenceParameterSet.id)
            for set in active.pictureParameterSets { sets.insert(set.bytes) }
        }
        return sets
    }

    /// The last place from which the picture can be decoded whole.
    static func randomAccessPoint(
        _ state: StreamIndex.State, before target: Int, rank: Int
    ) -> StreamIndex.RandomAccessPoint? {
        let points = state.randomAccessPoints
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].completeDecodeRank <= target {
                low = middle + 1
            } else {
                high = middle
            }
        }
        while low > 0 {
            low -= 1
            if points[low].firstShownRank <= rank { return points[low] }
        }
        return nil
    }

    /// The next sample in decoding order; waits for the index to have it.
    ///
    /// - Parameter thinning: What is left out.
    /// - Returns: The sample, or why there is none.
    /// - Throws: What reading throws.
    public func next(_ thinning: Thinning = .none) throws(StreamError) -> Next {
        if case .allButRandomAccess = thinning { skipToRandomAccessPoint() }
        while true {
            let (next, isReference) = try read()
            if case .lateNonReference(let time) = thinning, !isReference,
                case .sample(let sample) = next,
                sample.presentationTimeStamp + sample.duration < time
            {
                continue
            }
            return next
        }
    }

    /// Goes on to the next random access point that is indexed, where one is.
    private func skipToRandomAccessPoint() {
        let rank = decodeRank
        let found = index.state.withLock { state -> (Int, Int, Int64, ParameterSets)? in
            let points = state.randomAccessPoints
            var (low, high) = (0, points.count)
            while low < high {
                let middle = (low + high) / 2
                if points[middle].decodeRank < rank { low = middle + 1 } else { high = middle }
            }
            guard low < points.count, points[low].decodeRank > rank else { return nil }
            let entry = state.entries[points[low].decodeRank]
            return (
                points[low].decodeRank, points[low].firstShownRank, entry.offset,
                Self.parameterSets(state, at: entry)
            )
        }
        guard let (start, shown, offset, sets) = found else { return }
        decodeRank = start
        firstRank = max(firstRank, shown)
        reader = AccessUnitReader(source, from: offset, parameterSets: sets, packs: true)
    }

    private func read() throws(StreamError) -> (Next, isReference: Bool) {
        if let amended = takeAmendment() { return (.amended(amended), true) }
        if let last = lastDecodeRank, decodeRank > last { return (.end, true) }
        var entry: IndexEntry?
        let rank = decodeRank
        if !index.wait(afterInterruption: interruption, until: { $0.count > rank }) {
            let summary = index.summary
            if summary.count <= rank {
                if let failure = summary.failure { throw failure }
                if let amended = takeAmendment() { return (.amended(amended), true) }
                return (summary.isComplete ? .end : .interrupted, true)
            }
        }
        var format: CMFormatDescription?
        var timescale: Int32 = 1
        var depth = 0
        var end: Int64?
        let isGrowing = source.byteCount == nil
        index.state.withLock { state in
            entry = state.entries[rank]
            format = entry.map { state.formats[Int($0.format)].description }
            timescale = (state.rate ?? .default).timescale
            depth = state.reorderDepth
            if isGrowing { end = state.end(ofDecodeRank: rank) }
            if lastRank != .max, lastDecodeRank == nil { findLast(state) }
        }
        guard let entry, let format else { return (.end, true) }
        if let last = lastDecodeRank, decodeRank > last { return (.end, true) }
        if reader == nil {
            reader = AccessUnitReader(source, from: entry.offset, packs: true)
        }
        let start = entry.offset
        if isGrowing { reader?.skip(to: start) }
        var found: AccessUnitReader.Unit?
        if let end {
            found = try reader?.next(endingBefore: end)
        } else {
            found = try reader?.next()
        }
        guard let unit = found else { return (.end, true) }
        decodeRank += 1
        source.release(before: start)
        index.state.update { state in
            state.consumerOffset = max(state.consumerOffset, start)
            state.consumedRank = max(state.consumedRank, rank + 1)
        }
        let presentationRank = Int(entry.presentationRank)
        let time = CMTime(value: entry.presentationTicks, timescale: timescale)
        guard let payload = unit.payload,
            let sample = AccessUnitSampler.sample(
                of: payload, entry: entry, decodeRank: rank, format: format,
                timescale: timescale,
                decodeTicks: entry.presentationTicks
                    - Int64(presentationRank - rank + depth) * Int64(entry.durationTicks),
                isDisplayed: entry.isShown && presentationRank >= firstRank
                    && presentationRank <= lastRank && time < endTime)
        else { throw .sample(offset: start) }
        return (.sample(sample), entry.isReference)
    }

    /// What the index has learnt of units that were given already.
    private func takeAmendment() -> Int? {
        let taken = decodeRank
        return index.state.withLock { state in
            guard let rank = state.amendedRank else { return nil }
            state.amendedRank = nil
            guard rank < taken, rank < state.entries.count else { return nil }
            return Int(state.entries[rank].presentationRank)
        }
    }

    /// Where decoding may end: behind the last picture presented up to `lastRank`.
    private func findLast(_ state: StreamIndex.State) {
        // Sums that a rank from the command line cannot overflow: beyond the end, the end counts.
        let count = state.entries.count
        let last = min(lastRank, count + 64)
        let end = last + state.reorderDepth + 17
        let first = min(max(0, last - 64), count)
        // Of a stream that goes on the end may be wanted: all up to it are there, and nothing later helps.
        let isThere = {
            let ranks = state.entries[first...].lazy.map { Int($0.presentationRank) }
            return ranks.count { (first...last).contains($0) } == last - first + 1
        }
        guard state.isComplete || end < count || (last >= first && isThere()) else { return }
        lastDecodeRank =
            (first..<max(first, min(end, count))).last {
                Int(state.entries[$0].presentationRank) <= lastRank
            } ?? count - 1
    }
}
