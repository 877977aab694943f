import H264
import TestSupport
import Testing

@Suite("Byte stream scanner")
struct ByteStreamScannerTests {
    private func scan(
        _ bytes: [UInt8], limit: Int = 32 << 20, readSize: () -> Int = { .max }
    ) -> [NALUnit] {
        var found: [NALUnit] = []
        forEachNALUnit(
            of: bytes, scanner: ByteStreamScanner(maximumNALUnitByteCount: limit),
            readSize: readSize
        ) { nal, content in
            #expect(content.count == nal.byteCount && content[0] == nal.header.byte)
            found.append(nal)
        }
        return found
    }

    /// What Annex B says, in the plainest way.
    private func plain(_ bytes: [UInt8]) -> [NALUnit] {
        var codes: [Int] = []
        for index in bytes.indices.dropLast(2)
        where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 {
            codes.append(index)
        }
        var found: [NALUnit] = []
        for (number, code) in codes.enumerated() {
            let start = code + 3
            var end = number + 1 < codes.count ? codes[number + 1] : bytes.count
            while end > start && bytes[end - 1] == 0 { end -= 1 }
            guard end > start else { continue }
            let isLong = code > 0 && bytes[code - 1] == 0
            found.append(
                NALUnit(
                    startCodeOffset: Int64(isLong ? code - 1 : code),
                    startCodeLength: isLong ? 4 : 3, byteCount: end - start,
                    header: NALUnitHeader(byte: bytes[start])))
        }
        return found
    }

    @Test func `start codes of three and four bytes, zeros and empty NAL units`() {
        let bytes: [UInt8] =
            [9, 9, 0, 0, 0, 0, 1, 0x67, 1, 0, 0, 0, 0, 0, 0, 1, 0x68, 2]
            + [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0x65, 0, 0, 3, 0, 0]
        let found = scan(bytes)
        #expect(found.map(\.startCodeOffset) == [3, 12, 24])
        #expect(found.map(\.startCodeLength) == [4, 4, 4])
        #expect(found.map(\.byteCount) == [2, 2, 4])
        #expect(found.map(\.type) == [.sps, .pps, .sliceIDR])
    }

    @Test(
        arguments: [[], [0], [0, 0, 1], [0, 0, 0, 1], [1], [0, 0, 1, 0], [5, 0, 0]] as [[UInt8]])
    func `nothing is found where nothing is`(bytes: [UInt8]) {
        #expect(scan(bytes).isEmpty)
    }

    @Test func `every cut and every read size give the same`() {
        var random = SplitMix64(state: 1)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8([0, 0, 0, 1, 1, 3, 0x65].randomElement(using: &random) ?? 0)
            }
            let expected = plain(bytes)
            #expect(scan(bytes) == expected)
            for size in 1...4 {
                #expect(scan(bytes, readSize: { size }) == expected)
            }
            for cut in 0...bytes.count {
                var reads = [cut, bytes.count - cut]
                #expect(scan(bytes, readSize: { reads.removeFirst() }) == expected)
            }
        }
    }

    @Test(.enabled(if: StreamFiles.areThere), arguments: StreamFiles.entries)
    func `a real stream gives the same in any reads`(entry: StreamFiles.Entry) throws {
        let bytes = try StreamFiles.bytes(entry.name)
        let expected = plain(bytes)
        #expect(scan(bytes) == expected)
        var random = SplitMix64(state: 2)
        #expect(scan(bytes, readSize: { .random(in: 1...5000, using: &random) }) == expected)
    }

    @Test func `a run of zeros needs no window`() {
        var scanner = ByteStreamScanner()
        let zeros = [UInt8](repeating: 0, count: 100_000)
        for round in 0..<100 as Range<Int64> {
            let offset = round * 100_000
            #expect(scanner.neededOffset == offset)
            let nal = zeros.withUnsafeBytes {
                scanner.next(in: $0, windowOffset: offset, isEnd: false)
            }
            #expect(nal == nil)
        }
        let nal = ([1, 0x65, 7] as [UInt8]).withUnsafeBytes {
            scanner.next(in: $0, windowOffset: 10_000_000, isEnd: false)
        }
        #expect(nal == nil)
        // The start code began three zeros earlier, which are gone.
        #expect(scanner.neededOffset == 10_000_001)
        let last = ([0x65, 7] as [UInt8]).withUnsafeBytes {
            scanner.next(in: $0, windowOffset: 10_000_001, isEnd: true)
        }
        #expect(last?.startCodeOffset == 9_999_997)
        #expect(last?.byteCount == 2)
    }

    @Test func `a NAL unit before very many zeros ends without waiting`() {
        var bytes: [UInt8] = [0, 0, 1, 0x65, 7]
        bytes += [UInt8](repeating: 0, count: 70_000)
        var scanner = ByteStreamScanner()
        let nal = bytes.withUnsafeBytes { scanner.next(in: $0, windowOffset: 0, isEnd: false) }
        #expect(nal?.byteCount == 2)
        #expect(scanner.neededOffset == Int64(bytes.count))
        // What follows the zeros is no part of it, whatever the reads.
        let more = bytes + [5, 6, 7, 0, 0, 1, 0x41, 9]
        for size in [1, 1000, 69_999, .max] as [Int] {
            let found = scan(more, readSize: { size })
            #expect(found.map(\.byteCount) == [2, 2])
        }
        // Fewer zeros are content, as FFmpeg has it.
        let few = [0, 0, 1, 0x65, 7, 0, 0, 0, 0, 5, 0, 0, 1, 0x41, 9] as [UInt8]
        #expect(scan(few).map(\.byteCount) == [7, 2])
    }

    @Test func `a NAL unit over the limit is cut, in any reads`() {
        let bytes: [UInt8] =
            [0, 0, 1, 0x65] + (0..<500).map { UInt8($0 % 250 + 2) } + [0, 0, 1, 0x41, 9]
        for size in [1, 7, 150, .max] as [Int] {
            let found = scan(bytes, limit: 100, readSize: { size })
            #expect(found.map(\.byteCount) == [100, 2])
            #expect(found.map(\.isTruncated) == [true, false])
        }
        let exact = [0, 0, 1, 0x65] + [UInt8](repeating: 7, count: 99)
        #expect(scan(exact, limit: 100).map(\.isTruncated) == [false])
    }

    @Test(
        .timeLimit(.minutes(Checkout.patience(5))),
        arguments: [[0], [1], [0, 0, 1, 0x61], [0, 0, 3], [0, 0, 1]] as [[UInt8]])
    func `hostile patterns are linear`(pattern: [UInt8]) {
        let bytes = [UInt8]([0, 0, 1, 0x65]) + Array((0..<300_000).map { _ in pattern }.joined())
        var count = 0
        forEachNALUnit(of: bytes, readSize: { 4096 }) { _, _ in count += 1 }
        #expect(count >= 1)
    }
}
