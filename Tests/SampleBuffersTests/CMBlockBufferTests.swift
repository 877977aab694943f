import Dispatch
import MediaTime
import SampleBuffers
import Testing

@Suite("Block buffer")
struct CMBlockBufferTests {
    typealias Error = CMBlockBuffer.Error

    @Test func `B-1 length is the sum of the pieces, which are kept alive`() throws {
        let freed = Recorder<Int>()
        let buffer = try CMBlockBuffer()
        do {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
            memory.copyBytes(from: [1, 2, 3, 4])
            let other = try CMBlockBuffer(
                buffer: memory,
                deallocator: { pointer, byteCount in
                    pointer.deallocate()
                    freed.record(byteCount)
                })
            try buffer.append(bufferReference: other[1..<3])
        }
        try buffer.append(length: 10, range: 2..<7)
        #expect(buffer.dataLength == 7)
        #expect(freed.count == 0)
        try buffer.fillDataBytes(with: 9, atOffset: 2, length: 0)
        #expect(try buffer.dataBytes() == [2, 3, 9, 9, 9, 9, 9])
        #expect(try buffer[6...].dataBytes() == [9])
        #expect(throws: Error.badOffsetParameter) { try buffer.dataPointer(atOffset: 7) }
    }

    @Test func `B-2 empty buffers have no bytes, unallocated ones are not empty`() throws {
        let empty = try CMBlockBuffer(capacity: 4)
        #expect(empty.isEmpty)
        #expect(empty.dataLength == 0)
        #expect(!empty.isContiguous)
        #expect(throws: Error.emptyBlockBuffer) { try empty.dataPointer(atOffset: 0) }
        #expect(throws: Error.emptyBlockBuffer) { try empty.assureBlockMemory() }
        #expect(Error.emptyBlockBuffer.status == -12706)
        let unallocated = try CMBlockBuffer(length: 3)
        #expect(!unallocated.isEmpty)
        #expect(unallocated.dataLength == 3)
    }

    @Test func `B-3 memory is allocated later or now, and freed once`() throws {
        let calls = Recorder<String>()
        let allocate: CMBlockBuffer.CustomBlockAllocator = { byteCount in
            calls.record("allocate \(byteCount)")
            return .allocate(byteCount: byteCount, alignment: 16)
        }
        let free: CMBlockBuffer.CustomBlockDeallocator = { pointer, byteCount in
            calls.record("free \(byteCount)")
            pointer.deallocate()
        }
        do {
            let later = try CMBlockBuffer(length: 8, allocator: allocate, deallocator: free)
            #expect(calls.values == [])
            let slice = try CMBlockBuffer(bufferReference: later[2..<4])
            try later.assureBlockMemory()
            try slice.assureBlockMemory()
        }
        #expect(calls.values == ["allocate 8", "free 8"])
        do {
            let now = try CMBlockBuffer(
                length: 6, allocator: allocate, deallocator: free, flags: .assureMemoryNow)
            #expect(calls.values.last == "allocate 6")
            withExtendedLifetime(now) {}
        }
        #expect(calls.values.last == "free 6")
        _ = try CMBlockBuffer(length: 5, allocator: allocate, deallocator: free)
        #expect(calls.count == 4, "never allocated, never freed")
    }

