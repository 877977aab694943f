extension CMTime: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, timescale, flags, epoch
    }

    /// Reads the four fields by their names.
    ///
    /// - Throws: What the decoder throws when a field is missing or is no number of its size.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            value: try fields.decode(CMTimeValue.self, forKey: .value),
            timescale: try fields.decode(CMTimeScale.self, forKey: .timescale),
            flags: CMTimeFlags(rawValue: try fields.decode(UInt32.self, forKey: .flags)),
            epoch: try fields.decode(CMTimeEpoch.self, forKey: .epoch))
    }

    /// Writes the four fields under their names.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(value, forKey: .value)
        try fields.encode(timescale, forKey: .timescale)
        try fields.encode(flags.rawValue, forKey: .flags)
        try fields.encode(epoch, forKey: .epoch)
    }

    /// The four fields by Apple's names for them: `value`, `timescale`, `epoch`, `flags`.
    public var dictionaryRepresentation: [String: Int64] {
        [
            CodingKeys.value.rawValue: value,
            CodingKeys.timescale.rawValue: Int64(timescale),
            CodingKeys.epoch.rawValue: epoch,
            CodingKeys.flags.rawValue: Int64(flags.rawValue),
        ]
    }

    /// The time that ``dictionaryRepresentation`` describes; ``invalid`` when a key is missing or a
    /// number does not fit its field.
    public init(dictionaryRepresentation fields: [String: Int64]) {
        func field<Field: FixedWidthInteger>(_ key: CodingKeys) -> Field? {
            fields[key.rawValue].flatMap { Field(exactly: $0) }
        }
        guard
            let value: CMTimeValue = field(.value), let timescale: CMTimeScale = field(.timescale),
            let epoch: CMTimeEpoch = field(.epoch), let flags: UInt32 = field(.flags)
        else {
            self = .invalid
            return
        }
        self.init(
            value: value, timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: epoch)
    }
}
