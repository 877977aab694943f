/// Macroblocks made of flat 4 × 4 cells, coded without loss as Intra_16x16 with nothing but DC levels.
///
/// A few dozen bytes where I_PCM takes 384, so that a clip of mosaic pictures can move all over and last for seconds.
///
/// Source: ITU-T H.264 (08/2021) 8.3.3, 8.3.4, 8.5.
struct CellCoder {
    /// What to write.
    struct Code {
        var qp: Int
        /// In scan order.
        var luma: [Int]
        /// Cb and Cr; both empty where chroma is as predicted.
        var chroma: [[Int]]
    }

    let target: Picture
    let isField: Bool
    /// Coarse first: fewer bits.
    private static let quantisers = [24, 18, 12, 6, 3, 0]
    private static let normalisation = [10, 11, 13, 14, 16, 18]
    private static let frameScan = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]
    private static let fieldScan = [0, 4, 1, 8, 12, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
    private static let hadamard = [
        [1, 1, 1, 1], [1, 1, -1, -1], [1, -1, -1, 1], [1, -1, 1, -1],
    ]

    /// Only 8-bit 4:2:0 is coded this way.
    static func canCode(_ format: PictureFormat) -> Bool {
        format.chroma == .yuv420 && format.bitDepthLuma == 8 && format.bitDepthChroma == 8
    }

    /// The levels that give exactly the macroblock at (`x`, `y`), counted in macroblocks, or `nil`.
    func code(x: Int, y: Int, hasLeft: Bool, hasAbove: Bool) -> Code? {
        guard let luma = cells(plane: 0, x: x * 16, y: y * 16, across: 4),
            let cb = cells(plane: 1, x: x * 8, y: y * 8, across: 2),
            let cr = cells(plane: 2, x: x * 8, y: y * 8, across: 2)
        else { return nil }
        let lumaPrediction = lumaDC(x: x * 16, y: y * 16, hasLeft: hasLeft, hasAbove: hasAbove)
        let lumaDifference = luma.map { $0 - lumaPrediction }
        let chromaDifference = [cb, cr].enumerated().map { index, cells in
            cells.indices.map {
                cells[$0]
                    - chromaDC(
                        plane: index + 1, x: x * 8, y: y * 8, block: $0, hasLeft: hasLeft,
                        hasAbove: hasAbove)
            }
        }
        let hasChroma = chromaDifference.contains { $0.contains { $0 != 0 } }
        for qp in Self.quantisers {
            guard let levels = lumaLevels(lumaDifference, qp: qp) else { continue }
            guard hasChroma else { return Code(qp: qp, luma: levels, chroma: []) }
            let chroma = chromaDifference.compactMap { chromaLevels($0, qp: qp) }
            if chroma.count == 2 { return Code(qp: qp, luma: levels, chroma: chroma) }
        }
        return nil
    }

    /// The values of the flat 4 × 4 cells, row by row; `nil` if one is not flat.
    private func cells(plane: Int, x: Int, y: Int, across: Int) -> [Int]? {
        let samples = target.planes[plane]
        var values: [Int] = []
        for cell in 0..<across * across {
            let left = x + cell % across * 4
            let top = y + cell / across * 4
            let value = samples[left, top]
            for row in 0..<4 {
                for column in 0..<4 where samples[left + column, top + row] != value { return nil }
            }
            values.append(Int(value))
        }
        return values
    }

    private func sumAbove(_ plane: Int, x: Int, y: Int, count: Int) -> Int {
        (0..<count).reduce(0) { $0 + Int(target.planes[plane][x + $1, y - 1]) }
    }

    private func sumLeft(_ plane: Int, x: Int, y: Int, count: Int) -> Int {
        (0..<count).reduce(0) { $0 + Int(target.planes[plane][x - 1, y + $1]) }
    }

    private func lumaDC(x: Int, y: Int, hasLeft: Bool, hasAbove: Bool) -> Int {
        let left = hasLeft ? sumLeft(0, x: x, y: y, count: 16) : 0
        let above = hasAbove ? sumAbove(0, x: x, y: y, count: 16) : 0
        return switch (hasLeft, hasAbove) {
        case (true, true): (left + above + 16) >> 5
        case (false, false): 128
        default: (left + above + 8) >> 4
        }
    }

    private func chromaDC(
        plane: Int, x: Int, y: Int, block: Int, hasLeft: Bool, hasAbove: Bool
    ) -> Int {
        let column = block % 2 * 4
        let row = block / 2 * 4
        let left = hasLeft ? sumLeft(plane, x: x, y: y + row, count: 4) : nil
        let above = hasAbove ? sumAbove(plane, x: x + column, y: y, count: 4) : nil
        // The blocks off the diagonal take one side alone where they can (8.3.4.1-3).
        if block == 1, let above { return (above + 2) >> 2 }
        if block == 2, let left { return (left + 2) >> 2 }
        return switch (left, above) {
        case (let left?, let above?): (left + above + 4) >> 3
        case (let one?, nil), (nil, let one?): (one + 2) >> 2
        case (nil, nil): 128
        }
    }

    /// Levels in scan order whose inverse transform is exactly `difference`.
    private func lumaLevels(_ difference: [Int], qp: Int) -> [Int]? {
        let scale = 16 * Self.normalisation[qp % 6]
        let step = Double(scale << (qp / 6)) / 64 / 64
        let transformed = Self.transform(difference.map { Double($0) / step })
        let levels = transformed.map { Int(($0 / 16).rounded()) }
        guard levels.allSatisfy({ abs($0) <= CoefficientCoder.maximumLevel }) else { return nil }
        let back = Self.transform(levels.map(Double.init)).map { Int($0) }
        for (value, wanted) in zip(back, difference) {
            let dc = (value * scale + 1 << (5 - qp / 6)) >> (6 - qp / 6)
            if (dc + 32) >> 6 != wanted { return nil }
        }
        return (isField ? Self.fieldScan : Self.frameScan).map { levels[$0] }
    }

    private static func transform(_ values: [Double]) -> [Double] {
        var rows = [Double](repeating: 0, count: 16)
        var result = rows
        for i in 0..<4 {
            for j in 0..<4 {
                for k in 0..<4 { rows[4 * i + j] += Double(hadamard[i][k]) * values[4 * k + j] }
            }
        }
        for i in 0..<4 {
            for j in 0..<4 {
                for k in 0..<4 { result[4 * i + j] += rows[4 * i + k] * Double(hadamard[k][j]) }
            }
        }
        return result
    }

    private func chromaLevels(_ difference: [Int], qp: Int) -> [Int]? {
        let scale = 16 * Self.normalisation[qp % 6]
        let step = Double(scale << (qp / 6)) / 32 / 64
        func transform<Number: SignedNumeric>(_ v: [Number]) -> [Number] {
            [
                v[0] + v[1] + v[2] + v[3], v[0] - v[1] + v[2] - v[3],
                v[0] + v[1] - v[2] - v[3], v[0] - v[1] - v[2] + v[3],
            ]
        }
        let levels = transform(difference.map { Double($0) / step }).map { Int(($0 / 4).rounded()) }
        guard levels.allSatisfy({ abs($0) <= CoefficientCoder.maximumLevel }) else { return nil }
        for (value, wanted) in zip(transform(levels), difference) {
            let dc = ((value * scale) << (qp / 6)) >> 5
            if (dc + 32) >> 6 != wanted { return nil }
        }
        return levels
    }
}
