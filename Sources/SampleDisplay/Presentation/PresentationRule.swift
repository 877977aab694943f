package import MediaTime

/// When the picture on show may have to change next, on the timebase.
package enum PresentationDeadline: Equatable, Sendable {
    /// When the time reaches this one (rising).
    case at(CMTime)
    /// When the time falls below this one.
    case below(CMTime)
}

/// What is to be done with the waiting pictures at one moment.
package struct PresentationVerdict: Equatable, Sendable {
    /// Index of the picture to show now; nil leaves what is on show.
    package var shows: Int?
    /// Indices of pictures that will never be shown, ascending; never `shows`.
    package var discards: [Int] = []
    /// When to judge again if nothing else happens; nil when only an event can change the verdict.
    package var deadline: PresentationDeadline?
    /// Whether a picture that is due is not yet decoded, so that decoding goes on even with enough images waiting.
    package var wantsDecoding = false

    /// Nothing to show, nothing to wait for.
    package init() {}
}

/// Which picture is on show at a time: a pure function, rules L-4 to L-9.
///
/// The picture on show at time *t* is the one with the largest time <= *t*. What is decoded may be overtaken
/// by what is not:
///
/// - Rate > 0: the newest due picture is shown as soon as it is decoded, so that pictures far in the past play as
///   fast as they arrive (L-6). It waits only for an *earlier* one that is enqueued behind it (L-7), which a
///   decoder that gives pictures in decode order has not reached.
/// - Rate 0: a due picture waits while one in (its time, *t*] is enqueued and not decoded: showing it
///   would flash a wrong picture after a seek. What is not enqueued is not waited for (L-5), nor is anything once
///   the decoder has run out of input.
/// - Rate < 0: the same, and here it is L-5 itself: the earlier picture's time comes after the later one's.
///
/// In reverse, what came too late (time > *t*) is shown if it is nearer to *t* than what is on show: the mirror of L-6.
package struct PresentationRule: Sendable {
    /// The timebase's time.
    package var time: CMTime
    /// The timebase's effective rate.
    package var rate: Double
    /// Whether the timebase ran backwards when it last ran, so that a pause keeps what lies before.
    package var isReversed: Bool
    /// Time of the picture on show, where it binds: nil after a flush and after an image shown out of turn.
    package var shown: CMTime?
    /// Whether the decoder has been given everything that is enqueued.
    package var isStarved: Bool

    /// Creates the rule for one moment.
    package init(
        time: CMTime, rate: Double, isReversed: Bool = false, shown: CMTime? = nil,
        isStarved: Bool = false
    ) {
        self.time = time
        self.rate = rate
        self.isReversed = isReversed
        self.shown = shown
        self.isStarved = isStarved
    }

    /// The picture on show, unless the time went back before it: then anything due replaces it.
    private var bound: CMTime? { shown.flatMap { $0 <= time ? $0 : nil } }

    /// Judges the waiting pictures.
    ///
    /// - Complexity: O(log n) plus what is discarded; O(n) at rate 0.
    package func judge<Content>(
        _ waiting: WaitingQueue<Content>, expected: ExpectedTimes
    ) -> PresentationVerdict {
        guard time.isNumeric else { return PresentationVerdict() }
        let due = waiting.count(upTo: time)
        var verdict =
            if rate > 0 {
                forward(waiting, due: due, expected: expected)
            } else if rate < 0 {
                backward(waiting, due: due, expected: expected)
            } else {
                standing(waiting, due: due, expected: expected)
            }
        if !verdict.wantsDecoding {
            let newest = due > 0 ? waiting.entries[due - 1].time : nil
            let best = [newest, bound].compactMap(\.self).max()
            verdict.wantsDecoding = expected.hasTime(above: best, upTo: time)
        }
        return verdict
    }

    private func forward<Content>(
        _ waiting: WaitingQueue<Content>, due: Int, expected: ExpectedTimes
    ) -> PresentationVerdict {
        var verdict = PresentationVerdict()
        let late = bound.map { min(due, waiting.count(below: $0)) } ?? 0
        var index = due - 1
        while index >= late {
            if isStarved || !expected.hasTime(above: bound, below: waiting.entries[index].time) {
                verdict.shows = index
                break
            }
            verdict.wantsDecoding = true
            index -= 1
        }
        verdict.discards = Array(0..<(verdict.shows ?? late))
        if due < waiting.count { verdict.deadline = .at(waiting.entries[due].time) }
        return verdict
    }

    private func standing<Content>(
        _ waiting: WaitingQueue<Content>, due: Int, expected: ExpectedTimes
    ) -> PresentationVerdict {
        var verdict = PresentationVerdict()
        guard due > 0 else { return verdict }
        let newest = waiting.entries[due - 1]
        let isNewer = bound.map { newest.time >= $0 } ?? true
        if isNewer {
            if !isStarved && expected.hasTime(above: newest.time, upTo: time) {
                verdict.wantsDecoding = true
            } else {
                verdict.shows = due - 1
            }
        }
        guard !isReversed else { return verdict }
        // An image that the client enqueued later with an earlier time is meant for reverse play that is about
        // to start: it stays. Everything else before the newest is late.
        verdict.discards = (0..<due).filter { index in
            let entry = waiting.entries[index]
            if isNewer {
                return index != due - 1
                    && (!entry.isClientImage || entry.ordinal < newest.ordinal)
            }
            return !entry.isClientImage
        }
        return verdict
    }

    private func backward<Content>(
        _ waiting: WaitingQueue<Content>, due: Int, expected: ExpectedTimes
    ) -> PresentationVerdict {
        var verdict = PresentationVerdict()
        var onShow = shown
        if due > 0 {
            let newest = waiting.entries[due - 1].time
            if bound.map({ newest >= $0 }) ?? true {
                if !isStarved && expected.hasTime(above: newest, upTo: time) {
                    verdict.wantsDecoding = true
                } else {
                    verdict.shows = due - 1
                    onShow = newest
                }
            }
        } else if let nearest = waiting.entries.first?.time, shown.map({ $0 > nearest }) ?? true {
            if !isStarved && expected.hasTime(above: nil, below: nearest) {
                verdict.wantsDecoding = true
            } else {
                verdict.shows = waiting.count(upTo: nearest) - 1
                onShow = nearest
            }
        }
        guard let onShow else { return verdict }
        verdict.discards = (due..<waiting.count).filter { index in
            index != verdict.shows && waiting.entries[index].time >= onShow
        }
        let isPreceded = waiting.entries.first.map { $0.time < onShow } ?? false
        if onShow <= time && isPreceded { verdict.deadline = .below(onShow) }
        return verdict
    }
}
