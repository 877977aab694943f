/// One step of the modification of a reference picture list.
///
/// Source: ITU-T H.264 (08/2021) 7.3.3.1, table 7-7.
public enum ReferencePictureListModification: Hashable, Sendable {
    /// `modification_of_pic_nums_idc` 0 (difference negative) or 1, `abs_diff_pic_num_minus1` + 1.
    case pictureNumberDifference(Int64)
    /// `modification_of_pic_nums_idc` 2, `long_term_pic_num`.
    case longTermPictureNumber(UInt32)

    /// The steps a list can have at most: one an entry.
    static let maximumCount = 33

    static func readList(
        _ reader: inout BitReader
    ) throws(BitstreamError) -> [ReferencePictureListModification] {
        guard try reader.readFlag() else { return [] }
        var list: [ReferencePictureListModification] = []
        while true {
            let bit = reader.bitPosition
            switch try reader.readUE("modification_of_pic_nums_idc", 0...3) {
            case 0: list.append(.pictureNumberDifference(-Int64(try reader.readUE()) - 1))
            case 1: list.append(.pictureNumberDifference(Int64(try reader.readUE()) + 1))
            case 2: list.append(.longTermPictureNumber(try reader.readUE()))
            default: return list
            }
            guard list.count <= maximumCount else {
                throw .invalidValue(
                    element: "modification_of_pic_nums_idc", value: Int64(list.count), bit: bit)
            }
        }
    }
}
