/// Picture order counts, both ways: what a slice header must say, and what follows from it.
///
/// Source: ITU-T H.264 (08/2021) 8.2.1.
struct OrderCounter {
    /// What the slice header carries.
    struct Fields {
        /// `pic_order_cnt_lsb` (type 0).
        var leastSignificantBits = 0
        /// `delta_pic_order_cnt_bottom` (type 0) or `delta_pic_order_cnt` (type 1).
        var deltas = [0, 0]
        /// Of the top and the bottom field, those that the picture has.
        var orderCounts: [Int?] = [nil, nil]
    }

    private var previousFrameNum = 0
    private var frameNumOffset = 0
    /// The largest order count of the sequence so far.
    private(set) var largest = -2

    /// Begins a sequence: an IDR picture comes.
    mutating func reset() { self = OrderCounter() }

    /// After a picture with MMCO 5 whose own order counts, then, are `orderCounts`.
    mutating func resetAfterUnmarkAll(largest: Int) {
        self = OrderCounter()
        self.largest = largest
    }

    /// Takes in the frame_num of a picture, also of one that a gap leaves out.
    mutating func advance(to frameNum: Int, maxFrameNum: Int) {
        if previousFrameNum > frameNum { frameNumOffset += maxFrameNum }
        previousFrameNum = frameNum
    }

    /// The header fields for a picture whose frame_num was taken in.
    ///
    /// `wanted` is of the top field of a frame, or of the field; `nil` takes the next. `isSecond` says that it is the second field of a frame.
    mutating func fields(
        sequence: SequenceParameters, structure: PictureStructure, wanted: Int?, bottomOffset: Int?,
        isReference: Bool, isSecond: Bool
    ) -> Fields {
        var fields = Fields()
        switch sequence.orderCounting {
        case .leastSignificantBits(let log2Maximum):
            let count = wanted ?? (isSecond ? largest + 1 : (largest + 2) & ~1)
            let offset = bottomOffset ?? (sequence.isFramesOnly ? 0 : 1)
            fields.leastSignificantBits = count & (1 << log2Maximum - 1)
            if structure == .frame { fields.deltas[0] = offset }
            set(
                &fields, structure, top: count, bottom: structure == .frame ? count + offset : count
            )
        case .cycle(let nonReference, let topToBottom, let offsets, let deltasAreZero):
            let expected = expectedCount(
                isReference: isReference, nonReference: nonReference, offsets: offsets)
            let own = structure == .bottom ? expected + topToBottom : expected
            let count = wanted ?? own
            precondition(
                !deltasAreZero || count == own, "order count \(count) is not the expected \(own)")
            fields.deltas[0] = count - own
            var bottom = count
            if structure == .frame {
                bottom = count + topToBottom
                if let bottomOffset, !deltasAreZero {
                    fields.deltas[1] = count + bottomOffset - bottom
                    bottom = count + bottomOffset
                }
            }
            set(&fields, structure, top: count, bottom: bottom)
        case .decodeOrder:
            let count = 2 * (frameNumOffset + previousFrameNum) - (isReference ? 0 : 1)
            precondition(wanted == nil || wanted == count, "order count is \(count)")
            set(&fields, structure, top: max(0, count), bottom: max(0, count))
        }
        largest = max(largest, fields.orderCounts.compactMap(\.self).max() ?? 0)
        return fields
    }

    private func set(_ fields: inout Fields, _ structure: PictureStructure, top: Int, bottom: Int) {
        if structure != .bottom { fields.orderCounts[0] = top }
        if structure != .top { fields.orderCounts[1] = bottom }
    }

    private func expectedCount(isReference: Bool, nonReference: Int, offsets: [Int]) -> Int {
        var number = offsets.isEmpty ? 0 : frameNumOffset + previousFrameNum
        if !isReference && number > 0 { number -= 1 }
        var expected = 0
        if number > 0 {
            let cycles = (number - 1) / offsets.count
            expected = cycles * offsets.reduce(0, +)
            expected += offsets[...((number - 1) % offsets.count)].reduce(0, +)
        }
        return isReference ? expected : expected + nonReference
    }
}
