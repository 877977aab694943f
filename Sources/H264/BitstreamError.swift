/// Why a parse stopped.
///
/// Positions are bits of the RBSP (header byte and emulation prevention removed) unless a case says otherwise.
public enum BitstreamError: Error, Hashable, Sendable {
    /// The data ended at `bit`, `needed` bits too early.
    case truncated(bit: Int, needed: Int)
    /// The element, named as in the Recommendation, holds a value it forbids.
    case invalidValue(element: String, value: Int64, bit: Int)
    /// A slice or picture parameter set refers to a parameter set that was not received or is not usable.
    case missingParameterSet(element: String, id: UInt32)
    /// The NAL unit is of another type than the parser is for.
    case unexpectedNALUnitType(NALUnitType)
    /// A length field at byte `offset` claims `length` bytes where `available` remain.
    case invalidLength(offset: Int, length: Int, available: Int)
}
