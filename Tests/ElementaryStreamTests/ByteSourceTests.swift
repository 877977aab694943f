import ElementaryStream
import Foundation
import Glibc
import StreamSynthesis
import Synchronization
import TestSupport
import Testing

/// A pipe with a thread that writes into it.
private struct Feed: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Writes everything in pieces on a thread of its own, and closes.
    func write(_ bytes: [UInt8], piece: Int = .max, closes: Bool = true) {
        let end = writeEnd
        Thread.detachNewThread {
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.write(
                        end, $0.baseAddress! + written, min(piece, bytes.count - written))
                }
                guard count > 0 else { break }
                written += count
            }
            if closes { close(end) }
        }
    }
}

/// Everything from `offset` on, read `room` bytes at a time.
private func readAll(
    _ source: any ByteSource, from offset: Int = 0, room: Int = 1000
) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: room)
    while true {
        let position = Int64(offset + result.count)
        let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: position) }
        if count == 0 { return result }
        result += buffer[..<count]
        source.release(before: position)
    }
}

private func read(_ source: any ByteSource, at offset: Int64, room: Int = 16) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: room)
    let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
    return Array(buffer[..<count])
}

private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
}

private func temporaryFile(_ bytes: [UInt8]) throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).264"
    try Data(bytes).write(to: URL(filePath: path))
    return path
}

@Suite("Pipe byte source", .timeLimit(.minutes(Checkout.patience(5))))
struct PipeByteSourceTests {
    @Test(arguments: [(1, 5000), (7, 50_000), (4097, 1_000_000), (.max, 3_000_000)])
    func `all bytes come, in writes of any size`(piece: Int, count: Int) throws {
        let feed = Feed()
        let source = PipeByteSource(descriptor: feed.readEnd)
        let bytes = pattern(count)
        feed.write(bytes, piece: piece)
        #expect(source.byteCount == nil)
        #expect(try readAll(source, room: 60_000) == bytes)
        #expect(try read(source, at: Int64(count)).isEmpty, "the end stays the end")
        #expect(try read(source, at: Int64(count) + 100).isEmpty)
        #expect(try read(source, at: 10) == Array(bytes[10..<26]), "and one can go back")
    }

    @Test func `what is behind the play position and over the limit goes`() throws {
        let feed = Feed()
        let source = PipeByteSource(descriptor: feed.readEnd, retainedByteLimit: 512 << 10)
        let bytes = pattern(4 << 20)
        feed.write(bytes)
        #expect(try readAll(source, room: 64 << 10) == bytes)
        #expect(throws: StreamError.dropped(offset: 0)) { try read(source, at: 0) }
        #expect(throws: StreamError.dropped(offset: 3 << 20)) { try read(source, at: 3 << 20) }
        let kept = bytes.count - 512 << 10
        #expect(try readAll(source, from: kept) == Array(bytes[kept...]))
    }

    @Test func `what is not released stays, whatever the limit`() throws {
        let feed = Feed()
        let source = PipeByteSource(descriptor: feed.readEnd, retainedByteLimit: 256 << 10)
        let bytes = pattern(2 << 20)
        feed.write(bytes)
        // Far ahead without a word about what is played.
        #expect(try read(source, at: Int64(bytes.count) - 4, room: 4) == Array(bytes.suffix(4)))
        #expect(try read(source, at: 0) == Array(bytes[..<16]))
        source.release(before: 100_000)
        #expect(try read(source, at: 100_000) == Array(bytes[100_000..<100_016]))
    }

    @Test func `cancel ends a read that waits`() throws {
        let feed = Feed()
        defer { close(feed.writeEnd) }
        let source = PipeByteSource(descriptor: feed.readEnd)
        feed.write([1, 2, 3], closes: false)
        #expect(try read(source, at: 0) == [1, 2, 3])
        Thread.detachNewThread {
            usleep(50_000)
            source.cancel()
        }
        #expect(throws: StreamError.cancelled) { try read(source, at: 3) }
        #expect(throws: StreamError.cancelled) { try read(source, at: 0) }
    }

