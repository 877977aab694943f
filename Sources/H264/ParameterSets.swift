/// The parameter sets received so far.
///
/// A picture parameter set is parsed when it is used, against the sequence parameter set of that moment; a set that
/// arrives again with the same bytes is not parsed again. A sequence parameter set that changes while it is in use
/// waits for the next ``activate(_:)``.
///
/// Source: ITU-T H.264 (08/2021) 7.4.1.2.1.
public struct ParameterSets: Sendable {
    /// What became of a set that arrived.
    public enum Insertion: Hashable, Sendable {
        /// It is new or its content differs from that of the set with its id.
        case changed
        /// It is the set already there.
        case unchanged
        /// It cannot be parsed; the set with its id, if any, stays.
        case invalid(BitstreamError)
    }

    private struct PictureEntry: Sendable {
        let bytes: [UInt8]
        let sequenceParameterSetID: Int
        /// The result of parsing against `parsedAgainst`.
        var parsed: PictureParameterSet?
        var parsedAgainst: SequenceParameterSet?
    }

    private var sequenceSets = [SequenceParameterSet?](repeating: nil, count: 32)
    private var waiting: [Int: SequenceParameterSet] = [:]
    private var extensions: [Int: SequenceParameterSetExtension] = [:]
    private var pictureSets = [PictureEntry?](repeating: nil, count: 256)
    private var activeID: Int?

    /// The bytes of one set at most: `avcC` has no room for more.
    static let maximumByteCount = 65535
    /// The bytes of all picture parameter sets at most.
    ///
    /// They are parsed again when their sequence parameter set changes,
    /// so this bounds what a few bytes can cost; 256 sets as encoders write them take a fifth.
    static let maximumTotalByteCount = 128 << 10

    private var pictureSetByteCount = 0

    /// Changes whenever a set's content does.
    public private(set) var generation = 0

    /// Starts with none.
    public init() {}

    /// Takes a whole NAL unit of type 7, 8 or 13, header byte and emulation prevention included.
    @discardableResult
    public mutating func insert(_ nalUnit: [UInt8]) -> Insertion {
        unsafe nalUnit.withUnsafeBytes { unsafe insert($0) }
    }

    /// Takes a whole NAL unit of type 7, 8 or 13, header byte and emulation prevention included.
    ///
    /// - Parameter nalUnit: Copied only where it is not the set already there.
    /// - Returns: What became of it.
    @discardableResult
    public mutating func insert(_ nalUnit: UnsafeRawBufferPointer) -> Insertion {
        guard let byte = unsafe nalUnit.first else {
            return .invalid(.truncated(bit: 0, needed: 8))
        }
        let type = NALUnitHeader(byte: byte).type
        guard nalUnit.count <= Self.maximumByteCount else {
            return .invalid(
                .invalidLength(
                    offset: 0, length: nalUnit.count, available: Self.maximumByteCount))
        }
        do throws(BitstreamError) {
            switch type {
            case .sps: return unsafe try insertSequenceSet(nalUnit)
            case .pps: return unsafe try insertPictureSet(nalUnit)
            case .spsExtension:
                let set = try SequenceParameterSetExtension(nalUnit: unsafe Array(nalUnit))
                guard extensions[set.sequenceParameterSetID] != set else { return .unchanged }
                extensions[set.sequenceParameterSetID] = set
                generation &+= 1
                return .changed
            default: return .invalid(.unexpectedNALUnitType(type))
            }
        } catch {
            return .invalid(error)
        }
    }

