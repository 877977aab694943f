/// Macroblocks of a slice: copied where the reference has the same, cells where they are flat, I_PCM elsewhere.
///
/// Source: ITU-T H.264 (08/2021) 7.3.4, 7.3.5.
struct SliceDataCoder {
    /// How an unchanged macroblock is coded.
    enum Copy {
        /// P_Skip or B_Skip.
        case skip
        /// `mb_type` of a 16 × 16 prediction without motion or residual: P_L0 0, B_L0 1, B_L1 2, B_Bi 3.
        case predicted(type: Int, lists: Int, referenceIndex: Int)
    }

    let target: Picture
    /// What a copied macroblock shows; `nil` in an I slice.
    let prediction: Picture?
    let copy: Copy
    let kind: PictureOptions.Kind
    let isField: Bool
    /// Which macroblock pairs are field coded; `nil` where the picture is no MBAFF frame.
    let isFieldPair: (@Sendable (Int) -> Bool)?
    let usesCells: Bool
    let activeReferences: Int
    let sliceQP: Int

    private var columns: Int { target.format.width / 16 }

    /// Writes the macroblocks of `range`, counted in macroblocks, or in pairs of an MBAFF frame.
    func write(_ range: Range<Int>, to bits: inout BitWriter) {
        var state = State(first: range.lowerBound, qp: sliceQP)
        if let isFieldPair {
            for pair in range { writePair(pair, isField: isFieldPair(pair), &state, to: &bits) }
        } else {
            let cells =
                usesCells && CellCoder.canCode(target.format)
                ? CellCoder(target: target, isField: isField) : nil
            for address in range { write(address, cells, &state, to: &bits) }
        }
        if state.skipped > 0 { bits.ue(state.skipped) }
    }

    private struct State {
        let first: Int
        var qp: Int
        var skipped = 0
        /// Addresses of the I_PCM macroblocks, whose blocks count as having 16 coefficients.
        var pcm: Set<Int> = []
    }

    /// Where a macroblock's rows are: those of a field macroblock in a frame are every second.
    private struct Place {
        let x: Int
        let y: Int
        let step: Int
    }

    private func isUnchanged(_ place: Place) -> Bool {
        guard let prediction else { return false }
        return target.planes.indices.allSatisfy { plane in
            let rows = self.rows(plane, place)
            return rows.allSatisfy {
                target.planes[plane].samples[$0] == prediction.planes[plane].samples[$0]
            }
        }
    }

    /// The index ranges of the macroblock's rows in plane `plane`.
    private func rows(_ plane: Int, _ place: Place) -> [Range<Int>] {
        let format = target.format
        let stepX = plane == 0 ? 1 : format.chromaStepX
        let stepY = plane == 0 ? 1 : format.chromaStepY
        // A field macroblock's first row is that of its pair, or the one below.
        let parity = place.step == 2 ? place.y & 1 : 0
        let top = (place.y - parity) / stepY + parity
        let width = target.planes[plane].width
        return (0..<16 / stepY).map { row in
            let start = (top + row * place.step) * width + place.x / stepX
            return start..<start + 16 / stepX
        }
    }

    private func beginCoded(_ state: inout State, to bits: inout BitWriter) {
        guard kind != .i else { return }
        bits.ue(state.skipped)
        state.skipped = 0
    }

    private func write(
        _ address: Int, _ cells: CellCoder?, _ state: inout State, to bits: inout BitWriter
    ) {
        let x = address % columns
        let y = address / columns
        let place = Place(x: x * 16, y: y * 16, step: 1)
        if isUnchanged(place) {
            if case .skip = copy {
                state.skipped += 1
            } else {
                beginCoded(&state, to: &bits)
                writePredicted(fieldInFrame: false, to: &bits)
            }
            return
        }
        beginCoded(&state, to: &bits)
        let hasLeft = x > 0 && address - 1 >= state.first
        let hasAbove = address - columns >= state.first
        if let code = cells?.code(x: x, y: y, hasLeft: hasLeft, hasAbove: hasAbove) {
            let left = hasLeft ? state.pcm.contains(address - 1) ? 16 : 0 : nil
            let above = hasAbove ? state.pcm.contains(address - columns) ? 16 : 0 : nil
            write(code, left: left, above: above, &state, to: &bits)
        } else {
            state.pcm.insert(address)
            writePCM(place, to: &bits)
        }
    }

    private func writePair(
        _ pair: Int, isField: Bool, _ state: inout State, to bits: inout BitWriter
    ) {
        let x = pair % columns * 16
        let y = pair / columns * 32
        var hasFlag = false
        for half in 0..<2 {
            let place =
                isField ? Place(x: x, y: y + half, step: 2) : Place(x: x, y: y + half * 16, step: 1)
            let isCopied = isUnchanged(place)
            if isCopied, case .skip = copy {
                state.skipped += 1
                continue
            }
            beginCoded(&state, to: &bits)
            if !hasFlag {
                bits.flag(isField)
                hasFlag = true
            }
            if isCopied {
                writePredicted(fieldInFrame: isField, to: &bits)
            } else {
                writePCM(place, to: &bits)
            }
        }
    }

    /// `mb_type` of an intra macroblock follows those of the inter ones in P and B slices.
    private var intraTypeOffset: Int {
        switch kind {
        case .i: 0
        case .p: 5
        case .b: 23
        }
    }

    private func writePredicted(fieldInFrame: Bool, to bits: inout BitWriter) {
        guard case .predicted(let type, let lists, let referenceIndex) = copy else { return }
        bits.ue(type)
        let maximum = (fieldInFrame ? 2 * activeReferences : activeReferences) - 1
        for _ in 0..<lists {
            bits.te(fieldInFrame ? 2 * referenceIndex : referenceIndex, maximum: maximum)
        }
        for _ in 0..<lists {
            bits.se(0)
            bits.se(0)
        }
        bits.ue(0)  // coded_block_pattern 0
    }

    private func writePCM(_ place: Place, to bits: inout BitWriter) {
        bits.ue(intraTypeOffset + 25)
        bits.align(with: false)
        for plane in target.planes.indices {
            let depth = target.format.bitDepth(ofPlane: plane)
            for row in rows(plane, place) {
                for sample in target.planes[plane].samples[row] { bits.u(Int(sample), bits: depth) }
            }
        }
    }

    private func write(
        _ code: CellCoder.Code, left: Int?, above: Int?, _ state: inout State,
        to bits: inout BitWriter
    ) {
        // Prediction mode DC, no luma AC; chroma DC or nothing.
        bits.ue(intraTypeOffset + 3 + (code.chroma.isEmpty ? 0 : 4))
        bits.ue(0)  // intra_chroma_pred_mode DC
        bits.se(code.qp - state.qp)
        state.qp = code.qp
        let neighbours =
            switch (left, above) {
            case (let left?, let above?): (left + above + 1) >> 1
            default: left ?? above ?? 0
            }
        CoefficientCoder.write(code.luma, context: .luma(neighbours: neighbours), to: &bits)
        for plane in code.chroma { CoefficientCoder.write(plane, context: .chromaDC, to: &bits) }
    }
}
