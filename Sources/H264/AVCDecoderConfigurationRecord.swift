/// The payload of an `avcC` box: the parameter sets of a stream in AVCC framing.
///
/// Source: ISO/IEC 14496-15 5.3.3.1.
public struct AVCDecoderConfigurationRecord: Hashable, Sendable {
    /// `AVCProfileIndication`: `profile_idc`.
    public let profileIDC: UInt8
    /// `profile_compatibility`: the constraint flags.
    public let constraintFlags: UInt8
    /// `AVCLevelIndication`: `level_idc`.
    public let levelIDC: UInt8
    /// The bytes of a NAL unit's length: 1, 2 or 4.
    public let nalUnitHeaderLength: Int
    /// The sequence parameter sets, whole NAL units.
    public let sequenceParameterSets: [[UInt8]]
    /// The picture parameter sets, whole NAL units.
    public let pictureParameterSets: [[UInt8]]
    /// The sequence parameter set extensions, whole NAL units.
    public let sequenceParameterSetExtensions: [[UInt8]]
    /// `chroma_format`, luma and chroma bit depth, where the profile has them and the record goes so far.
    public let format: Format?

    /// The sample format as the record has it.
    public struct Format: Hashable, Sendable {
        /// `chroma_format`, 0...3.
        public let chromaFormatIDC: UInt8
        /// Bits of a luma sample, 8...15.
        public let bitDepthLuma: UInt8
        /// Bits of a chroma sample, 8...15.
        public let bitDepthChroma: UInt8
    }

    /// Makes a record of parameter sets, which are whole NAL units with emulation prevention.
    ///
    /// - Parameters:
    ///   - sps: The sequence parameter sets, 1...31; the first gives profile, level and format.
    ///   - pps: The picture parameter sets, at most 255.
    ///   - spsExtensions: The extensions, at most 255; written only for profiles whose records have room for them.
    ///   - nalUnitHeaderLength: The bytes of a NAL unit's length: 1, 2 or 4.
    /// - Throws: Where there is no valid set in front, or there are too many or too long ones.
    public init(
        sps: [[UInt8]], pps: [[UInt8]], spsExtensions: [[UInt8]] = [],
        nalUnitHeaderLength: Int = 4
    ) throws(BitstreamError) {
        AVCC.checkLengthByteCount(nalUnitHeaderLength)
        guard let first = sps.first else {
            throw .missingParameterSet(element: "seq_parameter_set_id", id: 0)
        }
        try Self.check(sps, limit: 31, "numOfSequenceParameterSets")
        try Self.check(pps, limit: 255, "numOfPictureParameterSets")
        try Self.check(spsExtensions, limit: 255, "numOfSequenceParameterSetExt")
        let set = try SequenceParameterSet(nalUnit: first)
        profileIDC = set.profileIDC
        constraintFlags = set.constraintFlags
        levelIDC = set.levelIDC
        self.nalUnitHeaderLength = nalUnitHeaderLength
        sequenceParameterSets = sps
        pictureParameterSets = pps
        if Self.hasFormat(set.profileIDC) {
            format = Format(
                chromaFormatIDC: UInt8(set.chromaFormatIDC), bitDepthLuma: UInt8(set.bitDepthLuma),
                bitDepthChroma: UInt8(set.bitDepthChroma))
            sequenceParameterSetExtensions = spsExtensions
        } else {
            format = nil
            sequenceParameterSetExtensions = []
        }
    }

    private static func check(
        _ sets: [[UInt8]], limit: Int, _ element: String
    ) throws(BitstreamError) {
        guard sets.count <= limit else {
            throw .invalidValue(element: element, value: Int64(sets.count), bit: 0)
        }
        for set in sets where set.isEmpty || set.count > 65535 {
            throw .invalidLength(offset: 0, length: set.count, available: 65535)
        }
    }

    /// Profiles whose records go on behind the picture parameter sets.
    private static func hasFormat(_ profileIDC: UInt8) -> Bool {
        switch profileIDC {
        case 100, 110, 122, 144: true
        default: false
        }
    }

    /// Reads a record; one that ends behind the picture parameter sets is accepted.
    public init(bytes: [UInt8]) throws(BitstreamError) {
        guard bytes.count >= 7 else {
            throw .truncated(bit: bytes.count * 8, needed: (7 - bytes.count) * 8)
        }
        guard bytes[0] == 1 else {
            throw .invalidValue(element: "configurationVersion", value: Int64(bytes[0]), bit: 0)
        }
        profileIDC = bytes[1]
        constraintFlags = bytes[2]
        levelIDC = bytes[3]
        nalUnitHeaderLength = Int(bytes[4] & 3) + 1
        guard nalUnitHeaderLength != 3 else {
            throw .invalidValue(element: "lengthSizeMinusOne", value: 2, bit: 38)
        }
        var index = 6
        sequenceParameterSets = try Self.readSets(bytes, &index, count: Int(bytes[5] & 0x1F))
        guard index < bytes.count else { throw .truncated(bit: index * 8, needed: 8) }
        let count = Int(bytes[index])
        index += 1
        pictureParameterSets = try Self.readSets(bytes, &index, count: count)

        guard Self.hasFormat(profileIDC), bytes.count - index >= 4 else {
            format = nil
            sequenceParameterSetExtensions = []
            return
        }
        format = Format(
            chromaFormatIDC: bytes[index] & 3, bitDepthLuma: bytes[index + 1] & 7 + 8,
            bitDepthChroma: bytes[index + 2] & 7 + 8)
        let extensionCount = Int(bytes[index + 3])
        index += 4
        sequenceParameterSetExtensions = try Self.readSets(bytes, &index, count: extensionCount)
    }

    private static func readSets(
        _ bytes: [UInt8], _ index: inout Int, count: Int
    ) throws(BitstreamError) -> [[UInt8]] {
        var sets: [[UInt8]] = []
        for _ in 0..<count {
            guard bytes.count - index >= 2 else {
                throw .truncated(bit: bytes.count * 8, needed: (index + 2 - bytes.count) * 8)
            }
            let length = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            guard length <= bytes.count - index - 2 else {
                throw .invalidLength(
                    offset: index, length: length, available: bytes.count - index - 2)
            }
            sets.append(Array(bytes[index + 2..<index + 2 + length]))
            index += 2 + length
        }
        return sets
    }

    /// The record as bytes.
    public var serialized: [UInt8] {
        var bytes: [UInt8] = [
            1, profileIDC, constraintFlags, levelIDC, 0xFC | UInt8(nalUnitHeaderLength - 1),
            0xE0 | UInt8(sequenceParameterSets.count),
        ]
        Self.append(sequenceParameterSets, to: &bytes)
        bytes.append(UInt8(pictureParameterSets.count))
        Self.append(pictureParameterSets, to: &bytes)
        if let format {
            bytes.append(0xFC | format.chromaFormatIDC)
            bytes.append(0xF8 | (format.bitDepthLuma - 8))
            bytes.append(0xF8 | (format.bitDepthChroma - 8))
            bytes.append(UInt8(sequenceParameterSetExtensions.count))
            Self.append(sequenceParameterSetExtensions, to: &bytes)
        }
        return bytes
    }

    private static func append(_ sets: [[UInt8]], to bytes: inout [UInt8]) {
        for set in sets {
            bytes.append(UInt8(set.count >> 8))
            bytes.append(UInt8(set.count & 0xFF))
            bytes.append(contentsOf: set)
        }
    }
}