    private mutating func insertSequenceSet(
        _ nalUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> Insertion {
        // Profile and level take three bytes; the id follows.
        var reader = BitReader()
        unsafe reader.load(nalUnit: nalUnit, limit: 16)
        try reader.skipBits(24)
        let id = Int(try reader.readUE("seq_parameter_set_id", 0...31))
        if let current = waiting[id] ?? sequenceSets[id],
            unsafe Self.equal(current.bytes, nalUnit)
        {
            return .unchanged
        }
        let set = try SequenceParameterSet(nalUnit: unsafe Array(nalUnit))
        generation &+= 1
        if id == activeID, let current = sequenceSets[id] {
            waiting[id] = current == set ? nil : set
        } else {
            sequenceSets[id] = set
        }
        return .changed
    }

    private mutating func insertPictureSet(
        _ nalUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> Insertion {
        var reader = BitReader()
        unsafe reader.load(nalUnit: nalUnit, limit: 16)
        let id = Int(try reader.readUE("pic_parameter_set_id", 0...255))
        let sequenceID = Int(try reader.readUE("seq_parameter_set_id", 0...31))
        if let entry = pictureSets[id], unsafe Self.equal(entry.bytes, nalUnit) {
            return .unchanged
        }
        let total = pictureSetByteCount - (pictureSets[id]?.bytes.count ?? 0) + nalUnit.count
        guard total <= Self.maximumTotalByteCount else {
            throw .invalidLength(
                offset: 0, length: nalUnit.count,
                available: Self.maximumTotalByteCount - total + nalUnit.count)
        }
        var entry = PictureEntry(
            bytes: unsafe Array(nalUnit), sequenceParameterSetID: sequenceID)
        if let sequence = sequenceSets[sequenceID] {
            // A broken set must not replace a good one; against a set that waits it may yet be right.
            do throws(BitstreamError) {
                entry.parsed = try PictureParameterSet(
                    nalUnit: entry.bytes, sequenceParameterSet: sequence)
            } catch {
                guard waiting[sequenceID] != nil else { throw error }
            }
            entry.parsedAgainst = sequence
        }
        pictureSets[id] = entry
        pictureSetByteCount = total
        generation &+= 1
        return .changed
    }

    private static func equal(_ bytes: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.count == other.count && bytes.elementsEqual(other)
    }

    /// The sequence parameter set in force under `id`; nil also where `id` is out of range.
    public func sequenceParameterSet(_ id: Int) -> SequenceParameterSet? {
        sequenceSets.indices.contains(id) ? sequenceSets[id] : nil
    }

    /// The sequence parameter set extension for the set `id`.
    public func sequenceParameterSetExtension(_ id: Int) -> SequenceParameterSetExtension? {
        extensions[id]
    }

    /// The picture parameter set `id`, parsed against its sequence parameter set; nil where one of them is missing or
    /// broken or where `id` is out of range.
    public mutating func pictureParameterSet(_ id: Int) -> PictureParameterSet? {
        guard pictureSets.indices.contains(id), let entry = pictureSets[id],
            let sequence = sequenceSets[entry.sequenceParameterSetID]
        else { return nil }
        if entry.parsedAgainst === sequence { return entry.parsed }
        let parsed = try? PictureParameterSet(nalUnit: entry.bytes, sequenceParameterSet: sequence)
        pictureSets[id]?.parsed = parsed
        pictureSets[id]?.parsedAgainst = sequence
        return parsed
    }

    /// The sequence parameter set that the picture parameter set `id` names.
    func sequenceParameterSetID(ofPictureParameterSet id: Int) -> Int? {
        pictureSets.indices.contains(id) ? pictureSets[id]?.sequenceParameterSetID : nil
    }

    /// Whether a changed sequence parameter set waits under `id`.
    func isWaiting(_ id: Int) -> Bool {
        !waiting.isEmpty && waiting[id] != nil
    }

    /// Puts the sequence parameter set `id` in force, in its latest form: a coded video sequence begins.
    public mutating func activate(_ id: Int) {
        activeID = id
        guard !waiting.isEmpty else { return }
        for (id, set) in waiting { sequenceSets[id] = set }
        waiting.removeAll()
    }

    /// Says that pictures use the sequence parameter set `id` from now on.
    mutating func noteActive(_ id: Int) {
        guard id != activeID else { return }
        activate(id)
    }

    /// The picture parameter sets that name `sequenceParameterSet` and are valid, by ascending id.
    mutating func pictureParameterSets(
        of sequenceParameterSet: SequenceParameterSet
    ) -> [PictureParameterSet] {
        var sets: [PictureParameterSet] = []
        for id in pictureSets.indices
        where pictureSets[id]?.sequenceParameterSetID == sequenceParameterSet.id {
            if let set = pictureParameterSet(id) { sets.append(set) }
        }
        return sets
    }
}
