import ElementaryStream
import H264

/// `--report frames --timebase-rate -1`: the last picture first.
///
/// The headers are read once to the end; then the stream is decoded from the back, a stretch between two random access
/// points at a time, and its lines are written in reverse. Lines are kept, not pictures, and no more than
/// ``maximumLineCount`` of them: a longer stretch is decoded again for its earlier part.
enum BackwardFramesReport {
    private static let maximumLineCount = 1 << 16

    /// Writes the report of a file.
    static func write(
        _ source: any ByteSource, _ request: ReportedPictures.Request, _ options: Options,
        to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        var survey = try BackwardSurvey(source, request)
        var outcome = ReportOutcome()
        outcome.nals = survey.nalUnitCount
        outcome.pictureCount = survey.pictureCount
        if options.isStrict, let offset = survey.undecodableOffset {
            outcome.undecodableOffset = offset
            return outcome
        }
        while let (start, ranks) = survey.takeLast() {
            var end = ranks.upperBound
            while end > ranks.lowerBound, !output.isClosed {
                var piece = request
                piece.range = .pictures(ranks.lowerBound..<end)
                var lines = LineRing(maximumCount: maximumLineCount)
                var pictures = ReportedPictures(source, piece, from: start)
                while let picture = try pictures.next() {
                    let rate = pictures.rate
                    lines.append(picture) { FramesReport.line(picture, rate: rate, into: &$0) }
                }
                guard let first = lines.firstRank else { break }
                end = first
                while let (picture, line) = lines.takeLast() {
                    outcome.count(picture)
                    output.append { $0.append(contentsOf: line) }
                    if options.isStrict, picture.isBad {
                        outcome.damagedRank = picture.rank
                        return outcome
                    }
                }
            }
            if output.isClosed { break }
        }
        return outcome
    }
}

/// The last lines of a stretch, with what is counted of their pictures.
private struct LineRing {
    private let maximumCount: Int
    private var lines: [(picture: ReportedPicture.Facts, bytes: [UInt8])] = []
    /// The oldest line; those before it in the array are newer than those behind it.
    private var head = 0

    init(maximumCount: Int) { self.maximumCount = maximumCount }

    /// The rank of the first picture kept.
    var firstRank: Int? { lines.isEmpty ? nil : lines[head].picture.rank }

    mutating func append(_ picture: ReportedPicture, _ body: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        body(&bytes)
        if lines.count < maximumCount {
            lines.append((picture.facts, bytes))
        } else {
            lines[head] = (picture.facts, bytes)
            head = (head + 1) % maximumCount
        }
    }

    mutating func takeLast() -> (picture: ReportedPicture.Facts, bytes: [UInt8])? {
        if head > 0 {
            // The newest stands before the oldest.
            lines = Array(lines[head...] + lines[..<head])
            head = 0
        }
        return lines.popLast()
    }
}
