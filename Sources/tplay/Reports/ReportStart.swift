import ElementaryStream

/// Finds by headers alone, at the speed of reading, where decoding must begin for the first picture of a range.
enum ReportStart {
    /// Access units between two places that are remembered at least: so many are decoded in vain at most where each
    /// is a random access point.
    static let checkpointDistance = 24

    /// - Returns: Where to begin; the start of the stream where nothing is in the range.
    static func find(
        _ source: any ByteSource, _ request: ReportedPictures.Request
    ) throws(StreamError) -> RandomAccessTrail.DecodingStart {
        var sequence = AccessUnitSequence(
            source, rate: request.rate, checkpointDistance: checkpointDistance)
        var trail = RandomAccessTrail()
        var first = Int.max
        while let timed = try sequence.next() {
            for checkpoint in sequence.takeCheckpoints() { trail.add(checkpoint) }
            trail.pass(timed)
            if !request.range.isBefore(timed, sequence.rate ?? .default) {
                first = min(first, timed.presentationRank)
            }
            if sequence.presented.rank > first { break }
        }
        return first == .max ? .startOfStream : trail.start(forPresentationRank: first)
    }
}
