/// Reads the syntax elements of an RBSP, most significant bit first.
///
/// A read that does not fit throws and leaves the position where it was.
///
/// Source: ITU-T H.264 (08/2021) 7.2, 9.1.
public struct BitReader: Sendable {
    /// The zeros kept behind the data so that eight bytes can be loaded anywhere in it.
    package static let padding = 8

    /// The RBSP and its padding.
    private var bytes: [UInt8]
    private var bitCount: Int

    /// The number of bits read.
    public private(set) var bitPosition = 0

    /// Whether the data goes on behind what was loaded.
    package private(set) var isPartial = false

    /// Reads `rbsp`, which has no emulation prevention any more.
    public init(rbsp: [UInt8]) {
        bytes = rbsp
        bitCount = rbsp.count * 8
        pad()
    }

    /// Reads the RBSP of a whole NAL unit, header byte first, emulation prevention included.
    public init(nalUnit: [UInt8]) {
        self.init()
        unsafe nalUnit.withUnsafeBytes { unsafe load(nalUnit: $0) }
    }

    /// Reads nothing, until something is loaded.
    package init() {
        bytes = []
        bitCount = 0
        pad()
    }

    private mutating func pad() {
        for _ in 0..<Self.padding { bytes.append(0) }
    }

    /// Starts again with the first `limit` bytes of the RBSP of another NAL unit, in the memory already held.
    package mutating func load(
        nalUnit: UnsafeRawBufferPointer, headerByteCount: Int = 1, limit: Int = .max
    ) {
        bytes.removeAll(keepingCapacity: true)
        bitPosition = 0
        let payload = unsafe UnsafeRawBufferPointer(
            rebasing: nalUnit.dropFirst(headerByteCount))
        isPartial = unsafe !EmulationPrevention.remove(from: payload, into: &bytes, limit: limit)
        bitCount = bytes.count * 8
        pad()
    }

    /// The number of bits not read yet.
    public var bitsLeft: Int {
        bitCount - bitPosition
    }

    /// Whether the position is at the first bit of a byte.
    public var isByteAligned: Bool {
        bitPosition & 7 == 0
    }

    /// At least 57 bits from the position on, at the top; zeros behind the end.
    private var upcoming: UInt64 {
        // SAFETY: bitPosition <= bitCount and `padding` bytes follow, so eight bytes are there.
        let word = unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: bitPosition >> 3, as: UInt64.self)
        }
        return UInt64(bigEndian: word) << UInt64(bitPosition & 7)
    }

    /// Reads `count` bits, 0...32, as an unsigned number: `u(n)`.
    public mutating func readBits(_ count: Int) throws(BitstreamError) -> UInt32 {
        precondition(count >= 0 && count <= 32, "u(\(count))")
        guard count <= bitsLeft else {
            throw .truncated(bit: bitPosition, needed: count - bitsLeft)
        }
        guard count > 0 else { return 0 }
        let value = UInt32(truncatingIfNeeded: upcoming >> UInt64(64 - count))
        bitPosition += count
        return value
    }

    /// Reads one bit: `u(1)`.
    public mutating func readFlag() throws(BitstreamError) -> Bool {
        try readBits(1) != 0
    }

    /// Reads an unsigned Exp-Golomb number: `ue(v)`, 0...2^32-1.
    public mutating func readUE() throws(BitstreamError) -> UInt32 {
        let upcoming = self.upcoming
        let zeros = upcoming.leadingZeroBitCount
        if zeros <= 28 {
            let length = 2 * zeros + 1
            guard length <= bitsLeft else {
                throw .truncated(bit: bitPosition, needed: length - bitsLeft)
            }
            bitPosition += length
            return UInt32(truncatingIfNeeded: (upcoming >> UInt64(64 - length)) - 1)
        }
        let length = 2 * min(zeros, 57) + 1
        guard zeros <= 32 else {
            guard zeros < bitsLeft else {
                throw .truncated(bit: bitPosition, needed: max(1, length - bitsLeft))
            }
            throw .invalidValue(element: "leadingZeroBits", value: Int64(zeros), bit: bitPosition)
        }
        guard length <= bitsLeft else {
            throw .truncated(bit: bitPosition, needed: length - bitsLeft)
        }
        let start = bitPosition
        bitPosition += zeros + 1
        let suffix = UInt64(try readBits(zeros))
        let value = (1 << UInt64(zeros)) - 1 + suffix
        guard value <= UInt64(UInt32.max) else {
            bitPosition = start
            throw .invalidValue(element: "codeNum", value: Int64(value), bit: start)
        }
        return UInt32(value)
    }

    /// Reads a signed Exp-Golomb number: `se(v)`, -(2^31-1)...2^31-1.
    public mutating func readSE() throws(BitstreamError) -> Int32 {
        let start = bitPosition
        let code = Int64(try readUE())
        let value = code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
        guard let value = Int32(exactly: value) else {
            bitPosition = start
            throw .invalidValue(element: "se(v)", value: value, bit: start)
        }
        return value
    }

    /// Reads an unsigned Exp-Golomb number that must lie in `range`.
    package mutating func readUE(
        _ element: String, _ range: ClosedRange<UInt32>
    ) throws(BitstreamError) -> UInt32 {
        let bit = bitPosition
        let value = try readUE()
        guard range.contains(value) else {
            throw .invalidValue(element: element, value: Int64(value), bit: bit)
        }
        return value
    }

    /// Reads a signed Exp-Golomb number that must lie in `range`.
    package mutating func readSE(
        _ element: String, _ range: ClosedRange<Int32>
    ) throws(BitstreamError) -> Int32 {
        let bit = bitPosition
        let value = try readSE()
        guard range.contains(value) else {
            throw .invalidValue(element: element, value: Int64(value), bit: bit)
        }
        return value
    }

    /// Steps over `count` bits.
    public mutating func skipBits(_ count: Int) throws(BitstreamError) {
        precondition(count >= 0, "\(count) bits")
        guard count <= bitsLeft else {
            throw .truncated(bit: bitPosition, needed: count - bitsLeft)
        }
        bitPosition += count
    }

    /// Whether something other than the RBSP's trailing bits remains: `more_rbsp_data()`.
    public var hasMoreRBSPData: Bool {
        var last = bitCount / 8 - 1
        while last * 8 + 7 >= bitPosition && last >= 0 && bytes[last] == 0 {
            last -= 1
        }
        guard last >= 0 else { return false }
        return bitPosition < last * 8 + 7 - bytes[last].trailingZeroBitCount
    }
}
