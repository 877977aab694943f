/// An access unit: the NAL units of one frame, of a complementary field pair, or of a field that has no partner.
///
/// A copy is a few references.
///
/// Source: ITU-T H.264 (08/2021) 7.4.1.2.3, clause 3.
public struct AccessUnit: Sendable {
    /// How the picture is coded.
    public enum Structure: Hashable, Sendable {
        /// A frame of frame macroblocks.
        case frame
        /// A frame with macroblock-adaptive frame/field coding.
        case mbaff
        /// Two fields, each a picture.
        case fieldPair
        /// A top field alone.
        case topField
        /// A bottom field alone.
        case bottomField
    }

    /// Whether decoding can begin here.
    public enum RandomAccess: Hashable, Sendable {
        /// An IDR picture.
        case idr
        /// A recovery point: right after `recovery_frame_cnt` increments of `frame_num`.
        case recoveryPoint(recoveryFrameCount: Int)
        /// All slices are intra, but nothing promises that what follows can be decoded.
        case intra
        /// No.
        case none
    }

    /// What is wrong with the unit as far as its headers tell.
    public struct Damage: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Takes the bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// No slice begins at the first macroblock: the first slice of a picture is lost.
        public static let missingFirstSlice = Damage(rawValue: 1)
        /// A slice header within the picture cannot be parsed, or names parameter sets that are not there.
        public static let unparsableSlice = Damage(rawValue: 2)
        /// A NAL unit is over the scanner's limit.
        public static let truncatedNALUnit = Damage(rawValue: 4)
        /// `forbidden_zero_bit` is set in a NAL unit of the picture.
        public static let forbiddenBit = Damage(rawValue: 8)
        /// There are more NAL units than are kept.
        public static let tooManyNALUnits = Damage(rawValue: 16)
    }

    /// The NAL units in the order of the stream.
    public let nalUnits: [NALUnit]
    /// From the first start code to the next unit's: the ranges tile the stream.
    public internal(set) var byteRange: Range<Int64>
    /// The parameter sets in force at the first slice.
    public let parameterSets: ActiveParameterSets
    /// The frame, the first field of a pair, or the field.
    public let first: CodedPicture
    /// The second field of a complementary pair.
    public let second: CodedPicture?
    /// The recovery point SEI message in the unit.
    public let recoveryPoint: RecoveryPointSEI?
    /// NAL units at the front that belong to slices before the picture which no parameter set explains.
    public let undecodableNALCount: Int
    /// Slices whose header cannot be parsed, those at the front included.
    public let unparsableSliceCount: Int
    /// The indices of parameter sets that arrived changed between the fields of a pair.
    public let inBandParameterSetIndices: [Int]
    /// Frames missing before this unit, allowed by the sequence parameter set or lost.
    public let frameNumGap: FrameNumTracker.Gap?
    /// What is wrong with the unit.
    public let damage: Damage

    init(
        nalUnits: [NALUnit], byteRange: Range<Int64>, parameterSets: ActiveParameterSets,
        first: CodedPicture, second: CodedPicture?, recoveryPoint: RecoveryPointSEI?,
        undecodableNALCount: Int, unparsableSliceCount: Int, inBandParameterSetIndices: [Int],
        frameNumGap: FrameNumTracker.Gap?, damage: Damage
    ) {
        self.nalUnits = nalUnits
        self.byteRange = byteRange
        self.parameterSets = parameterSets
        self.first = first
        self.second = second
        self.recoveryPoint = recoveryPoint
        self.undecodableNALCount = undecodableNALCount
        self.unparsableSliceCount = unparsableSliceCount
        self.inBandParameterSetIndices = inBandParameterSetIndices
        self.frameNumGap = frameNumGap
        self.damage = damage
    }
}

extension AccessUnit {
    /// The active sequence parameter set.
    public var sequenceParameterSet: SequenceParameterSet {
        parameterSets.sequenceParameterSet
    }

