import H264

/// A whole stream as timed access units in decoding order: what reports and the index are made from.
public struct AccessUnitSequence: ~Copyable {
    private var reader: AccessUnitReader
    private var order: PresentationOrder<AccessUnitReader.Unit>
    private var duration: PictureDuration?
    private var gate = RandomAccessGate()
    private var damage = DamageTracker()
    private let askedRate: PictureRate?
    private var isFinished = false

    /// - Parameters:
    ///   - source: Where the bytes come from, read from its start.
    ///   - rate: The picture rate, in place of the stream's.
    ///   - packs: Whether the units carry what a decoder needs.
    ///   - lookahead: Access units read before the first comes out, by which the reorder depth is seen.
    public init(
        _ source: any ByteSource, rate: PictureRate? = nil, packs: Bool = false,
        lookahead: Int = 96
    ) {
        reader = AccessUnitReader(source, packs: packs)
        order = PresentationOrder(lookahead: lookahead)
        askedRate = rate
    }

    /// The picture rate, known with the first access unit.
    public var rate: PictureRate? { duration?.rate }
    /// The reorder depth seen so far, in pictures.
    public var reorderDepth: Int { order.reorderDepth }
    /// NAL units read so far.
    public var nalUnitCount: Int { reader.nalUnitCount }
    /// How far the stream has been read, in bytes.
    public var offset: Int64 { reader.offset }

    /// The next access unit in decoding order, nil at the end of the stream.
    public mutating func next() throws(StreamError) -> TimedAccessUnit? {
        while true {
            if let (unit, stamp) = order.next() { return timed(unit, stamp) }
            if isFinished { return nil }
            guard let unit = try reader.next() else {
                order.finish()
                isFinished = true
                continue
            }
            append(unit)
        }
    }

    private mutating func append(_ unit: AccessUnitReader.Unit) {
        let accessUnit = unit.accessUnit
        let sps = accessUnit.sequenceParameterSet
        var duration =
            duration
            ?? PictureDuration(
                asked: askedRate, first: sps, generation: accessUnit.parameterSetsGeneration)
        let ticks = duration.ticks(of: accessUnit)
        self.duration = duration
        order.append(
            unit, pictureOrderCount: accessUnit.pictureOrderCount.value,
            beginsSequence: accessUnit.beginsPictureOrder,
            bound: sps.maximumReorderDepth, duration: ticks,
            byteCount: accessUnit.nalUnits.reduce(0) { $0 + $1.byteCount })
    }

    private mutating func timed(
        _ unit: AccessUnitReader.Unit, _ stamp: PresentationOrder<AccessUnitReader.Unit>.Stamp
    ) -> TimedAccessUnit {
        let accessUnit = unit.accessUnit
        return TimedAccessUnit(
            accessUnit: accessUnit, decodeRank: stamp.decodeRank,
            presentationRank: stamp.presentationRank,
            presentationTicks: stamp.presentationTicks, decodeTicks: stamp.decodeTicks,
            durationTicks: stamp.durationTicks,
            isShown: gate.shows(accessUnit, presentationRank: stamp.presentationRank),
            isDamaged: damage.isDamaged(
                accessUnit,
                isBroken: !accessUnit.damage.isEmpty || (unit.payload?.isIncomplete ?? false)),
            payload: unit.payload)
    }
}
