/// Transform coefficient levels as CAVLC has them.
///
/// Source: ITU-T H.264 (08/2021) 9.2.
enum CoefficientCoder {
    /// The largest magnitude a level may have: what twelve suffix bits reach in every profile.
    static let maximumLevel = 2000

    /// Where the number of coefficients' code comes from.
    enum Context {
        /// Luma, by the mean number of coefficients in the blocks at left and above: 0 or, beside I_PCM, 8 or more.
        case luma(neighbours: Int)
        /// The 2 × 2 DC levels of a chroma plane in 4:2:0.
        case chromaDC
    }

    /// Writes a block of levels in scan order.
    static func write(_ levels: [Int], context: Context, to bits: inout BitWriter) {
        let positions = levels.indices.filter { levels[$0] != 0 }
        let total = positions.count
        // From the highest frequency down.
        let nonZero = positions.reversed().map { levels[$0] }
        let ones = min(3, nonZero.prefix { abs($0) == 1 }.count)
        writeToken(total: total, ones: ones, context: context, to: &bits)
        guard let last = positions.last else { return }
        for level in nonZero.prefix(ones) { bits.flag(level < 0) }
        writeLevels(nonZero, ones: ones, to: &bits)
        var zerosLeft = last + 1 - total
        if total < levels.count {
            switch context {
            case .luma: write(CoefficientTables.totalZeros[total - 1][zerosLeft], to: &bits)
            case .chromaDC:
                write(CoefficientTables.chromaTotalZeros[total - 1][zerosLeft], to: &bits)
            }
        }
        for at in positions.indices.dropFirst().reversed() where zerosLeft > 0 {
            let run = positions[at] - positions[at - 1] - 1
            write(CoefficientTables.runsBefore[min(zerosLeft, 7) - 1][run], to: &bits)
            zerosLeft -= run
        }
    }

    private static func write(_ word: CoefficientTables.Word, to bits: inout BitWriter) {
        bits.u(word.value, bits: word.bits)
    }

    private static func writeToken(
        total: Int, ones: Int, context: Context, to bits: inout BitWriter
    ) {
        switch context {
        case .luma(let neighbours) where neighbours >= 8:
            bits.u(total == 0 ? 3 : (total - 1) << 2 | ones, bits: 6)
        case .luma(let neighbours):
            precondition(neighbours < 2, "\(neighbours) coefficients beside")
            write(CoefficientTables.coefficientTokens[total][ones], to: &bits)
        case .chromaDC:
            write(CoefficientTables.chromaCoefficientTokens[total][ones], to: &bits)
        }
    }

    private static func writeLevels(_ nonZero: [Int], ones: Int, to bits: inout BitWriter) {
        var suffixLength = nonZero.count > 10 && ones < 3 ? 1 : 0
        for at in nonZero.indices.dropFirst(ones) {
            let level = nonZero[at]
            var code = level > 0 ? 2 * level - 2 : -2 * level - 1
            if at == ones && ones < 3 { code -= 2 }
            if suffixLength == 0 && code < 14 {
                bits.u(1, bits: code + 1)
            } else if suffixLength == 0 && code < 30 {
                bits.u(1, bits: 15)
                bits.u(code - 14, bits: 4)
            } else if suffixLength > 0 && code < 15 << suffixLength {
                bits.u(1, bits: code >> suffixLength + 1)
                bits.u(code & (1 << suffixLength - 1), bits: suffixLength)
            } else {
                bits.u(1, bits: 16)
                bits.u(code - (suffixLength == 0 ? 30 : 15 << suffixLength), bits: 12)
            }
            if suffixLength == 0 { suffixLength = 1 }
            if abs(level) > 3 << (suffixLength - 1) && suffixLength < 6 { suffixLength += 1 }
        }
    }
}
