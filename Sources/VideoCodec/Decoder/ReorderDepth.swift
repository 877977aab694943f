internal import MediaTime

/// How many pictures a decoder must hold back, as the samples' times prove it.
///
/// The parameter sets say a bound, but encoders get it wrong, and libavcodec drops every picture whose turn is over.
/// Three proofs are used, each before the first picture that would be lost goes out:
/// - samples that precede another in decode order and follow it in presentation order, counted;
/// - at a sample from which nothing is reordered across (an IDR picture), its presentation time minus its decode time;
/// - without decode times, a gap: if the earliest picture held back does not follow the last one that went out
///   seamlessly, something may still come in between.
struct ReorderDepth {
    /// Pictures to hold back.
    private(set) var depth: Int
    /// No more than this, whatever the times say.
    private static let limit = 16

    /// Presentation times of what a decoder of this depth holds back, ascending.
    private var held: [CMTime] = []
    /// Those of the last samples in decode order.
    private var recent: [CMTime] = []
    private var nextExpected = CMTime.invalid

    init(depth: Int) { self.depth = min(max(depth, 0), Self.limit) }

    /// Raises the depth to a bound from parameter sets.
    mutating func raise(to bound: Int) { depth = max(depth, min(bound, Self.limit)) }

    /// Forgets the samples so far, not the depth.
    mutating func restart() {
        held.removeAll(keepingCapacity: true)
        recent.removeAll(keepingCapacity: true)
        nextExpected = .invalid
    }

    /// Takes the times of the next sample in decode order, before it is decoded.
    mutating func take(
        presentationTimeStamp: CMTime, decodeTimeStamp: CMTime, duration: CMTime, isIDR: Bool
    ) {
        if isIDR {
            restart()
            nextExpected = presentationTimeStamp
        }
        guard presentationTimeStamp.isNumeric else { return }
        count(presentationTimeStamp)
        if decodeTimeStamp.isNumeric {
            guard isIDR, duration.isNumeric, duration > .zero else { return }
            let delay = presentationTimeStamp - decodeTimeStamp
            let pictures = delay.seconds / duration.seconds
            if pictures.isFinite, pictures > 0 {
                raise(to: Int(min(pictures.rounded(.up), Double(Self.limit))))
            }
        } else if duration.isNumeric {
            holdBack(presentationTimeStamp, duration)
        }
    }

    private mutating func count(_ time: CMTime) {
        raise(to: recent.reduce(0) { $0 + ($1 > time ? 1 : 0) })
        if recent.count > 2 * Self.limit { recent.removeFirst() }
        recent.append(time)
    }

    /// Does what the decoder will do, and raises the depth where it would leave a gap.
    private mutating func holdBack(_ time: CMTime, _ duration: CMTime) {
        held.insert(time, at: held.firstIndex { $0 > time } ?? held.endIndex)
        while held.count > depth, let earliest = held.first {
            if nextExpected.isNumeric, earliest > nextExpected, depth < Self.limit {
                depth += 1
                continue
            }
            held.removeFirst()
            nextExpected = earliest + duration
        }
    }
}
