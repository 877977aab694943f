import H264

/// The last places passed from which the pictures of a stream can be decoded, with what is needed to go back there.
///
/// ``DecodingStart`` tells from where a picture comes out as if all before it had been decoded, and so do the marks of
/// damage: it goes one random access point further back where the last one alone would not do.
///
/// Of bounded size. Where points follow one another closely only some are kept.
public struct RandomAccessTrail {
    /// Where to begin.
    public struct DecodingStart {
        /// Where to begin to decode; nil is the start of the stream.
        public let checkpoint: AccessUnitSequence.Checkpoint?
        /// From this access unit on, in decoding order, what a decoder says of damage is true.
        public let trustedDecodeRank: Int
        /// Pictures presented from this one on are all whole.
        public let presentationRank: Int

        /// The start of the stream.
        public static var startOfStream: DecodingStart {
            DecodingStart(checkpoint: nil, trustedDecodeRank: 0, presentationRank: 0)
        }
    }

    private struct Point {
        let checkpoint: AccessUnitSequence.Checkpoint
        var isIDR = false
        /// frame_num that completes it.
        var completingFrameNum: Int?
        /// With which access unit, and as which picture, it is complete.
        var completeDecodeRank: Int?
        var presentationRank = 0
        /// Whether a reference picture follows that is presented before it, and may need what came earlier.
        var hasLeadingReferences = false
        /// Where everything from here on can be decoded from.
        var earlier: AccessUnitSequence.Checkpoint?
        var isSettled = false
    }

    private static let maximumCount = 12
    /// Later pictures in decoding order that may yet be presented before a point; the standard allows 16.
    private static let settlingDistance = 32

    private var points: [Point] = []
    private var highestRank = -1

    /// Nothing has been passed.
    public init() {}

    /// Takes a checkpoint; its unit has not been passed yet.
    public mutating func add(_ checkpoint: AccessUnitSequence.Checkpoint) {
        if points.count >= Self.maximumCount {
            // Points that are long under way are the ones to wait for.
            guard points.count(where: { $0.completeDecodeRank != nil }) >= 4 else { return }
            points.removeFirst()
        }
        points.append(Point(checkpoint: checkpoint))
    }

    /// Passes the next access unit in decoding order.
    public mutating func pass(_ timed: TimedAccessUnit) {
        let unit = timed.accessUnit
        let rank = timed.presentationRank
        if unit.isIDR {
            points.removeAll {
                $0.completeDecodeRank == nil && $0.checkpoint.decodeRank < timed.decodeRank
            }
        }
        if let index = points.lastIndex(where: { $0.checkpoint.decodeRank == timed.decodeRank }) {
            begin(index, timed)
        }
        for index in points.indices {
            if points[index].completeDecodeRank != nil {
                if rank < points[index].presentationRank, unit.referenceIDC != 0 {
                    points[index].hasLeadingReferences = true
                }
            } else if points[index].completingFrameNum == unit.frameNum, unit.referenceIDC != 0 {
                points[index].completeDecodeRank = timed.decodeRank
                points[index].presentationRank = rank
            }
        }
        // What comes later in presentation order must come later in decoding order too.
        points.removeAll { $0.completeDecodeRank == timed.decodeRank && rank < highestRank }
        highestRank = max(highestRank, rank)
    }

    private mutating func begin(_ index: Int, _ timed: TimedAccessUnit) {
        let unit = timed.accessUnit
        if unit.isIDR {
            points[index].isIDR = true
            points[index].completeDecodeRank = timed.decodeRank
            points[index].presentationRank = timed.presentationRank
        } else if let recovery = unit.recoveryPoint {
            points[index].completingFrameNum =
                (unit.frameNum + recovery.recoveryFrameCount)
                % unit.sequenceParameterSet.maximumFrameNum
            points[index].earlier =
                points[..<index].last { ($0.completeDecodeRank ?? .max) <= timed.decodeRank }?
                .checkpoint
        } else {
            points.remove(at: index)
        }
    }

    /// Where to begin for this picture and all presented after it; all before it have been passed.
    public func start(forPresentationRank rank: Int) -> DecodingStart {
        points.last { $0.completeDecodeRank != nil && $0.presentationRank <= rank }
            .map(Self.start) ?? .startOfStream
    }

    /// Gives the starts of which no more will be learnt, each once.
    ///
    /// - Parameter decodeRank: The access unit passed last; `.max` where the stream has ended.
    /// - Returns: In the order of the stream.
    public mutating func takeSettledStarts(at decodeRank: Int) -> [DecodingStart] {
        var starts: [DecodingStart] = []
        for index in points.indices where !points[index].isSettled {
            guard let complete = points[index].completeDecodeRank,
                complete <= decodeRank - Self.settlingDistance
            else { continue }
            points[index].isSettled = true
            starts.append(Self.start(points[index]))
        }
        return starts
    }

    private static func start(_ point: Point) -> DecodingStart {
        let trusted = point.checkpoint.decodeRank
        if point.isIDR || point.completeDecodeRank == trusted && !point.hasLeadingReferences {
            return DecodingStart(
                checkpoint: point.checkpoint, trustedDecodeRank: trusted,
                presentationRank: point.presentationRank)
        }
        // Without an earlier one the start of the stream: all is true from there.
        return DecodingStart(
            checkpoint: point.earlier, trustedDecodeRank: point.earlier == nil ? 0 : trusted,
            presentationRank: point.presentationRank)
    }
}
