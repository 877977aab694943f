import H264
import Testing

@Suite("Bit reader")
struct BitReaderTests {
    @Test(
        arguments: [
            (0, "1"), (1, "010"), (2, "011"), (3, "00100"), (7, "0001000"), (8, "0001001"),
        ] as [(UInt32, String)])
    func `ue(v) codes of the standard's table`(value: UInt32, code: String) throws {
        var writer = BitWriter()
        writer.writeUE(value)
        #expect(writer.bitCount == code.count)
        let bits = writer.bytes.flatMap { byte in
            (0..<8).map { byte >> UInt8(7 - $0) & 1 == 1 ? Character("1") : "0" }
        }
        #expect(String(bits.prefix(code.count)) == code)
        var reader = BitReader(rbsp: writer.bytes)
        #expect(try reader.readUE() == value)
        #expect(reader.bitPosition == code.count)
    }

    @Test func `se(v) alternates signs`() throws {
        var writer = BitWriter()
        for code in 0..<5 as Range<UInt32> { writer.writeUE(code) }
        var reader = BitReader(rbsp: writer.bytes)
        for value in [0, 1, -1, 2, -2] as [Int32] { #expect(try reader.readSE() == value) }
    }

    @Test func `values of every length come back at every bit offset`() throws {
        for offset in 0..<8 {
            var writer = BitWriter()
            writer.writeBits(0, offset)
            var values: [UInt32] = [.max, .max - 1, 0]
            for shift in 0..<32 as Range<UInt32> { values += [1 << shift, (1 << shift) - 1] }
            for value in values {
                writer.writeUE(value)
                writer.writeBits(value, 32)
            }
            let signed: [Int32] = [.max, -.max, 0, 1, -1]
            for value in signed { writer.writeSE(value) }
            var reader = BitReader(rbsp: writer.bytes)
            try reader.skipBits(offset)
            for value in values {
                #expect(try reader.readUE() == value)
                #expect(try reader.readBits(32) == value)
            }
            for value in signed { #expect(try reader.readSE() == value) }
            #expect(reader.bitPosition == writer.bitCount)
        }
    }

    @Test func `codes beyond 32 bits are errors and the position stays`() {
        // 32 zeros, a one, and a suffix of 1: 2^32.
        var reader = BitReader(rbsp: [0, 0, 0, 0, 0x80, 0, 0, 0, 0x80])
        #expect(throws: BitstreamError.self) { try reader.readUE() }
        #expect(reader.bitPosition == 0)
        #expect(throws: BitstreamError.self) { try reader.readSE() }
        #expect(reader.bitPosition == 0)
        // The largest code has no signed value.
        reader = BitReader(rbsp: [0, 0, 0, 0, 0x80, 0, 0, 0, 0])
        #expect(throws: BitstreamError.self) { try reader.readSE() }
        #expect(reader.bitPosition == 0)
        // More than 32 zeros.
        reader = BitReader(rbsp: [UInt8](repeating: 0, count: 20) + [1])
        #expect(throws: BitstreamError.self) { try reader.readUE() }
        #expect(reader.bitPosition == 0)
    }

    @Test func `reading past the end throws and leaves the position`() {
        var reader = BitReader(rbsp: [])
        let expected = BitstreamError.truncated(bit: 0, needed: 1)
        #expect(throws: expected) { try reader.readFlag() }
        #expect(throws: BitstreamError.self) { try reader.readUE() }
        reader = BitReader(rbsp: [0xFF, 0])
        #expect(throws: BitstreamError.truncated(bit: 0, needed: 1)) { try reader.readBits(17) }
        #expect(throws: BitstreamError.self) { try reader.skipBits(17) }
        #expect(reader.bitPosition == 0)
        #expect(throws: Never.self) { try reader.skipBits(8) }
        #expect(throws: BitstreamError.self) { try reader.readUE() }
        #expect(reader.bitPosition == 8 && reader.bitsLeft == 8 && reader.isByteAligned)
        #expect(try! reader.readBits(0) == 0)
    }

    @Test func `more RBSP data ends at the stop bit`() throws {
        var reader = BitReader(rbsp: [0b1010_1000, 0, 0])
        for _ in 0..<4 {
            #expect(reader.hasMoreRBSPData)
            _ = try reader.readFlag()
        }
        #expect(!reader.hasMoreRBSPData)
        #expect(!BitReader(rbsp: [0, 0]).hasMoreRBSPData)
        #expect(!BitReader(rbsp: []).hasMoreRBSPData)
    }
}

@Suite("Emulation prevention")
struct EmulationPreventionTests {
    @Test(
        arguments: [
            ([0, 0, 0], [0, 0, 3, 0]), ([0, 0, 1], [0, 0, 3, 1]), ([0, 0, 3], [0, 0, 3, 3]),
            ([0, 0, 4], [0, 0, 4]), ([1, 0, 0], [1, 0, 0, 3]),
            ([0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 3, 1]),
        ] as [([UInt8], [UInt8])])
    func `known sequences`(rbsp: [UInt8], nal: [UInt8]) {
        #expect(EmulationPrevention.insert(into: rbsp) == nal)
        #expect(EmulationPrevention.remove(from: nal) == rbsp)
    }

    @Test func `a beginning of every length is the beginning of all`() {
        var random = SplitMix64(state: 4)
        for _ in 0..<100 {
            let nal = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8([0, 0, 0, 1, 3, 3, 4, 255].randomElement(using: &random) ?? 0)
            }
            // Byte by byte, as the standard has it.
            var expected: [UInt8] = []
            var zeros = 0
            for byte in nal {
                if zeros >= 2 && byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                expected.append(byte)
            }
            #expect(EmulationPrevention.remove(from: nal) == expected)
            for limit in 0...nal.count {
                var result: [UInt8] = [9]
                let isWhole = nal.withUnsafeBytes {
                    EmulationPrevention.remove(from: $0, into: &result, limit: limit)
                }
                #expect(result == [9] + expected.prefix(limit))
                if limit < expected.count { #expect(!isWhole) }
                if limit > expected.count { #expect(isWhole) }
            }
        }
    }

    @Test func `random data comes back and holds no start code`() {
        var random = SplitMix64(state: 3)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8([0, 0, 0, 1, 2, 3, 4, 255].randomElement(using: &random) ?? 0)
            }
            let nal = EmulationPrevention.insert(into: bytes)
            #expect(EmulationPrevention.remove(from: nal) == bytes)
            for index in nal.indices.dropLast(2) where nal[index] == 0 && nal[index + 1] == 0 {
                #expect(nal[index + 2] > 2)
            }
        }
    }
}