    /// The picture parameter set of the first slice.
    public var pictureParameterSet: PictureParameterSet {
        first.sliceHeader.pictureParameterSet
    }

    /// Changes when the content of ``spsBytes`` or ``ppsBytes`` does.
    public var parameterSetsGeneration: Int {
        parameterSets.generation
    }

    /// The active sequence parameter set as it came, emulation prevention included.
    public var spsBytes: [UInt8] {
        sequenceParameterSet.bytes
    }

    /// Every valid picture parameter set that names the active sequence parameter set, as it came, by ascending id.
    public var ppsBytes: [[UInt8]] {
        parameterSets.pictureParameterSets.map(\.bytes)
    }

    /// Whether the first picture is IDR.
    public var isIDR: Bool {
        first.isIDR
    }

    /// The larger `nal_ref_idc` of its pictures: not 0 where another picture may refer to one of them.
    public var referenceIDC: UInt8 {
        max(first.referenceIDC, second?.referenceIDC ?? 0)
    }

    /// `frame_num`.
    public var frameNum: Int {
        first.sliceHeader.frameNum
    }

    /// How the picture is coded.
    public var structure: Structure {
        let header = first.sliceHeader
        guard header.isField else { return header.isMBAFF ? .mbaff : .frame }
        return second != nil ? .fieldPair : header.isBottomField ? .bottomField : .topField
    }

    /// The type over all slices: any B makes B, else any P makes P.
    public var pictureType: SliceType {
        guard let second else { return first.pictureType }
        return first.pictureType.joined(second.pictureType)
    }

    /// The slices of its primary pictures.
    public var sliceCount: Int {
        first.sliceCount + (second?.sliceCount ?? 0)
    }

    /// The place in output order, comparable from one unit that ``beginsPictureOrder`` to the next.
    public var pictureOrderCount: PictureOrderCount {
        guard let second else { return first.pictureOrderCount }
        return first.pictureOrderCount.joined(second.pictureOrderCount)
    }

    /// Whether picture order counts start again with this unit.
    ///
    /// All units before it in decoding order precede it in output order. So with an IDR picture, and with a picture
    /// that has memory management control operation 5.
    public var beginsPictureOrder: Bool {
        first.isIDR || hasMMCO5
    }

    /// Whether memory management control operation 5 is in one of its pictures.
    public var hasMMCO5: Bool {
        first.hasMMCO5 || second?.hasMMCO5 == true
    }

    /// What the picture timing SEI message before the first picture says.
    public var pictureTiming: PictureTimingSEI? {
        first.pictureTiming
    }

    /// How long the unit is shown, in ticks of half a frame.
    ///
    /// By `pic_struct`, else 2. A field pair lasts 2 at least.
    public var fieldTicks: Int {
        guard let timing = first.pictureTiming else { return 2 }
        // Each field of a pair says 1 for itself.
        return second != nil ? max(2, timing.fieldTicks) : timing.fieldTicks
    }

    /// Whether decoding can begin here.
    public var randomAccess: RandomAccess {
        if isIDR { return .idr }
        if let recoveryPoint {
            return .recoveryPoint(recoveryFrameCount: recoveryPoint.recoveryFrameCount)
        }
        return pictureType.isIntra ? .intra : .none
    }

    /// Reference frames lost before this unit: missing, and not allowed to be.
    public var lostFrameCount: Int {
        guard let frameNumGap, !frameNumGap.isAllowed else { return 0 }
        return frameNumGap.frameCount
    }

    /// Whether the headers show that the unit is damaged or misses reference frames.
    public var isDamaged: Bool {
        !damage.isEmpty || lostFrameCount > 0
    }
}

extension SliceType {
    /// The type of a picture that has slices of both types.
    func joined(_ other: SliceType) -> SliceType {
        if self == other { return self }
        // The first that occurs; P stands for the picture as soon as there is a P slice.
        for type in [SliceType.b, .p, .sp, .i] where self == type || other == type { return type }
        return .si
    }
}
