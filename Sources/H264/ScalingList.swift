/// One entry of a scaling matrix as it is coded.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.1.1.1, table 7-2.
public enum ScalingList: Hashable, Sendable {
    /// Not present: fall-back rule A or B gives the values.
    case fallback
    /// The default list of table 7-3 or 7-4.
    case useDefault
    /// 16 or 64 values, in the order they are coded in.
    case values([UInt8])

    /// Reads `count` lists: the first six have 16 values, the others 64.
    static func readMatrix(
        _ reader: inout BitReader, count: Int
    ) throws(BitstreamError) -> [ScalingList] {
        var lists: [ScalingList] = []
        lists.reserveCapacity(count)
        for index in 0..<count {
            guard try reader.readFlag() else {
                lists.append(.fallback)
                continue
            }
            lists.append(try read(&reader, size: index < 6 ? 16 : 64))
        }
        return lists
    }

    private static func read(
        _ reader: inout BitReader, size: Int
    ) throws(BitstreamError) -> ScalingList {
        var values = [UInt8](repeating: 0, count: size)
        var last = 8
        var next = 8
        for index in 0..<size {
            if next != 0 {
                let delta = try reader.readSE("delta_scale", -128...127)
                next = (last + Int(delta) + 256) % 256
                if index == 0 && next == 0 { return .useDefault }
            }
            if next != 0 { last = next }
            values[index] = UInt8(last)
        }
        return .values(values)
    }
}