    @Test func `cancel ends every reader that waits`() throws {
        let feed = Feed()
        defer { close(feed.writeEnd) }
        let source = PipeByteSource(descriptor: feed.readEnd)
        let ended = Atomic(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                if (try? read(source, at: 0)) == nil {
                    ended.add(1, ordering: .relaxed)
                }
                group.leave()
            }
        }
        usleep(50_000)
        source.cancel()
        #expect(group.wait(timeout: .now() + 20) == .success)
        #expect(ended.load(ordering: .relaxed) == 4)
    }

    @Test func `several readers see the same bytes`() throws {
        let feed = Feed()
        let source = PipeByteSource(descriptor: feed.readEnd)
        let bytes = pattern(600_000)
        let right = Atomic(0)
        let group = DispatchGroup()
        for reader in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                let from = reader * 1000
                if (try? readAll(source, from: from, room: 100 + reader * 5000))
                    == Array(bytes[from...])
                {
                    right.add(1, ordering: .relaxed)
                }
                group.leave()
            }
        }
        feed.write(bytes, piece: 10_000)
        #expect(group.wait(timeout: .now() + 40) == .success)
        #expect(right.load(ordering: .relaxed) == 4)
    }

    @Test func `what reading fails with is told`() throws {
        let descriptor = open("/tmp", O_RDONLY | O_DIRECTORY)
        let source = PipeByteSource(descriptor: descriptor)
        #expect(throws: StreamError.system(call: "read", errno: EISDIR)) {
            try read(source, at: 0)
        }
    }

    @Test func `descriptors are closed with it`() throws {
        func openCount() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
        }
        // Other tests open files meanwhile: what leaks shows in the number of 200.
        let before = openCount()
        for _ in 0..<200 {
            let feed = Feed()
            close(feed.writeEnd)
            _ = PipeByteSource(descriptor: feed.readEnd)
        }
        #expect(openCount() < before + 150)
    }
}

@Suite("File byte source", .timeLimit(.minutes(Checkout.patience(5))))
struct FileByteSourceTests {
    @Test func `it reads at any place, in any order`() throws {
        let bytes = pattern(300_000)
        let path = try temporaryFile(bytes)
        defer { unlink(path) }
        let source = try openByteSource(path: path)
        #expect(source.byteCount == 300_000)
        #expect(try readAll(source, room: 70_000) == bytes)
        #expect(try read(source, at: 5) == Array(bytes[5..<21]))
        #expect(try read(source, at: 299_990) == Array(bytes[299_990...]))
        #expect(try read(source, at: 300_000).isEmpty)
        #expect(try read(source, at: 1 << 40).isEmpty)
    }

    @Test func `a file that shrinks just ends earlier`() throws {
        let path = try temporaryFile(pattern(1 << 20))
        defer { unlink(path) }
        let source = try openByteSource(path: path)
        #expect(try read(source, at: 500_000).count == 16)
        #expect(truncate(path, 1000) == 0)
        #expect(try read(source, at: 500_000).isEmpty)
        #expect(try read(source, at: 996).count == 4)
        #expect(source.byteCount == 1 << 20)
    }

    @Test func `a stream whose file shrinks while it is read ends`() throws {
        let bytes = Streams.simple(gops: 40, length: 50).bytes()
        let path = try temporaryFile(bytes)
        defer { unlink(path) }
        let source = try openByteSource(path: path)
        var sequence = AccessUnitSequence(source, lookahead: 0)
        var count = 0
        while try sequence.next() != nil {
            count += 1
            if count == 1 { #expect(truncate(path, off_t(bytes.count / 2)) == 0) }
        }
        // One read takes more than half, or all: what counts is that it ends.
        #expect((900...2000).contains(count))
    }

    @Test func `cancel ends reading`() throws {
        let path = try temporaryFile(pattern(1000))
        defer { unlink(path) }
        let source = try openByteSource(path: path)
        source.cancel()
        #expect(throws: StreamError.cancelled) { try read(source, at: 0) }
    }

    @Test func `what cannot be opened is told apart`() throws {
        #expect(throws: StreamError.system(call: "open", errno: ENOENT)) {
            try openByteSource(path: "/nonexistent/clip.264")
        }
        #expect(throws: StreamError.directory) { try openByteSource(path: "/tmp") }
        let path = try temporaryFile([])
        defer { unlink(path) }
        #expect(throws: StreamError.empty) { try openByteSource(path: path) }
    }

    @Test func `a named pipe is a pipe`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        Thread.detachNewThread {
            let descriptor = open(path, O_WRONLY)
            _ = write(descriptor, [1, 2, 3] as [UInt8], 3)
            close(descriptor)
        }
        let source = try openByteSource(path: path)
        #expect(source.byteCount == nil)
        #expect(try readAll(source) == [1, 2, 3])
    }
}
