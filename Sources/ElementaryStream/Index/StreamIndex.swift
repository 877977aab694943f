import H264
public import MediaTime
import SampleBuffers

/// Every access unit of a stream as far as it has been read: where it stands, when it is presented.
///
/// One thread appends (``StreamIndexer``), any thread asks, and can wait for what is not read yet.
public final class StreamIndex: Sendable {
    /// Parameter sets that were in force somewhere.
    struct Format {
        var description: CMFormatDescription
        /// The same, to parse on from a place in mid-stream.
        var parameterSets: ActiveParameterSets
    }

    /// A place where decoding can begin.
    struct RandomAccessPoint {
        var decodeRank: Int
        /// The access unit with which it is complete.
        var completeDecodeRank: Int
        /// Later access units are whole if they are presented no earlier than this rank.
        var firstShownRank: Int
    }

    struct State {
        /// The last ``early`` of them are early.
        var entries: [IndexEntry] = []
        /// The highest presentation rank among those that are certain, -1 for none.
        var certainLastRank = -1
        /// Up to which rank the certain ones are all there.
        var frontier = RankFrontier()
        /// What early entries are known by: complete only if the stream goes on with another access unit.
        var early: [Early] = []
        /// Where the last NAL unit of the last certain entry ends.
        var lastEnd: Int64 = 0
        /// The ends of entries behind which there is much padding, by decode rank.
        var paddedEnds: [Int: Int64] = [:]
        /// The player has taken the entries before this one.
        var consumedRank = 0
        /// The first access unit that the player took and that has turned out to be another.
        var amendedRank: Int?
        /// The early entry that could not be decoded.
        var refusedRank: Int?
        var formats: [Format] = []
        var randomAccessPoints: [RandomAccessPoint] = []
        var rate: PictureRate?
        var reorderDepth = 0
        var shownCount = 0
        var damagedCount = 0
        var nalUnitCount = 0
        /// Bytes read so far.
        var offset: Int64 = 0
        var isComplete = false
        var failure: StreamError?
        var interruptions = 0
        /// Where the player reads: a pipe is not indexed far ahead of it.
        var consumerOffset: Int64 = 0
        var isCancelled = false

        /// The highest presentation rank, -1 for none.
        var lastRank: Int {
            entries.suffix(early.count).reduce(certainLastRank) {
                max($0, Int($1.presentationRank))
            }
        }

        /// How many pictures there are, in presentation order, before the first one that may yet come.
        var wholeCount: Int {
            guard !isComplete else { return lastRank + 1 }
            var count = frontier.rank
            let ranks = entries.suffix(early.count).map { Int($0.presentationRank) }
            while frontier.contains(count) || ranks.contains(count) { count += 1 }
            return count
        }
    }

    let state = Monitor(State())

    /// A size for an estimate of the total before all is read.
    private let byteCount: Int64?

    /// An empty index of a stream of `byteCount` bytes, where that is known.
    public init(byteCount: Int64?) { self.byteCount = byteCount }

    /// What is known of the whole stream at this moment.
    public struct Summary: Sendable {
        /// Access units indexed.
        public var count: Int
        /// Those of them that are shown.
        public var shownCount: Int
        /// Whether that is all there are.
        public var isComplete: Bool
        /// NAL units read.
        public var nalUnitCount: Int
        /// The number there will probably be.
        public var estimatedCount: Int?
        /// Where the presentation ends, in ticks, as far as indexed.
        public var endTicks: Int64
        /// The picture rate, with the time scale.
        public var rate: PictureRate
        /// What reading failed with.
        public var failure: StreamError?
    }

    /// The state of the index now.
    public var summary: Summary {
        state.withLock { state in
            var estimate: Int?
            if !state.isComplete, let byteCount, state.offset > 0, !state.entries.isEmpty {
                estimate = Int(
                    Double(state.entries.count) * Double(byteCount) / Double(state.offset))
            }
            return Summary(
                count: state.entries.count, shownCount: state.shownCount,
                isComplete: state.isComplete, nalUnitCount: state.nalUnitCount,
                estimatedCount: estimate,
                endTicks: Self.endTicks(state), rate: state.rate ?? .default,
                failure: state.failure)
        }
    }

    /// The first picture in presentation order that is shown; nil where none is indexed.
    public var firstShownRank: Int? {
        state.withLock { state in
            guard let first = state.entries.firstIndex(where: \.isShown) else { return nil }
            // Shown pictures decoded later may come before it, but not by more than the reordering.
            return state.entries[first...].prefix(64).filter(\.isShown)
                .map { Int($0.presentationRank) }.min()
        }
    }

