/// Explicit weights of inter prediction: `pred_weight_table()`.
///
/// Source: ITU-T H.264 (08/2021) 7.3.3.2.
public struct PredictionWeightTable: Hashable, Sendable {
    /// Weight and offset of one component.
    public struct Weight: Hashable, Sendable {
        /// The factor, -128...127 (128 where it is the inferred `1 << 7`).
        public let weight: Int16
        /// The addend, -128...127.
        public let offset: Int16
    }

    /// The weights of one entry of a reference list; nil where the default holds.
    public struct Entry: Hashable, Sendable {
        /// For luma.
        public let luma: Weight?
        /// For Cb.
        public let cb: Weight?
        /// For Cr.
        public let cr: Weight?
    }

    /// `luma_log2_weight_denom`, 0...7.
    public let lumaLog2Denominator: Int
    /// `chroma_log2_weight_denom`, 0...7; 0 where there is no chroma.
    public let chromaLog2Denominator: Int
    /// An entry for each of list 0.
    public let list0: [Entry]
    /// An entry for each of list 1; empty but in B slices.
    public let list1: [Entry]

    init(
        _ reader: inout BitReader, chromaArrayType: Int, count0: Int, count1: Int
    ) throws(BitstreamError) {
        let hasChroma = chromaArrayType != 0
        lumaLog2Denominator = Int(try reader.readUE("luma_log2_weight_denom", 0...7))
        chromaLog2Denominator =
            hasChroma ? Int(try reader.readUE("chroma_log2_weight_denom", 0...7)) : 0
        list0 = try Self.readList(&reader, hasChroma: hasChroma, count: count0)
        list1 = try Self.readList(&reader, hasChroma: hasChroma, count: count1)
    }

    private static func readList(
        _ reader: inout BitReader, hasChroma: Bool, count: Int
    ) throws(BitstreamError) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let luma = try reader.readFlag() ? try readWeight(&reader) : nil
            var cb: Weight?
            var cr: Weight?
            if hasChroma, try reader.readFlag() {
                cb = try readWeight(&reader)
                cr = try readWeight(&reader)
            }
            entries.append(Entry(luma: luma, cb: cb, cr: cr))
        }
        return entries
    }

    private static func readWeight(_ reader: inout BitReader) throws(BitstreamError) -> Weight {
        Weight(
            weight: Int16(try reader.readSE("weight", -128...127)),
            offset: Int16(try reader.readSE("offset", -128...127)))
    }
}
