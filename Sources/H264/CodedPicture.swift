/// A primary coded picture: a frame or a field.
///
/// Immutable and shared.
public final class CodedPicture: Sendable {
    /// The header of the first slice that can be parsed.
    public let sliceHeader: SliceHeader
    /// The slices of the primary picture; data partitions A count, B and C do not.
    public let sliceCount: Int
    /// The slices of redundant pictures.
    public let redundantSliceCount: Int
    /// The indices of its NAL units in the access unit's, with the SEI and the like that precede its slices.
    public let nalIndices: Range<Int>
    /// The type over all slices: any B makes B, else any P makes P.
    public let pictureType: SliceType
    /// The place in output order.
    public let pictureOrderCount: PictureOrderCount
    /// What the picture timing SEI message before it says.
    public let pictureTiming: PictureTimingSEI?

    init(
        sliceHeader: SliceHeader, sliceCount: Int, redundantSliceCount: Int,
        nalIndices: Range<Int>, pictureType: SliceType, pictureOrderCount: PictureOrderCount,
        pictureTiming: PictureTimingSEI?
    ) {
        self.sliceHeader = sliceHeader
        self.sliceCount = sliceCount
        self.redundantSliceCount = redundantSliceCount
        self.nalIndices = nalIndices
        self.pictureType = pictureType
        self.pictureOrderCount = pictureOrderCount
        self.pictureTiming = pictureTiming
    }

    /// `nal_ref_idc` of the first slice.
    public var referenceIDC: UInt8 {
        sliceHeader.nalUnitHeader.referenceIDC
    }

    /// Whether the picture is an IDR picture.
    public var isIDR: Bool {
        sliceHeader.isIDR
    }

    /// Whether memory management control operation 5 ends all references.
    public var hasMMCO5: Bool {
        sliceHeader.referenceMarking?.hasUnmarkAll == true
    }
}
