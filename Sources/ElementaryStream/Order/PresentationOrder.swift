/// Turns decoding order into presentation ranks and time stamps (H.264 8.2.1, C.4; `media-api.md` 5.10).
///
/// Access units go in and come out in decoding order. Each waits until its rank among all is fixed:
/// until more pictures than the stream may reorder wait beside it, so that none with a smaller
/// picture order count can come (the bumping of C.4.5.3), or its coded video sequence ends.
package struct PresentationOrder<Payload> {
    /// When and as which a picture is presented; ticks of the stream's ``PictureRate/timescale``.
    package struct Stamp: Hashable {
        package var decodeRank: Int
        package var presentationRank: Int
        package var presentationTicks: Int64
        package var decodeTicks: Int64
        package var durationTicks: Int64
    }

    private struct Entry {
        var payload: Payload
        var pictureOrderCount: Int
        var duration: Int64
        var rank = -1
        var presentationTicks: Int64 = 0
    }

    /// Access units held back at the start, from which the reorder depth is seen.
    private let lookahead: Int
    /// Bytes that are held back for it at most.
    private static var lookaheadByteCount: Int { 24 << 20 }
    private var byteCount = 0
    /// In decoding order; those before `head` have gone out.
    private var entries: [Entry] = []
    private var head = 0
    private var headDecodeRank = 0
    /// Indices into `entries` of those without a rank, by picture order count.
    private var waiting: [Int] = []
    private var nextRank = 0
    private var nextTicks: Int64 = 0
    private var isFinished = false
    /// Presentation times of the newest ranks, from rank `firstRecentRank` on.
    private var recentTicks: [Int64] = []
    private var firstRecentRank = 0

    /// The largest picture order count that has a rank.
    private var lastOut = Int.min
    /// The picture order count that was given a rank last in this coded video sequence.
    private var lastRanked: Int?
    /// The least distance between the counts of two pictures that follow each other; 0 while it is not known.
    private var step = 0
    /// Pictures that came when their place was taken.
    private var lateDepth = 0
    /// Pictures whose durations are those of others that have not come.
    private static var presumedCount: Int { 16 }

    /// The decode time of the unit that went out last.
    private var lastDecodeTicks = Int64.min

    /// The largest number of pictures seen to be decoded before one and presented after it.
    package private(set) var reorderDepth = 0
    /// Pictures that have gone in.
    package private(set) var count = 0

    package init(lookahead: Int) { self.lookahead = lookahead }

    /// Takes the next access unit in decoding order.
    ///
    /// - Parameters:
    ///   - payload: What comes out again beside its stamp.
    ///   - pictureOrderCount: The smaller of its fields'.
    ///   - beginsSequence: Whether picture order counts begin anew with it.
    ///   - bound: How many pictures the stream may present after one that is decoded later (5.7).
    ///   - isEager: Whether of these only so many are waited for as have been seen to come late.
    ///   - duration: How long it stays, in ticks.
    ///   - byteCount: The bytes of its NAL units.
    package mutating func append(
        _ payload: Payload, pictureOrderCount: Int, beginsSequence: Bool, bound: Int,
        isEager: Bool = false, duration: Int64, byteCount: Int
    ) {
        if beginsSequence {
            bump(downTo: 0)
            lastOut = .min
            lastRanked = nil
        }
        if pictureOrderCount < lastOut { lateDepth += 1 }
        let entry = Entry(
            payload: payload, pictureOrderCount: pictureOrderCount, duration: duration)
        let index = entries.count
        entries.append(entry)
        count += 1
        self.byteCount += byteCount
        // From the end: nearly in order already. Equal counts keep decoding order.
        var place = waiting.count
        while place > 0, entries[waiting[place - 1]].pictureOrderCount > pictureOrderCount {
            place -= 1
        }
        waiting.insert(index, at: place)
        bump(downTo: isEager ? min(bound, lateDepth) : bound)
    }

    /// Tells that no more will come: every rank is fixed.
    package mutating func finish() {
        bump(downTo: 0)
        isFinished = true
    }

    /// The next access unit in decoding order, nil while its rank is open.
    package mutating func next() -> (payload: Payload, stamp: Stamp)? {
        guard head < entries.count, entries[head].rank >= 0 else { return nil }
        guard isFinished || count >= lookahead || byteCount >= Self.lookaheadByteCount else {
            return nil
        }
        let entry = entries[head]
        reorderDepth = max(reorderDepth, headDecodeRank - entry.rank)
        // A depth that is seen late moves times of decoding back: they rise by single ticks until they meet.
        let earliest = lastDecodeTicks == .min ? .min : lastDecodeTicks + 1
        lastDecodeTicks = min(
            max(decodeTicks(duration: entry.duration), earliest), entry.presentationTicks)
        let stamp = Stamp(
            decodeRank: headDecodeRank, presentationRank: entry.rank,
            presentationTicks: entry.presentationTicks, decodeTicks: lastDecodeTicks,
            durationTicks: entry.duration)
        head += 1
        headDecodeRank += 1
        if head >= 64, head * 2 > entries.count { compact() }
        return (entry.payload, stamp)
    }

    /// Gives those that wait the ranks that they have if the stream goes on as it did, without a gap in its counts.
    ///
    /// For a player that has to decode before all is certain. On a copy: nothing certain follows from it.
    package mutating func presumeRanks() {
        guard let first = waiting.first else { return }
        // Those between are not known: with 3:2 pulldown they are as long as others, not as the one that waits.
        let recent = recentTicks.suffix(Self.presumedCount)
        let length = waiting.reduce(nextTicks - (recent.first ?? nextTicks)) {
            $0 + entries[$1].duration
        }
        let mean = (length: length, count: Int64(recent.count + waiting.count))
        let step = presumedStep
        let base = lastRanked ?? entries[first].pictureOrderCount
        let baseRank = lastRanked == nil ? nextRank : nextRank - 1
        var least = nextRank
        for index in waiting {
            let distance = entries[index].pictureOrderCount - base
            // The first one of a sequence has its place whatever the distances are.
            guard distance == 0 || step > 0, distance >= 0, distance == 0 || distance % step == 0
            else { return }
            let rank = baseRank + (distance == 0 ? 0 : distance / step)
            guard rank >= least, rank - nextRank < 1024 else { return }
            least = rank + 1
            entries[index].rank = rank
            entries[index].presentationTicks =
                nextTicks + Int64(rank - nextRank) * mean.length / mean.count
        }
    }

    /// The distance between the counts of two pictures that follow each other, where it can be told.
    ///
    /// Before two have their ranks, by those that wait: 1 or 2 as with most encoders, once two of them are so near, and all
    /// fit. Of a larger distance it cannot be said whether a picture comes between.
    private var presumedStep: Int {
        guard step == 0 else { return step }
        let counts = [lastRanked].compactMap(\.self) + waiting.map { entries[$0].pictureOrderCount }
        let distances = zip(counts.dropFirst(), counts).map { $0 - $1 }.filter { $0 > 0 }
        guard let least = distances.min(), least <= 2,
            distances.allSatisfy({ $0 % least == 0 })
        else { return 0 }
        return least
    }

    /// The DTS of the unit at the head: the presentation time of the picture `reorderDepth` ranks before
    /// its decode rank, so that times of decoding rise like times of presentation and none is later
    /// than its own.
    private func decodeTicks(duration: Int64) -> Int64 {
        let rank = headDecodeRank - reorderDepth
        let index = rank - firstRecentRank
        guard index >= 0 else { return (recentTicks.first ?? 0) + Int64(index) * duration }
        return index < recentTicks.count ? recentTicks[index] : entries[head].presentationTicks
    }

    private mutating func bump(downTo limit: Int) {
        guard waiting.count > limit else { return }
        // A unit that comes out also fixes the depth for those behind it.
        let out = waiting.count - limit
        for index in waiting[..<out] {
            lastOut = max(lastOut, entries[index].pictureOrderCount)
            let distance = entries[index].pictureOrderCount - (lastRanked ?? .max / 2)
            if distance > 0 { step = step == 0 ? distance : min(step, distance) }
            lastRanked = entries[index].pictureOrderCount
            entries[index].rank = nextRank
            entries[index].presentationTicks = nextTicks
            let decodeRank = headDecodeRank + index - head
            reorderDepth = max(reorderDepth, decodeRank - nextRank)
            recentTicks.append(nextTicks)
            nextRank += 1
            nextTicks += entries[index].duration
        }
        waiting.removeFirst(out)
        if recentTicks.count > 1024 {
            let dropped = recentTicks.count - 512
            recentTicks.removeFirst(dropped)
            firstRecentRank += dropped
        }
    }

    /// Lets go of what has gone out.
    mutating func compact() {
        guard head > 0 else { return }
        entries.removeFirst(head)
        for index in waiting.indices { waiting[index] -= head }
        head = 0
    }
}
