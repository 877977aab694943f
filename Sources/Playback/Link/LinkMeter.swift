/// What the link to the terminal takes: from what was written when, and when the terminal said that it had treated it.
///
/// Pure: times go in, in nanoseconds of one clock. Where a terminal answers no status requests, the waits of the writes
/// themselves count; the kernel then swallows some 20 KB unseen.
///
/// Nobody knows a link beforehand, so the first pictures are small: 8 KB, and four times as much as was taken already
/// with each answer. A good link is known after three answers, a few milliseconds; a bad one has not been filled up.
package struct LinkMeter: Sendable {
    /// How long the first answer may take at least before the link is judged by its writes.
    private static let shortestPatience: Int64 = 250_000_000
    /// Fewer bytes tell of the way there and back alone.
    private static let least = 1024.0
    private static let requestLength: Int64 = 4
    /// So many answers in all while pictures grow.
    private static let longestStart = 10
    /// What a terminal is trusted with before anything is known of it.
    package static let firstAllowance = 8192.0
    /// What the kernel keeps of a pseudo-terminal whose reader is slow.
    package static let queuedByKernel = 20_000.0

    /// How long nothing must have waited before a little more is tried.
    private static let probingInterval: Int64 = 500_000_000

    private let maximumRate: Double?
    /// The shortest time of an answer seen: the way there and back.
    private var roundTrip: Int64?
    /// The last rates seen, bytes a second, the newest last.
    private var samples: [Double] = []
    /// What the last answers said, whether they tell of the link or of how short the picture was.
    private var recent: [Double] = []
    /// The most bytes that were taken in one go while nothing else was known.
    private var largestTaken = 0.0
    /// Whether pictures still grow until the link is known.
    package private(set) var isStarting = true
    private var startingCount = 0
    private var hasAnswered = false
    /// When the link last took its time, or the rate was last raised because it did not.
    private var changedAt: Int64 = 0
    /// Whether the rate is higher than any that was seen.
    private var isTrying = false
    /// All bytes written, and those the terminal is known to have treated.
    private var written: Int64 = 0
    private var treated: Int64 = 0
    /// Since when the link has had something to do.
    private var busySince: Int64 = 0
    /// When, by what is known, it has done all it has, as seen from here without the way back.
    private var doneAt: Int64 = 0
    /// The status request under way.
    private var asked: Question?

    private struct Question {
        var time: Int64
        /// When the answer is due, by what is known.
        var due: Int64
        /// The bytes of the write that it ended, and when that began.
        var count: Int
        var begin: Int64
    }

    /// - Parameters:
    ///   - maximumRate: Bytes a second that are written at most; nil: no limit.
    ///   - roundTrip: How long the terminal's first answers took, in nanoseconds.
    package init(maximumRate: Int? = nil, roundTrip: Int64? = nil) {
        self.maximumRate = maximumRate.map(Double.init)
        self.roundTrip = roundTrip
        samples.reserveCapacity(8)
        recent.reserveCapacity(8)
    }

    /// Bytes a second that the link takes; nil while that is not known.
    package var rate: Double? {
        guard !samples.isEmpty else { return nil }
        // Of two the lower one: what is believed too much fills queues.
        let middle = samples.sorted()[(samples.count - 1) / 2]
        return min(middle, maximumRate ?? middle)
    }

    /// The bytes that a picture may have to be through in `duration`.
    package func allowance(for duration: Int64) -> Double {
        let seconds = Double(duration) / 1e9
        var bytes = Double.infinity
        if let rate { bytes = rate * seconds }
        if isStarting { bytes = min(bytes, max(Self.firstAllowance, largestTaken * 4)) }
        if let maximumRate { bytes = min(bytes, maximumRate * seconds) }
        return bytes
    }

    /// When the next picture may begin, if nothing is heard before; now or earlier: at once.
    package func opening(at now: Int64) -> Int64 {
        guard let asked else { return doneAt }
        // What was to be answered by now and is not waits in a queue that nobody knows of.
        let isOverdue = isStarting || now > asked.due
        return isOverdue ? asked.time + patience : doneAt
    }

    // MARK: Events

    /// Bytes were written.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - total: How many there were in all after that.
    ///   - begin: When the write began.
    ///   - end: When it was over.
    ///   - waited: How much of that the terminal took nothing.
    ///   - asks: Whether a status request ended it.
    ///   - period: The time there is for a picture.
    package mutating func wrote(
        _ count: Int, total: Int64, from begin: Int64, to end: Int64, waited: Int64, asks: Bool,
        period: Int64
    ) {
        guard count > 0 else { return }
        if written == treated {
            busySince = begin
            treated = total - Int64(count)
        }
        written = total
        let length = rate.map { Int64(Double(count) / $0 * 1e9) } ?? 0
        doneAt = max(max(doneAt, begin) + length, end)
        if asks {
            let due = doneAt + (roundTrip ?? 0) * 3 / 2 + 20_000_000
            asked = Question(
                time: end, due: rate == nil ? end : due, count: count, begin: begin)
        }
        if !answers(at: end) {
            judge(byWriting: count, from: begin, to: end, waited: waited, period: period)
        }
    }

    /// The terminal has treated so many of all bytes.
    package mutating func answered(upTo count: Int64, at now: Int64, period: Int64) {
        guard let asked else { return }
        defer { self.asked = nil }
        hasAnswered = true
        guard count > treated else { return }
        let taken = Double(count - treated)
        let way = roundTrip(from: now - asked.time, taken)
        let done = now - way
        // All bytes since the last answer, or the last write alone where the link was idle before: neither tells of
        // more than the link takes, so the better counts.
        var (sampled, begin) = (taken, busySince)
        if Double(asked.count) > Self.least,
            Double(asked.count) * Double(done - busySince) > taken * Double(done - asked.begin)
        {
            (sampled, begin) = (Double(asked.count), asked.begin)
        }
        // Not less than a tenth of a millisecond: nobody is infinitely fast.
        let elapsed = max(done - begin, 100_000)
        // The request itself is among the bytes behind it.
        treated = written - count <= Self.requestLength ? written : count
        busySince = done
        let rest = Double(written - treated)
        if sampled > Self.least || elapsed * 2 <= period {
            note(sampled, in: elapsed, at: now, period: period)
        }
        doneAt = done + (rate.map { Int64(rest / $0 * 1e9) } ?? 0)
    }

    /// What was written and not yet treated was thrown away.
    package mutating func forget(at now: Int64) {
        asked = nil
        treated = written
        doneAt = now
    }

    /// Whether answers are to be expected.
    private func answers(at now: Int64) -> Bool {
        guard let asked else { return hasAnswered }
        return now - asked.time < patience
    }

    /// How long an answer may take before the link is judged by its writes.
    private var patience: Int64 {
        max(Self.shortestPatience * (hasAnswered ? 8 : 1), (roundTrip ?? 0) * 4)
    }

    /// Takes note of how long an answer took at least.
    package mutating func note(roundTrip way: Int64) { roundTrip = min(roundTrip ?? .max, way) }

    /// The way there and back: the shortest answer, where not the bytes before it took the time.
    private mutating func roundTrip(from elapsed: Int64, _ taken: Double) -> Int64 {
        if roundTrip != nil || taken <= Self.least { note(roundTrip: elapsed) }
        return roundTrip ?? 0
    }

    // MARK: Judging

    private mutating func note(
        _ taken: Double, in elapsed: Int64, at now: Int64, period: Int64
    ) {
        let sample = taken / Double(elapsed) * 1e9
        // Only what takes a picture's time tells that the link is slow: a short delay may be anybody's.
        let isLimiting = elapsed * 5 > period * 4
        if isStarting {
            largestTaken = max(largestTaken, taken)
            startingCount += 1
            // A few bytes find room anywhere: the first that take their time are the first that count. Where pictures stay
            // small, what follows has other means.
            if isLimiting || largestTaken >= 65536 || startingCount >= Self.longestStart {
                isStarting = false
            }
            samples.removeAll(keepingCapacity: true)
            samples.append(sample)
            return
        }
        if recent.count >= 5 { recent.removeFirst() }
        recent.append(sample)
        if isLimiting {
            changedAt = now
            // What was tried was too much: the rates before it are as wrong.
            if isTrying { samples.removeAll(keepingCapacity: true) }
            isTrying = false
            return add(sample)
        }
        guard let rate, recent.count > 2 else { return }
        // A few bytes may find a moment's room, again and again: most of the last answers must agree, and pictures
        // tell of others at most eight times as large.
        let most = taken * 8 / Double(period) * 1e9
        let usual = min(recent.sorted()[(recent.count - 1) / 2], most)
        if usual > rate {
            add(min(usual, rate * 2))
        } else if elapsed * 2 <= period, now - changedAt > Self.probingInterval, rate < most {
            // A terminal takes some time for any picture, however short: where all are done early, a little more is tried.
            isTrying = true
            raise(atMost: most, at: now)
        }
    }

    /// Has a little more tried than was seen.
    private mutating func raise(atMost most: Double = .infinity, at now: Int64) {
        guard let rate else { return }
        changedAt = now
        for index in samples.indices {
            samples[index] = min(max(samples[index], rate) * 1.3, most)
        }
    }

    private mutating func add(_ sample: Double) {
        if samples.count >= 5 { samples.removeFirst() }
        samples.append(sample)
    }

    private mutating func judge(
        byWriting count: Int, from begin: Int64, to end: Int64, waited: Int64, period: Int64
    ) {
        treated = written
        let taken = Double(count)
        guard waited > 0 else {
            largestTaken = max(largestTaken, taken)
            // All that the kernel's own queue does not explain.
            if largestTaken > Self.queuedByKernel * 2 { isStarting = false }
            if end - changedAt > Self.probingInterval { raise(at: end) }
            return
        }
        changedAt = end
        isStarting = false
        let elapsed = max(end - begin, 100_000)
        // The queue was empty at first, perhaps; it is full now.
        add(taken / (samples.isEmpty ? 2 : 1) / Double(elapsed) * 1e9)
        if let rate { doneAt = end + Int64(min(taken, Self.queuedByKernel) / rate * 1e9) }
    }
}
