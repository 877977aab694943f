import Glibc
import Synchronization
import Testing
import VideoCodec

/// libav's messages: D-19f.
@Suite("libav's log", .serialized)
struct LogTests {
    @Test func `D-19 f: goes to the sink and else nowhere`() async throws {
        let stream = Synthesis.simple(3)
        let broken: [Int: [UInt8]] = [1: Array(stream.units[1].payload.prefix(12))]
        var replaced = broken
        replaced[1]?[0...3] = [0, 0, 0, 8]
        let lines = Mutex<[String]>([])
        LibavLog.setSink(level: .verbose) { _, line in lines.withLock { $0.append(line) } }
        _ = try stream.decode([], replacing: replaced)
        LibavLog.setSink(nil)
        let seen = lines.withLock { $0.count }
        #expect(seen > 0)
        #expect(lines.withLock { $0.allSatisfy { !$0.hasSuffix("\n") } })
        _ = try stream.decode([], replacing: replaced)
        #expect(lines.withLock { $0.count } == seen)
    }

    @Test func `D-19 f: standard error stays clean`() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let stream = Synthesis.simple(3)
            var bytes = Array(stream.units[1].payload.prefix(12))
            bytes[0...3] = [0, 0, 0, 8]
            _ = try stream.decode([], replacing: [1: bytes])
            exit(0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("h264"))
    }
}
