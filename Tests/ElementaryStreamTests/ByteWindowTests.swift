import ElementaryStream
import TestSupport
import Testing

@Suite("Byte window", .timeLimit(.minutes(Checkout.patience(5))))
struct ByteWindowTests {
    private let stream = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) }

    @Test(arguments: [1, 2, 3, 7, 100, 4096, 100_000])
    func `every byte comes, in pieces of any size`(piece: Int) throws {
        var window = ByteWindow(
            on: ScriptedByteSource(stream) { _ in piece }, from: 0, byteCount: 64)
        var seen: [UInt8] = []
        while !window.isAtEnd {
            // Three bytes are kept: a start code may begin in them.
            try window.slide(keepingFrom: Int64(max(0, seen.count - 3)))
            let start = Int(window.offset)
            #expect(start <= seen.count)
            seen += window.bytes.dropFirst(seen.count - start)
        }
        #expect(seen == stream)
        #expect(window.endOffset == 5000)
    }

    @Test func `it begins anywhere`() throws {
        var window = ByteWindow(on: ScriptedByteSource(stream), from: 4000, byteCount: 256)
        while !window.isAtEnd { try window.slide(keepingFrom: 0) }
        #expect(window.offset == 4000)
        #expect(Array(window.bytes) == Array(stream[4000...]))
    }

    @Test func `it grows while bytes are needed`() throws {
        let source = ScriptedByteSource(stream) { 1 + $0 % 5 }
        var window = ByteWindow(on: source, from: 0, byteCount: 16)
        while !window.isAtEnd { try window.slide(keepingFrom: 0) }
        #expect(window.offset == 0)
        #expect(Array(window.bytes) == stream)
        #expect(window.bytes(at: 100, count: 4900).map { Array($0) } == Array(stream[100...]))
    }

    @Test func `bytes that are not there are nil`() throws {
        var window = ByteWindow(on: ScriptedByteSource(stream), from: 10, byteCount: 100)
        #expect(window.bytes.isEmpty)
        #expect(window.bytes(at: 10, count: 1) == nil)
        try window.slide(keepingFrom: 10)
        #expect(window.bytes(at: 9, count: 1) == nil)
        #expect(window.bytes(at: 10, count: 100)?.count == 100)
        #expect(window.bytes(at: 10, count: 101) == nil)
        #expect(window.bytes(at: 110, count: 0)?.count == 0)
        #expect(window.bytes(at: 50, count: -1) == nil)
        #expect(window.bytes(at: .max, count: 1) == nil)
    }

    @Test(arguments: [0, 3, 1000, 3000, 4095, 6000])
    func `the work is linear whatever part is kept`(kept: Int) throws {
        let total = 8 << 20
        let source = ScriptedByteSource([UInt8](repeating: 1, count: total))
        var window = ByteWindow(on: source, from: 0, byteCount: 4096)
        var largest = 0
        while !window.isAtEnd {
            try window.slide(keepingFrom: window.endOffset - Int64(kept))
            largest = max(largest, window.bytes.count)
        }
        let requests = source.record.requests
        // Each read asks for half a buffer at least but for a few at the start: else moving would be quadratic.
        #expect(requests.count <= total / 1024 + 64)
        #expect(largest <= max(4096, 4 * kept), "and the buffer does not grow without end")
    }

    @Test func `small pieces do not move the rest about each time`() throws {
        // 64 KiB wanted whole, a byte at a time: quadratic moving would be 2 GB.
        let source = ScriptedByteSource([UInt8](repeating: 1, count: 64 << 10)) { _ in 1 }
        var window = ByteWindow(on: source, from: 0, byteCount: 4096)
        let time = try ContinuousClock().measure {
            while !window.isAtEnd { try window.slide(keepingFrom: 0) }
        }
        #expect(window.bytes.count == 64 << 10)
        #expect(time < .seconds(10))
    }

    @Test func `an error can be followed by another try`() throws {
        let source = ScriptedByteSource(
            stream, failure: (1000, .system(call: "pread", errno: 5)), piece: { _ in 500 })
        var window = ByteWindow(on: source, from: 0, byteCount: 4096)
        try window.slide(keepingFrom: 0)
        try window.slide(keepingFrom: 0)
        #expect(throws: StreamError.system(call: "pread", errno: 5)) {
            try window.slide(keepingFrom: 0)
        }
        #expect(window.bytes.count == 1000)
        let isAtEnd = window.isAtEnd
        #expect(!isAtEnd)
    }
}
