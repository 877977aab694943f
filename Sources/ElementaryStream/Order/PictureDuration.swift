package import H264

/// How long an access unit's picture stays, in ticks of the stream's time scale.
///
/// Fields of a tick each (E.2.1), counted by pic_struct where the stream has it (table D-1). A later
/// sequence parameter set with another rate is converted to the first one's time scale; what does
/// not divide is carried on, so that no error adds up.
package struct PictureDuration {
    /// The rate that set the time scale.
    package let rate: PictureRate
    private let isFixed: Bool
    private var current: PictureRate
    private var currentIdentifier: Int
    private var carry: Int64 = 0

    /// - Parameters:
    ///   - asked: The caller's rate, which overrides the stream's.
    ///   - sps: The first sequence parameter set in use.
    ///   - generation: Which generation of parameter sets that is.
    package init(asked: PictureRate?, first sps: SequenceParameterSet, generation: Int) {
        rate = asked ?? PictureRate(sps)
        isFixed = asked != nil
        current = rate
        currentIdentifier = generation
    }

    /// The duration of the next access unit in decoding order.
    package mutating func ticks(of unit: AccessUnit) -> Int64 {
        if !isFixed, unit.parameterSetsGeneration != currentIdentifier {
            currentIdentifier = unit.parameterSetsGeneration
            let next = PictureRate(unit.sequenceParameterSet)
            if next != current {
                current = next
                carry = 0
            }
        }
        let halves = Int64(unit.fieldTicks)
        if current.timescale == rate.timescale { return halves * Int64(current.halfPicture) }
        let scaled =
            Int128(halves) * Int128(current.halfPicture) * Int128(rate.timescale) + Int128(carry)
        let (ticks, rest) = scaled.quotientAndRemainder(dividingBy: Int128(current.timescale))
        carry = Int64(rest)
        return max(Int64(ticks), 1)
    }
}
