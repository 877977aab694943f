extension AccessUnitParser {
    /// Where the next unit begins if the next slice is of another picture.
    struct Boundary: Sendable {
        let index: Int
        let offset: Int64
        /// False for a prefix NAL unit, which may precede any slice of the picture.
        var isFirm: Bool
        var hasDelimiter = false
    }

    /// A picture whose slices are arriving.
    struct PictureUnderWay: Sendable {
        let header: SliceHeader
        let start: Int
        let order: PictureOrderCount
        let timing: PictureTimingSEI?
        var type: SliceType
        var sliceCount = 0
        var redundantSliceCount = 0
        var hasFirstMacroblock = false

        mutating func add(_ header: SliceHeader) {
            sliceCount += 1
            type = type.joined(header.sliceType)
            if header.firstMacroblock == 0 { hasFirstMacroblock = true }
        }

        func coded(end: Int) -> CodedPicture {
            CodedPicture(
                sliceHeader: header, sliceCount: sliceCount,
                redundantSliceCount: redundantSliceCount, nalIndices: start..<max(start, end),
                pictureType: type, pictureOrderCount: order, pictureTiming: timing)
        }
    }

    /// What is known of the unit under way beside its NAL units.
    struct UnitUnderWay: Sendable {
        var first: PictureUnderWay?
        var second: PictureUnderWay?
        var active: ActiveParameterSets?
        var recoveryPoint: RecoveryPointSEI?
        var undecodableNALCount = 0
        var unparsableSliceCount = 0
        var inBandParameterSets: [Int] = []
        var gap: FrameNumTracker.Gap?
        var damage: AccessUnit.Damage = []

        /// The picture that slices arriving now may belong to.
        var current: PictureUnderWay? { second ?? first }
    }

    struct PendingSEI: Sendable {
        var recoveryPoint: RecoveryPointSEI?
        /// The payload of a picture timing message: it can be read once the slice tells the parameter sets.
        var pictureTiming: [UInt8] = []
    }
}
