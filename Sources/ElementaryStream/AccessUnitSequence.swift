import H264

/// A whole stream as timed access units in decoding order: what reports and the index are made from.
public struct AccessUnitSequence: ~Copyable {
    /// A place between two access units, with all that going on from it takes: what comes then is the same, to the last
    /// bit, as if the stream had been read from its start.
    public struct Checkpoint {
        /// The access unit that will be read next.
        public let decodeRank: Int
        /// The ranks of the pictures that have come out; some that have been read may not have.
        public let presented: RankFrontier
        fileprivate let place: AccessUnitReader.Place
        fileprivate let timer: AccessUnitTimer
    }

    private var reader: AccessUnitReader
    private var timer: AccessUnitTimer
    private var isFinished = false

    /// The ranks of the pictures that have come out.
    public private(set) var presented = RankFrontier()
    /// Places from which decoding can begin, as far as their first slices tell, until they are taken.
    private var checkpoints: [Checkpoint] = []
    /// Access units between two checkpoints at least; nil for none.
    private let checkpointDistance: Int?
    private var nextCheckpoint = 1

    /// - Parameters:
    ///   - source: Where the bytes come from, read from its start.
    ///   - rate: The picture rate, in place of the stream's.
    ///   - packs: Whether the units carry what a decoder needs.
    ///   - lookahead: Access units read before the first comes out, by which the reorder depth is seen.
    ///   - checkpointDistance: Access units between two checkpoints at least; nil for none.
    ///   - releases: Whether nobody else reads the source: of a pipe nothing is kept then.
    ///   - isEager: Whether pictures count as in order until one is seen that is not.
    public init(
        _ source: any ByteSource, rate: PictureRate? = nil, packs: Bool = false,
        lookahead: Int = 96, checkpointDistance: Int? = nil, releases: Bool = false,
        isEager: Bool = false
    ) {
        reader = AccessUnitReader(source, packs: packs, releases: releases)
        timer = AccessUnitTimer(rate: rate, lookahead: lookahead, isEager: isEager)
        self.checkpointDistance = checkpointDistance
    }

    /// Goes on from a checkpoint of a sequence on the same bytes.
    ///
    /// Units that had been read there, and had not come out, come out first; they carry nothing to decode.
    ///
    /// - Parameters:
    ///   - source: The same bytes, readable at any place.
    ///   - checkpoint: Where to go on.
    ///   - packs: Whether the units carry what a decoder needs.
    public init(_ source: any ByteSource, from checkpoint: Checkpoint, packs: Bool) {
        reader = AccessUnitReader(source, from: checkpoint.place, packs: packs)
        timer = checkpoint.timer
        presented = checkpoint.presented
        checkpointDistance = nil
    }

    /// The picture rate, known with the first access unit.
    public var rate: PictureRate? { timer.rate }
    /// The reorder depth seen so far, in pictures.
    public var reorderDepth: Int { timer.reorderDepth }
    /// NAL units read so far.
    public var nalUnitCount: Int { reader.nalUnitCount }
    /// How far the stream has been read, in bytes.
    public var offset: Int64 { reader.offset }
    /// Behind the last access unit, slices that nothing explains; known at the end of the stream.
    public var undecodableByteRange: Range<Int64>? { reader.undecodableByteRange }

    /// What ``step(patience:)`` found.
    enum Step {
        case unit(TimedAccessUnit)
        /// The stream pauses: ``unitsUnderWay(sliceCount:)`` may be complete.
        case pause
        case end
    }

    /// The next access unit in decoding order, nil at the end of the stream.
    public mutating func next() throws(StreamError) -> TimedAccessUnit? {
        while true {
            switch try step(patience: nil) {
            case .unit(let timed): return timed
            case .end: return nil
            case .pause: continue
            }
        }
    }

    /// The next access unit in decoding order, unless the source gives nothing for `patience` nanoseconds; nil waits for
    /// ever.
    mutating func step(patience: UInt64?) throws(StreamError) -> Step {
        while true {
            if let timed = timer.next() {
                presented.add(timed.presentationRank)
                return .unit(timed)
            }
            if isFinished { return .end }
            switch try reader.step(patience: patience) {
            case .pause: return .pause
            case .end:
                timer.finish()
                isFinished = true
            case .unit(let unit):
                timer.append(unit)
                noteCheckpoint()
            }
        }
    }

    /// Whether what comes belongs to no NAL unit.
    var isInPadding: Bool { reader.isInPadding }

    /// Access units that come next if the stream stops here.
    struct UnitsUnderWay {
        /// In decoding order, with the ranks that they have if the stream goes on as it did; they carry nothing to decode.
        var units: [TimedAccessUnit] = []
        /// The picture rate, be they the first ones, and the reorder depth with them.
        var rate: PictureRate?
        var reorderDepth = 0
    }

    /// The access units that come next if the stream stops here; nothing changes.
    ///
    /// - Parameter sliceCount: Slices that a picture has at least.
    /// - Returns: Them, and what they tell of the stream.
    func unitsUnderWay(sliceCount: Int) -> UnitsUnderWay {
        var timer = timer
        for unit in reader.unitsUnderWay(sliceCount: sliceCount) { timer.append(unit) }
        var units: [TimedAccessUnit] = []
        while let timed = timer.next() { units.append(timed) }
        timer.presumeRanks()
        while let timed = timer.next() { units.append(timed) }
        return UnitsUnderWay(units: units, rate: timer.rate, reorderDepth: timer.reorderDepth)
    }

    private mutating func noteCheckpoint() {
        guard let checkpointDistance, timer.count >= nextCheckpoint, reader.isBeforeRandomAccess
        else { return }
        timer.compact()
        checkpoints.append(
            Checkpoint(
                decodeRank: timer.count, presented: presented, place: reader.place, timer: timer))
        nextCheckpoint = timer.count + checkpointDistance
    }

    /// The places passed since the last call from which decoding can begin, as far as their first slices tell.
    ///
    /// Their units may not have come out yet.
    public mutating func takeCheckpoints() -> [Checkpoint] {
        guard !checkpoints.isEmpty else { return [] }
        defer { checkpoints.removeAll(keepingCapacity: true) }
        return checkpoints
    }
}
