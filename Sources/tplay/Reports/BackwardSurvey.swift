import ElementaryStream

/// Stretches of a stream that can be decoded one without another, found by headers alone: for going backwards.
///
/// At most ``maximumCount`` of them, evenly spread, whatever the length of the stream.
struct BackwardSurvey {
    private static let maximumCount = 256

    /// Where each begins; the first at the start of the stream.
    private var starts = [RandomAccessTrail.DecodingStart.startOfStream]
    /// Pictures in a stretch at least.
    private var distance = 64
    /// The first rank that is not in a stretch any more, from the back.
    private var end = 0

    /// Access units of the range and before it, and NAL units, read.
    private(set) var pictureCount = 0
    private(set) var nalUnitCount = 0
    /// Where slices begin that nothing explains and that end the stream; nil where there are none.
    private(set) var undecodableOffset: Int64?

    /// Reads the headers up to the end of the range.
    init(
        _ source: any ByteSource, _ request: ReportedPictures.Request
    ) throws(StreamError) {
        var sequence = AccessUnitSequence(
            source, rate: request.rate, checkpointDistance: ReportStart.checkpointDistance)
        var trail = RandomAccessTrail()
        var firstBehind = Int.max
        var first = Int.max
        while sequence.presented.rank < firstBehind, let timed = try sequence.next() {
            for checkpoint in sequence.takeCheckpoints() { trail.add(checkpoint) }
            trail.pass(timed)
            for start in trail.takeSettledStarts(at: timed.decodeRank) { add(start) }
            let rate = sequence.rate ?? .default
            if request.range.isBehind(timed, rate) {
                firstBehind = min(firstBehind, timed.presentationRank)
            } else if !request.range.isBefore(timed, rate) {
                first = min(first, timed.presentationRank)
            }
            pictureCount += 1
        }
        for start in trail.takeSettledStarts(at: .max) { add(start) }
        nalUnitCount = sequence.nalUnitCount
        undecodableOffset = sequence.undecodableByteRange?.lowerBound
        // Nothing of the range is there: nothing to give.
        guard first != .max else { return }
        end = min(firstBehind, sequence.presented.rank)
        self.first = first
    }

    /// The first rank of the range.
    private var first = 0

    private mutating func add(_ start: RandomAccessTrail.DecodingStart) {
        guard let last = starts.last, start.presentationRank >= last.presentationRank + distance
        else { return }
        starts.append(start)
        guard starts.count > Self.maximumCount else { return }
        distance *= 2
        starts = starts.indices.filter { $0 % 2 == 0 }.map { starts[$0] }
    }

    /// The last stretch of the range that was not given yet: where to begin for it, and its pictures.
    mutating func takeLast() -> (start: RandomAccessTrail.DecodingStart, ranks: Range<Int>)? {
        while let start = starts.popLast() {
            let lowest = max(start.presentationRank, first)
            guard lowest < end else { continue }
            defer { end = lowest }
            return (start, lowest..<end)
        }
        return nil
    }
}
