import Foundation
import Glibc
import TestSupport

/// Writes a stream into a pipe or a file piece by piece, on a thread of its own, and notes when.
final class LiveWriter: @unchecked Sendable {
    /// A piece, and how long to wait before it.
    struct Piece {
        var bytes: ArraySlice<UInt8>
        var pause: Duration
        /// The picture that is complete with it.
        var picture: Int?
    }

    /// What a program reads; the caller closes it when the program has it.
    let readEnd: Int32
    private let writeEnd: Int32
    private let pieces: [Piece]
    private let holdsOpen: Bool
    // SAFETY: guarded by `lock`.
    private var written: [Int: ContinuousClock.Instant] = [:]
    private var isClosed = false
    private let lock = NSLock()

    /// - Parameters:
    ///   - pieces: What to write.
    ///   - holdsOpen: Whether the pipe stays open behind the last piece, until ``close()``.
    /// - Throws: Where there are no more descriptors.
    init(_ pieces: [Piece], holdsOpen: Bool = false) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        self.pieces = pieces
        self.holdsOpen = holdsOpen
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes into a file that is there.
    ///
    /// - Parameters:
    ///   - pieces: What to write.
    ///   - path: The file.
    /// - Throws: Where it cannot be written.
    init(_ pieces: [Piece], appendingTo path: String) throws {
        writeEnd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard writeEnd >= 0 else { throw POSIXError(.ENOENT) }
        readEnd = -1
        self.pieces = pieces
        holdsOpen = false
    }

    /// Begins to write, on time: a pause counts from when the one before was to end.
    func start() {
        let thread = Thread { [self] in
            var due = ContinuousClock.now
            for piece in pieces {
                due += piece.pause
                let left = due - ContinuousClock.now
                if left > .zero { usleep(UInt32(left / .microseconds(1))) }
                guard write(piece) else { break }
            }
            if !holdsOpen { close() }
        }
        thread.start()
    }

    private func write(_ piece: Piece) -> Bool {
        var rest = piece.bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(writeEnd, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        if let picture = piece.picture {
            lock.withLock { written[picture] = ContinuousClock.now }
        }
        return true
    }

    /// Ends the stream.
    func close() {
        lock.withLock {
            if !isClosed { Glibc.close(writeEnd) }
            isClosed = true
        }
    }

    /// When the bytes of a picture had been written.
    func time(of picture: Int) -> ContinuousClock.Instant? { lock.withLock { written[picture] } }

    // MARK: Pieces

    /// The access units of a clip, at a rate.
    static func accessUnits(
        _ path: String, every interval: Duration, pause: (Int) -> Duration = { _ in .zero }
    ) throws -> [Piece] {
        let bytes = Checkout.bytes(path) ?? []
        let units = TPlay.objects(TPlay.run(["--report", "frames", "--order", "decode", path]))
        return units.enumerated().compactMap { index, unit in
            guard let offset = unit["offset"] as? Int, let count = unit["bytes"] as? Int,
                let picture = unit["frame"] as? Int
            else { return nil }
            return Piece(
                bytes: bytes[offset..<offset + count],
                pause: (index == 0 ? .zero : interval) + pause(index), picture: picture)
        }
    }

    /// A clip cut at every NAL unit.
    static func nalUnits(_ path: String, every interval: Duration) -> [Piece] {
        let bytes = Checkout.bytes(path) ?? []
        let starts = TPlay.objects(TPlay.run(["--report", "nals", path]))
            .compactMap { $0["offset"] as? Int }
        return zip(starts, starts.dropFirst() + [bytes.count])
            .map { Piece(bytes: bytes[$0..<$1], pause: interval, picture: nil) }
            .filter { !$0.bytes.isEmpty }
    }
}
