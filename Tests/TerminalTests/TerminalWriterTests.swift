import Dispatch
import Glibc
import Synchronization
import Terminal
import TestSupport
import Testing

/// The writer on a pipe, whose other end the test holds.
@Suite("Terminal writer", .timeLimit(.minutes(Checkout.patience(3))))
struct TerminalWriterTests {
    /// Ends the sequence that an interrupted call left open.
    static let end = Array("\u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[m".utf8)

    /// A pipe with the least room there is: one page.
    private static func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        Glibc.pipe(&ends)
        for descriptor in ends { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        _ = fcntl(ends[1], 1031 /* F_SETPIPE_SZ */, 4096)
        return (ends[0], ends[1])
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            all += bytes[..<count]
        }
        return all
    }

    @Test func `what fits is one call of the system`() {
        let (read, write) = Self.pipe()
        defer { for descriptor in [read, write] { close(descriptor) } }
        let writer = TerminalWriter(descriptor: write)
        let bytes = [UInt8](repeating: 1, count: 4096)
        #expect(writer.write(bytes) == .whole)
        #expect(writer.statistics.systemCallCount == 1)
        #expect(writer.statistics.byteCount == 4096)
        #expect(writer.statistics.wholeCount == 1)
        #expect(!writer.isReady)
        #expect(Self.readAll(read) == bytes)
        #expect(writer.isReady)
    }

    @Test func `a stuck call is ended by another thread, and ends its sequence`() {
        let (read, write) = Self.pipe()
        defer { for descriptor in [read, write] { close(descriptor) } }
        let writer = TerminalWriter(descriptor: write)
        let outcome = Mutex<TerminalWriter.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.start {
            let result = writer.write([UInt8](repeating: 2, count: 100_000))
            outcome.withLock { $0 = result }
            done.signal()
        }
        while writer.isReady || writer.statistics.byteCount == 0 { usleep(1000) }
        usleep(20_000)
        writer.interrupt()
        // The end comes as soon as there is room, within its 100 ms.
        usleep(10_000)
        var all = Self.readAll(read)
        done.wait()
        all += Self.readAll(read)
        #expect(outcome.withLock { $0 } == .interrupted)
        #expect(all.count < 100_000)
        #expect(Array(all.suffix(Self.end.count)) == Self.end)
        // Nothing begins before it is allowed again.
        #expect(writer.write([3]) == .interrupted)
        #expect(Self.readAll(read) == [])
        writer.resume()
        #expect(writer.write([3]) == .whole)
        #expect(Self.readAll(read) == [3])
        #expect(writer.statistics.interruptedCount == 2)
    }

    @Test func `a terminal that takes nothing at all does not keep the end either`() {
        let (read, write) = Self.pipe()
        defer { for descriptor in [read, write] { close(descriptor) } }
        let writer = TerminalWriter(descriptor: write)
        let done = DispatchSemaphore(value: 0)
        Thread.start {
            writer.write([UInt8](repeating: 2, count: 100_000))
            done.signal()
        }
        while writer.statistics.byteCount == 0 { usleep(1000) }
        writer.interrupt()
        #expect(done.wait(timeout: .now() + 2) == .success)
        let start = ContinuousClock.now
        writer.shut(with: "end")
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test func `a shut writer writes nothing until it is opened`() {
        let (read, write) = Self.pipe()
        defer { for descriptor in [read, write] { close(descriptor) } }
        let writer = TerminalWriter(descriptor: write)
        writer.shut(with: "bye")
        #expect(writer.write([1]) == .interrupted)
        writer.post("lost")
        #expect(writer.open(with: "hello") == .whole)
        #expect(writer.write([UInt8(ascii: "!")]) == .whole)
        #expect(Self.readAll(read) == Array("byehello!".utf8))
    }

    @Test func `a closed reader is told quietly, and for ever`() {
        let (read, write) = Self.pipe()
        defer { close(write) }
        signal(SIGPIPE, SIG_IGN)
        let writer = TerminalWriter(descriptor: write)
        close(read)
        #expect(writer.write([1]) == .closed)
        #expect(writer.write([1]) == .closed)
        writer.shut(with: "end")
    }

    @Test func `calls from several threads go out one after the other, posts between them`() {
        let (read, write) = Self.pipe()
        defer { for descriptor in [read, write] { close(descriptor) } }
        let writer = TerminalWriter(descriptor: write)
        let left = Atomic(4)
        for value in UInt8(1)...4 {
            Thread.start {
                for _ in 0..<20 { writer.write([UInt8](repeating: value, count: 5000)) }
                left.subtract(1, ordering: .releasing)
            }
        }
        var all: [UInt8] = []
        var posts = 0
        while left.load(ordering: .acquiring) > 0 {
            all += Self.readAll(read)
            if posts < 50 {
                writer.post("p")
                posts += 1
            }
        }
        all += Self.readAll(read)
        var index = 0
        var found = 0
        while index < all.count {
            if all[index] == UInt8(ascii: "p") {
                found += 1
                index += 1
                continue
            }
            let run = all[index...].prefix(5000)
            guard run.count == 5000, run.allSatisfy({ $0 == run.first }) else {
                Issue.record("a torn call at \(index)")
                return
            }
            index += 5000
        }
        #expect(all.count - found == 4 * 20 * 5000)
        #expect(found <= posts)
    }
}

/// A thread of its own: the pool's are few, and these wait.
private enum Thread {
    static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                let box = Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue()
                box.body()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
