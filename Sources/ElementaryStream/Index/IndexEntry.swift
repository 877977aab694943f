public import H264

/// What the index keeps of an access unit: 32 bytes.
///
/// The decode rank is the entry's place, and the unit ends where the next begins.
public struct IndexEntry: Sendable {
    /// The first byte of its first start code.
    public var offset: Int64
    /// Presentation time in ticks of the stream's time scale.
    public var presentationTicks: Int64
    /// Rank in presentation order.
    public var presentationRank: UInt32
    /// How long it is presented, in ticks.
    public var durationTicks: UInt32
    /// The smaller of its fields' picture order counts.
    public var pictureOrderCount: Int32
    /// Which of the index's formats is in force.
    public var format: UInt16
    private var bits: UInt16

    /// Makes the entry of a timed access unit whose parameter sets are `format`.
    init(_ timed: borrowing TimedAccessUnit, format: UInt16) {
        offset = timed.accessUnit.byteRange.lowerBound
        presentationTicks = timed.presentationTicks
        presentationRank = UInt32(truncatingIfNeeded: timed.presentationRank)
        durationTicks = UInt32(clamping: timed.durationTicks)
        pictureOrderCount = Int32(clamping: timed.accessUnit.pictureOrderCount.value)
        self.format = format
        bits = UInt16(Self.pictureTypes.firstIndex(of: timed.accessUnit.pictureType) ?? 0)
        bits |= UInt16(Self.structures.firstIndex(of: timed.accessUnit.structure) ?? 0) << 3
        switch timed.accessUnit.randomAccess {
        case .idr: bits |= 1 << 6
        case .recoveryPoint: bits |= 2 << 6
        case .intra: bits |= 3 << 6
        case .none: break
        }
        if timed.isShown { bits |= 1 << 8 }
        if timed.isDamaged { bits |= 1 << 9 }
        if timed.accessUnit.referenceIDC != 0 { bits |= 1 << 10 }
    }

    private static let pictureTypes: [SliceType] = [.i, .p, .b, .si, .sp]
    private static let structures: [AccessUnit.Structure] = [
        .frame, .mbaff, .fieldPair, .topField, .bottomField,
    ]

    /// I, P, B, SI or SP, over all its slices.
    public var pictureType: SliceType { Self.pictureTypes[min(Int(bits & 7), 4)] }
    /// How its fields are coded.
    public var structure: AccessUnit.Structure { Self.structures[min(Int(bits >> 3 & 7), 4)] }
    /// Whether it is an IDR picture.
    public var isIDR: Bool { bits >> 6 & 3 == 1 }
    /// Whether decoding can begin with it: an IDR picture or a recovery point.
    public var isRandomAccessPoint: Bool { bits >> 6 & 3 == 1 || bits >> 6 & 3 == 2 }
    /// Whether it is an I picture, of whatever kind.
    public var isIntra: Bool { bits >> 6 & 3 != 0 }
    /// False for what a start in mid-stream leaves undecodable.
    public var isShown: Bool { bits & 1 << 8 != 0 }
    /// Whether headers tell of damage.
    public var isDamaged: Bool { bits & 1 << 9 != 0 }
    /// Whether other pictures may be predicted from it.
    public var isReference: Bool { bits & 1 << 10 != 0 }
}