    /// The last picture indexed in presentation order before which none is missing, -1 where there is none.
    public var lastRank: Int { state.withLock { $0.wholeCount - 1 } }

    /// What has been indexed since there were `count` access units.
    public struct News: Sendable {
        /// How many there are now.
        public var count: Int
        /// How many of them are new.
        public var added: Int
        /// The earliest time at which one of them that is shown must be there: so long before its presentation that what
        /// comes on time after it is not late, as far as reordering has been seen; nil where none is shown.
        public var decodeTime: CMTime?
        /// How long that is presented.
        public var duration: CMTime
        /// Where the presentation ends of all pictures before which none is missing; nil where there is none.
        public var wholeEnd: CMTime?
        /// Whether the player had taken all that was there before.
        public var isAwaited: Bool
        /// Whether nothing comes any more.
        public var isComplete = false

        /// News of a stream.
        package init(
            count: Int, added: Int, decodeTime: CMTime?, duration: CMTime, isAwaited: Bool
        ) {
            (self.count, self.added, self.isAwaited) = (count, added, isAwaited)
            (self.decodeTime, self.duration) = (decodeTime, duration)
        }
    }

    /// What has been indexed since there were `count` access units.
    public func news(from count: Int) -> News {
        state.withLock { state in
            var first: (ticks: Int64, duration: UInt32)?
            for rank in min(count, state.entries.count)..<state.entries.count
            where state.entries[rank].isShown {
                let entry = state.entries[rank]
                let distance =
                    Int64(entry.presentationRank) + Int64(state.reorderDepth - rank)
                let ticks =
                    entry.presentationTicks - max(distance, 0) * Int64(entry.durationTicks)
                if ticks < first?.ticks ?? .max { first = (ticks, entry.durationTicks) }
            }
            let timescale = (state.rate ?? .default).timescale
            var news = News(
                count: state.entries.count, added: state.entries.count - count,
                decodeTime: first.map { CMTime(value: $0.ticks, timescale: timescale) },
                duration: CMTime(value: Int64(first?.duration ?? 1), timescale: timescale),
                isAwaited: state.consumedRank >= count)
            if news.added > 0, let last = Self.decodeRank(state, of: state.wholeCount - 1) {
                let entry = state.entries[last]
                news.wholeEnd = CMTime(
                    value: entry.presentationTicks + Int64(entry.durationTicks),
                    timescale: timescale)
            }
            news.isComplete = state.isComplete
            return news
        }
    }

    /// What is known of the stream, in lines for people.
    public var facts: [String] {
        let summary = summary
        return state.withLock { state in
            guard let sps = state.formats.first?.parameterSets.sequenceParameterSet else {
                return []
            }
            let rate = summary.rate.fraction
            let size = sps.croppedSize
            let ratio = sps.sampleAspectRatio ?? (1, 1)
            let interlaced = state.entries.prefix(64).contains { $0.structure != .frame }
            return [
                "profile      \(sps.profileName)",
                "level        \(sps.levelName)",
                "size         \(size.width)x\(size.height), SAR \(ratio.width):\(ratio.height)",
                "bit depth    \(sps.bitDepthLuma)",
                "scan         \(interlaced ? "interlaced" : "progressive")",
                "pictures/s   \(rate.numerator)/\(rate.denominator) (\(summary.rate.source.rawValue))",
                "pictures     \(summary.count)\(summary.isComplete ? "" : " so far")",
                "access pts   \(state.randomAccessPoints.count)",
                "reorder      \(state.reorderDepth)",
                "NAL units    \(state.nalUnitCount)",
                "bytes        \(state.offset)",
            ]
        }
    }

    private static func endTicks(_ state: State) -> Int64 {
        // The last picture presented is among the last decoded.
        state.entries.suffix(64).reduce(0) {
            max($0, $1.presentationTicks + Int64($1.durationTicks))
        }
    }

    /// The entry of an access unit by its decode rank, nil where it is not indexed.
    public func entry(decodeRank: Int) -> IndexEntry? {
        state.withLock { state in
            state.entries.indices.contains(decodeRank) ? state.entries[decodeRank] : nil
        }
    }

    /// The entry of a picture by its presentation rank, with its decode rank; nil where it is not indexed.
    public func entry(presentationRank: Int) -> (decodeRank: Int, entry: IndexEntry)? {
        state.withLock { state in
            guard let rank = Self.decodeRank(state, of: presentationRank) else { return nil }
            return (rank, state.entries[rank])
        }
    }

