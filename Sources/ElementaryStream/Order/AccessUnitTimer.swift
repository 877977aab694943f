import H264

/// Gives access units, in decoding order, their places in the presentation.
///
/// A value: a copy goes on from where it was made as the first one did.
struct AccessUnitTimer {
    private var order: PresentationOrder<AccessUnitReader.Unit>
    private var duration: PictureDuration?
    private var gate = RandomAccessGate()
    private var damage = DamageTracker()
    private let askedRate: PictureRate?
    private let isEager: Bool

    /// Access units that have gone in.
    var count: Int { order.count }
    /// The picture rate, known with the first access unit.
    var rate: PictureRate? { duration?.rate }
    /// The reorder depth seen so far, in pictures.
    var reorderDepth: Int { order.reorderDepth }

    /// - Parameters:
    ///   - rate: The picture rate, in place of the stream's.
    ///   - lookahead: Access units taken before the first comes out, by which the reorder depth is seen.
    ///   - isEager: Whether pictures are in order until one is seen that is not, whatever the parameter sets allow.
    init(rate: PictureRate?, lookahead: Int, isEager: Bool = false) {
        self.isEager = isEager
        order = PresentationOrder(lookahead: lookahead)
        askedRate = rate
    }

    /// Takes the next access unit in decoding order.
    mutating func append(_ unit: AccessUnitReader.Unit) {
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
            bound: sps.maximumReorderDepth, isEager: isEager, duration: ticks,
            byteCount: accessUnit.nalUnits.reduce(0) { $0 + $1.byteCount })
    }

    /// Tells that no more will come.
    mutating func finish() { order.finish() }

    /// Gives ranks that are likely to all that wait: on a copy.
    mutating func presumeRanks() { order.presumeRanks() }

    /// Lets go of memory that is not needed any more.
    mutating func compact() { order.compact() }

    /// The next access unit in decoding order, nil while its rank is open.
    mutating func next() -> TimedAccessUnit? {
        guard let (unit, stamp) = order.next() else { return nil }
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