    @Test func `B-3 blocks and ranges must be possible`() throws {
        #expect(throws: Error.badLengthParameter) { try CMBlockBuffer(length: 0) }
        #expect(throws: Error.badLengthParameter) { try CMBlockBuffer(length: -1) }
        #expect(throws: Error.badOffsetParameter) {
            try CMBlockBuffer(
                memoryBlock: nil, blockLength: 4, offsetToData: 5, dataLength: 0)
        }
        #expect(throws: Error.badOffsetParameter) {
            try CMBlockBuffer(
                memoryBlock: nil, blockLength: 4, offsetToData: -1, dataLength: 1)
        }
        #expect(throws: Error.badLengthParameter) {
            try CMBlockBuffer(
                memoryBlock: nil, blockLength: 4, offsetToData: 2, dataLength: 3)
        }
        #expect(throws: Error.badLengthParameter) {
            try CMBlockBuffer(
                memoryBlock: nil, blockLength: 4, offsetToData: 1, dataLength: .max)
        }
        #expect(throws: Error.blockAllocationFailed) {
            try CMBlockBuffer(length: 4, allocator: .none, flags: .assureMemoryNow)
        }
        #expect(Error.badOffsetParameter.status == -12703)
        #expect(Error.badLengthParameter.status == -12704)
        #expect(Error.blockAllocationFailed.status == -12701)
    }

    @Test func `B-4 given memory is borrowed, not copied`() throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: [1, 2, 3, 4])
        do {
            let buffer = try CMBlockBuffer(buffer: memory, allocator: .none)
            #expect(try buffer.dataPointer(atOffset: 0).pointer == memory.baseAddress)
            memory[2] = 33
            #expect(try buffer.dataBytes() == [1, 2, 33, 4])
        }
        memory[0] = 11
        let part = try CMBlockBuffer(buffer: memory[1..<3], allocator: .none)
        #expect(try part.dataBytes() == [2, 33])
    }

    @Test func `B-5 a pointer goes to the end of its piece`() throws {
        let buffer = try makeBlockBuffer([1, 2, 3], [4, 5])
        let first = try buffer.dataPointer(atOffset: 1)
        #expect(first.lengthAtOffset == 2)
        #expect(first.totalLength == 5)
        #expect(first.pointer.load(as: UInt8.self) == 2)
        #expect(try buffer.dataPointer(atOffset: 4).lengthAtOffset == 1)
        #expect(throws: Error.badOffsetParameter) { try buffer.dataPointer(atOffset: 5) }
        #expect(throws: Error.badOffsetParameter) { try buffer.dataPointer(atOffset: -1) }
        let bytes = try buffer.withUnsafeMutableBytes(atOffset: 2) { [UInt8]($0) }
        #expect(bytes == [3])
        #expect(throws: Error.badOffsetParameter) {
            try buffer.withUnsafeMutableBytes(atOffset: 5) { $0.count }
        }
        let unallocated = try CMBlockBuffer(length: 3)
        #expect(throws: Error.unallocatedBlock) { try unallocated.dataPointer(atOffset: 0) }
        #expect(Error.unallocatedBlock.status == -12707)
    }

    @Test func `B-6 copying spans pieces and acts on the whole receiver`() throws {
        let buffer = try makeBlockBuffer([1, 2, 3], [4, 5], [6])
        var bytes = [UInt8](repeating: 0, count: 4)
        try bytes.withUnsafeMutableBytes {
            try buffer.copyDataBytes(atOffset: 1, length: 4, to: $0.baseAddress!)
        }
        #expect(bytes == [2, 3, 4, 5])
        #expect(try buffer[2...4].dataBytes() == [3, 4, 5])
        #expect(try buffer[..<2].dataBytes() == [1, 2])
        #expect(try buffer[...].dataBytes() == [1, 2, 3, 4, 5, 6])
        try [UInt8]([7, 8]).withUnsafeBytes { try buffer[2..<4].replaceDataBytes(with: $0) }
        #expect(try buffer.dataBytes() == [1, 2, 7, 8, 5, 6])
        for length in [0, -1, 6] {
            #expect(throws: Error.badLengthParameter) {
                try bytes.withUnsafeMutableBytes {
                    try buffer.copyDataBytes(atOffset: 1, length: length, to: $0.baseAddress!)
                }
            }
        }
        #expect(throws: Error.insufficientSpace) {
            try bytes.withUnsafeMutableBytes { try buffer.copyDataBytes(to: $0) }
        }
        let empty = try CMBlockBuffer()
        #expect(throws: Error.emptyBlockBuffer) { try empty.dataBytes() }
        #expect(throws: Error.emptyBlockBuffer) { try empty.fillDataBytes(with: 1) }
        #expect(throws: Error.emptyBlockBuffer) {
            try bytes.withUnsafeMutableBytes { try empty.copyDataBytes(to: $0) }
        }
        #expect(throws: Error.emptyBlockBuffer) {
            try bytes.withUnsafeBytes { try empty.replaceDataBytes(with: $0) }
        }
    }

    @Test func `B-7 writing allocates; out of range leaves all as it was`() throws {
        let buffer = try makeBlockBuffer([1, 2])
        try buffer.append(length: 2)
        try [UInt8]([5, 6, 7]).withUnsafeBytes {
            try buffer.replaceDataBytes(with: $0, atOffset: 1)
        }
        #expect(try buffer.dataBytes() == [1, 5, 6, 7])
        #expect(throws: Error.badLengthParameter) {
            try [UInt8]([9, 9]).withUnsafeBytes {
                try buffer.replaceDataBytes(with: $0, atOffset: 3)
            }
        }
        #expect(throws: Error.badOffsetParameter) {
            try buffer.fillDataBytes(with: 9, atOffset: 4, length: 0)
        }
        #expect(try buffer.dataBytes() == [1, 5, 6, 7])
        try buffer.append(length: 1, allocator: .none)
        #expect(throws: Error.blockAllocationFailed) { try buffer.fillDataBytes(with: 9) }
        #expect(try buffer[..<4].dataBytes() == [1, 5, 6, 7], "nothing is half done")
        try buffer[..<3].fillDataBytes(with: 3)
        #expect(try buffer[..<4].dataBytes() == [3, 3, 3, 7])
    }

    @Test func `B-7 an empty slice fills to the end`() throws {
        let buffer = try makeBlockBuffer([1, 2], [3, 4])
        try buffer[1..<1].fillDataBytes(with: 0)
        #expect(try buffer.dataBytes() == [1, 0, 0, 0])
    }

    @Test func `B-8 contiguous means in one piece`() throws {
        let buffer = try makeBlockBuffer([1, 2, 3], [4, 5])
        #expect(!buffer.isContiguous)
        #expect(buffer[0..<3].isContiguous)
        #expect(buffer[1..<2].isContiguous)
        #expect(!buffer[2..<4].isContiguous)
        #expect(buffer.isRangeContiguous(atOffset: 3, length: 0))
        #expect(!buffer.isRangeContiguous(atOffset: 2, length: 0))
        #expect(!buffer.isRangeContiguous(atOffset: 3, length: 3))
        #expect(!buffer.isRangeContiguous(atOffset: 5, length: 0))
        #expect(try makeBlockBuffer([1]).isContiguous)
        #expect(try !CMBlockBuffer().isContiguous)
    }

    @Test func `B-9 contiguous storage is in place, or a copy`() throws {
        let one = try makeBlockBuffer([1, 2, 3])
        let address = try one.dataPointer(atOffset: 0).pointer
        try one.withContiguousStorage { #expect($0.baseAddress == UnsafeRawPointer(address)) }
        let two = try makeBlockBuffer([1, 2, 3], [4, 5])
        #expect(try two.withContiguousStorage { [UInt8]($0) } == [1, 2, 3, 4, 5])
        #expect(try two[1..<4].withContiguousStorage { [UInt8]($0) } == [2, 3, 4])
    }

    @Test func `B-10 making contiguous refers where it can and copies where it must`() throws {
        let buffer = try makeBlockBuffer([1, 2, 3], [4, 5])
        let address = try buffer.dataPointer(atOffset: 1).pointer
        let reference = try buffer[1..<3].makeContiguous()
        #expect(try reference.dataPointer(atOffset: 0).pointer == address)
        let copy = try buffer[1..<3].makeContiguous(flags: .alwaysCopyData)
        #expect(try copy.dataPointer(atOffset: 0).pointer != address)
        #expect(try copy.dataBytes() == [2, 3])
        let whole = try buffer.makeContiguous()
        #expect(whole.isContiguous)
        #expect(try whole.dataBytes() == [1, 2, 3, 4, 5])
        let rest = try buffer.makeContiguous(atOffset: 2, length: 0)
        #expect(try rest.dataBytes() == [3, 4, 5])
        let freed = Recorder<Int>()
        _ = try buffer.makeContiguous(
            allocator: { .allocate(byteCount: $0, alignment: 1) },
            deallocator: { pointer, byteCount in
                pointer.deallocate()
                freed.record(byteCount)
            })
        #expect(freed.values == [5])
    }

    @Test func `B-11 references to empty buffers need permission`() throws {
        let empty = try CMBlockBuffer()
        #expect(throws: Error.emptyBlockBuffer) { try CMBlockBuffer(bufferReference: empty) }
        #expect(throws: Error.emptyBlockBuffer) {
            try makeBlockBuffer([1]).append(bufferReference: empty)
        }
        let permitted = try CMBlockBuffer(bufferReference: empty, flags: .permitEmptyReference)
        #expect(permitted.dataLength == 0)
        let later = try CMBlockBuffer()
        try later.appendBufferReference(
            to: empty, offsetToData: 1, dataLength: 2, flags: .permitEmptyReference)
        #expect(later.dataLength == 2)
        #expect(throws: Error.unallocatedBlock) { try later.dataBytes() }
        try empty.append(bufferReference: makeBlockBuffer([7, 8], [9]))
        #expect(try later.dataBytes() == [8, 9])
    }

    @Test func `B-11 a reference may stay one`() throws {
        let inner = try makeBlockBuffer([1, 2, 3])
        let outer = try CMBlockBuffer()
        try outer.append(bufferReference: inner[1...], flags: .dontOptimizeDepth)
        try outer.append(bufferReference: outer)
        #expect(try outer.dataBytes() == [2, 3, 2, 3])
        #expect(throws: Error.badOffsetParameter) {
            try outer.append(bufferReference: inner[4..<5])
        }
        #expect(throws: Error.badLengthParameter) {
            try outer.append(bufferReference: inner[2..<5])
        }
    }

    @Test func `B-12 a range of a new block holds the data`() throws {
        let buffer = try CMBlockBuffer(length: 10, range: 3..<8, flags: .assureMemoryNow)
        #expect(buffer.dataLength == 5)
        let found = try buffer.dataPointer(atOffset: 0)
        #expect(found.lengthAtOffset == 5)
        try buffer.fillDataBytes(with: 4)
        #expect(try buffer.dataBytes() == [4, 4, 4, 4, 4])
        #expect(throws: Error.badLengthParameter) { try CMBlockBuffer(length: 10, range: 3..<11) }
    }

    @Test func `B-13 buffers are read by many at once`() throws {
        let buffer = try makeBlockBuffer([UInt8](repeating: 1, count: 100), [2])
        let unallocated = try CMBlockBuffer(length: 100)
        let addresses = Recorder<UInt>()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            for _ in 0..<100 { #expect((try? buffer.dataBytes())?.last == 2) }
            try? unallocated.assureBlockMemory()
            addresses.record(
                UInt(bitPattern: (try? unallocated.dataPointer(atOffset: 0))?.pointer))
        }
        #expect(Set(addresses.values).count == 1, "allocated once")
    }

    @Test func `own memory is padded with zeros for libavcodec`() throws {
        let buffer = try CMBlockBuffer(byteCount: 100) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0xFF)
        }
        let lent = try #require(buffer.paddedBytes)
        #expect(lent.bytes.count == 100)
        #expect(lent.isPaddingZero)
        #expect(buffer.isPaddedForDecoder)
        let behind = UnsafeRawBufferPointer(
            start: lent.bytes.baseAddress! + 100, count: CMBlockBuffer.paddingByteCount)
        #expect(behind.allSatisfy { $0 == 0 })
        let copy = try CMBlockBuffer(bufferReference: buffer[10...])
        #expect(copy.isPaddedForDecoder)
        let front = try #require(buffer[..<50].paddedBytes)
        #expect(!front.isPaddingZero)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { memory.deallocate() }
        let borrowed = try CMBlockBuffer(buffer: memory, allocator: .none)
        #expect(borrowed.paddedBytes == nil)
        #expect(borrowed[..<36].paddedBytes != nil)
        #expect(try makeBlockBuffer([1], [2]).paddedBytes == nil)
        #expect(try makeBlockBuffer([1], [2]).makeContiguous().isPaddedForDecoder)
    }

    @Test func `padded bytes live as long as their owner`() throws {
        let lent: PaddedBytes
        do {
            let buffer = try makeBlockBuffer([1, 2, 3])
            lent = try #require(buffer.paddedBytes)
        }
        withExtendedLifetime(lent.owner) { #expect([UInt8](lent.bytes) == [1, 2, 3]) }
    }
}