    /// Looks around the place where the picture would be without reordering: it is near.
    static func decodeRank(_ state: State, of presentationRank: Int) -> Int? {
        let count = state.entries.count
        guard 0...max(state.lastRank, 0) ~= presentationRank, count > 0 else { return nil }
        let wanted = UInt32(truncatingIfNeeded: presentationRank)
        var (down, up) = (min(presentationRank, count - 1), presentationRank + 1)
        while down >= 0 || up < count {
            if down >= 0, state.entries[down].presentationRank == wanted { return down }
            if up < count, state.entries[up].presentationRank == wanted { return up }
            down -= 1
            up += 1
        }
        return nil
    }

    /// The bytes of the decoded picture of a presentation rank, in the decoder's own format, about.
    public func pictureByteCount(presentationRank: Int) -> Int {
        state.withLock { state in
            guard let rank = Self.decodeRank(state, of: presentationRank) else { return 1 }
            let sps = state.formats[Int(state.entries[rank].format)].parameterSets
                .sequenceParameterSet
            let luma = sps.codedSize.width * sps.codedSize.height
            let chroma =
                sps.chromaFormatIDC == 3 ? 2 * luma : sps.chromaFormatIDC == 2 ? luma : luma / 2
            return (luma + chroma) * (max(sps.bitDepthLuma, sps.bitDepthChroma) > 8 ? 2 : 1)
        }
    }

    /// The first picture in presentation order that one decoding, from the random access point for `rank`, gives
    /// together with it.
    public func firstRankDecodable(with rank: Int) -> Int {
        state.withLock { state in
            guard let target = Self.decodeRank(state, of: rank) else { return rank }
            let point = SampleSource.randomAccessPoint(state, before: target, rank: rank)
            return min(rank, point?.firstShownRank ?? 0)
        }
    }

    /// The random access point before or behind the picture of a presentation rank: the rank of the picture
    /// that it begins to show.
    ///
    /// - Parameters:
    ///   - rank: A presentation rank.
    ///   - steps: How many points on, or back where negative.
    /// - Returns: Nil where there are not so many indexed.
    public func randomAccessRank(from rank: Int, steps: Int) -> Int? {
        state.withLock { state in
            let ranks = state.randomAccessPoints.map(\.firstShownRank)
            if steps > 0 {
                let later = ranks.filter { $0 > rank }
                return later.count >= steps ? later[steps - 1] : nil
            }
            let earlier = ranks.filter { $0 < rank }
            return earlier.count >= -steps ? earlier[earlier.count + steps] : nil
        }
    }

    /// The presentation rank of the last picture that begins at or before `ticks`; 0 before the first.
    ///
    /// - Returns: Nil where nothing is indexed.
    public func presentationRank(atTicks ticks: Int64) -> Int? {
        state.withLock { state in
            var (low, high) = (0, state.entries.count)
            guard high > 0 else { return nil }
            // Invariant: rank `low` begins at or before, rank `high` after.
            while high - low > 1 {
                let middle = (low + high) / 2
                guard let rank = Self.decodeRank(state, of: middle),
                    state.entries[rank].presentationTicks <= ticks
                else {
                    high = middle
                    continue
                }
                low = middle
            }
            return low
        }
    }

    /// Waits until `isEnough` is true of the index, its end or an interruption.
    ///
    /// - Returns: Whether it became true.
    @discardableResult
    public func wait(until isEnough: (Summary) -> Bool) -> Bool {
        wait(afterInterruption: interruptions, until: isEnough)
    }

    /// Interruptions so far.
    var interruptions: Int { state.withLock { $0.interruptions } }

    /// Waits as ``wait(until:)`` does; any interruption after the one with this number ends it, also one that came before.
    func wait(afterInterruption number: Int, until isEnough: (Summary) -> Bool) -> Bool {
        while true {
            let now = summary
            if isEnough(now) { return true }
            if now.isComplete || now.failure != nil { return false }
            let isInterrupted = state.wait { state -> Bool? in
                if state.interruptions != number || state.isCancelled { return true }
                if state.amendedRank != nil { return true }
                return state.entries.count != now.count || state.isComplete ? false : nil
            }
            if isInterrupted ?? false { return false }
        }
    }

    /// Makes every wait end: the player wants something else.
    public func interrupt() { state.update { $0.interruptions += 1 } }

    /// Ends the indexer, and every wait for ever.
    public func cancel() { state.update { $0.isCancelled = true } }
}
