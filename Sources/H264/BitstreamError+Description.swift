extension BitstreamError: CustomStringConvertible {
    /// What is wrong, behind the name of what is parsed.
    public var description: String {
        switch self {
        case .truncated(let bit, let needed): "ends at bit \(bit), \(needed) bits too early"
        case .invalidValue(let element, let value, _): "\(element) may not be \(value)"
        case .missingParameterSet(let element, let id): "\(element) \(id) is not there"
        case .unexpectedNALUnitType(let type): "is of another kind: \(type.name)"
        case .invalidLength(_, let length, let available):
            "\(length) bytes where \(available) are allowed"
        }
    }
}
