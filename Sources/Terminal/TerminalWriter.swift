import CTerminalShims
import Glibc
import Synchronization

/// The one way of bytes to the terminal.
///
/// A picture is one call, from any thread; calls from several threads go out one after the other, each whole. A
/// terminal that takes nothing holds the caller up, nobody else: ``interrupt()`` ends the call from outside.
///
/// The descriptor does not block, and is an open file description of our own wherever the terminal could be opened
/// again: `O_NONBLOCK` belongs to the description, and the one we were given is the shell's too. Where it could not
/// (after `su`, where the terminal belongs to somebody else and is not ours to control), the given one is used as it
/// is, with small writes after each poll, which end late but do end.
public final class TerminalWriter: Sendable {
    /// What became of a call.
    public enum Outcome: Hashable, Sendable {
        /// All bytes were taken.
        case whole
        /// The call was interrupted. What the terminal had got of it was ended properly, but what the screen shows is
        /// unknown: draw everything again.
        case interrupted
        /// The terminal is gone.
        case closed
    }

    /// What was written so far.
    public struct Statistics: Hashable, Sendable {
        /// Bytes that the terminal has taken.
        public var byteCount: Int64 = 0
        /// Calls that were taken whole.
        public var wholeCount = 0
        /// Calls that were interrupted.
        public var interruptedCount = 0
        /// Calls of the system's `write`.
        public var systemCallCount = 0
        /// Status requests among them.
        public var statusRequestCount = 0
        /// Time in which the terminal took nothing and a caller waited.
        public var waitingTime: Duration = .zero
    }

    struct State {
        var isShut = true
        var isClosed = false
        /// When the terminal last took less than it was given.
        var lastRefusal: ContinuousClock.Instant?
        var limiter = RateLimiter()
    }

    let descriptor: Int32
    private let isShared: Bool
    private let wakeDescriptor: Int32
    private let ledger: ReplyLedger
    private let state = Mutex(State())
    private let statisticsStore = Mutex(Statistics())
    private let posted = Mutex([UInt8]())
    private let isInterrupted = Atomic(false)

    init(descriptor: Int32, isShared: Bool, wakeDescriptor: Int32, ledger: ReplyLedger) {
        self.descriptor = descriptor
        self.isShared = isShared
        self.wakeDescriptor = wakeDescriptor
        self.ledger = ledger
    }

    /// A writer to any non-blocking descriptor, open at once: for tests.
    package convenience init(descriptor: Int32) {
        self.init(
            descriptor: descriptor, isShared: false, wakeDescriptor: terminal_eventfd(),
            ledger: ReplyLedger())
        _ = open(with: "")
    }

    deinit { close(wakeDescriptor) }

    /// What was written so far.
    ///
    /// Does not wait for a call under way.
    public var statistics: Statistics { statisticsStore.withLock { $0 } }

    /// Bytes a second at most, over any two seconds; nil is no limit.
    public func setMaximumRate(_ rate: Int?) {
        state.withLock { $0.limiter = RateLimiter(bytesPerSecond: rate, at: .now) }
    }

    /// Writes bytes, all of them if it can.
    ///
    /// - Parameters:
    ///   - bytes: What goes out; one or more whole pictures, texts or sequences.
    ///   - requestingStatus: Whether a status request follows, unless one is still unanswered; the answer comes as
    ///     ``TerminalEvent/linkReport(_:)``.
    /// - Returns: ``Outcome/interrupted`` with nothing written while the screen is left or after ``interrupt()``.
    @discardableResult
    public func write(
        _ bytes: UnsafeRawBufferPointer, requestingStatus: Bool = false
    ) -> Outcome {
        let outcome = state.withLock { state -> Outcome in
            guard !state.isClosed else { return .closed }
            guard !state.isShut, !isInterrupted.load(ordering: .acquiring) else {
                return .interrupted
            }
            var outcome = send(bytes, &state)
            if outcome == .whole, requestingStatus, ledger.mayRequestStatus(at: .now) {
                ledger.noteStatusRequest(at: .now, byteCount: statistics.byteCount)
                statisticsStore.withLock { $0.statusRequestCount += 1 }
                outcome = send(ControlSequence.statusRequest, &state)
            }
            flushPosted(&state)
            return outcome
        }
        // Somebody may have posted between our last look and the unlocking, and found it locked.
        flushPostedIfFree()
        statisticsStore.withLock {
            if outcome == .whole { $0.wholeCount += 1 }
            if outcome == .interrupted { $0.interruptedCount += 1 }
        }
        return outcome
    }

    /// Writes bytes, all of them if it can.
    @discardableResult
    public func write(_ bytes: [UInt8], requestingStatus: Bool = false) -> Outcome {
        bytes.withUnsafeBytes { write($0, requestingStatus: requestingStatus) }
    }

    /// Ends the call under way, at once and from any thread, and lets none begin before ``resume()``.
    public func interrupt() {
        isInterrupted.store(true, ordering: .releasing)
        var one: UInt64 = 1
        _ = Glibc.write(wakeDescriptor, &one, 8)
    }

    /// Lets calls through again.
    public func resume() {
        isInterrupted.store(false, ordering: .releasing)
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, 8)
    }

    /// Whether the terminal would take bytes now.
    public var isReady: Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&one, 1, 0) == 1 && one.revents & Int16(POLLOUT) != 0
    }

    // MARK: For Terminal

    /// Opens the way with some first bytes.
    package func open(with text: String) -> Outcome {
        resume()
        return state.withLock { state in
            guard !state.isClosed else { return .closed }
            state.isShut = false
            return send(text, &state)
        }
    }

    /// Shuts the way with some last bytes: ends a call under way, and lets none begin before ``open(with:)``.
    package func shut(with text: String) {
        interrupt()
        state.withLock { state in
            resume()
            guard !state.isShut else { return }
            state.isShut = true
            guard !state.isClosed else { return }
            // A slow terminal has up to 20 KB before it; they are not worth waiting for.
            if let refusal = state.lastRefusal, .now - refusal < .seconds(1) {
                tcflush(descriptor, TCOFLUSH)
            }
            sendBounded(text, within: .milliseconds(200), &state)
        }
    }

    /// Writes a short sequence soon, without ever waiting for a call under way.
    package func post(_ text: String) {
        posted.withLock { $0 += text.utf8 }
        flushPostedIfFree()
    }

    private func flushPostedIfFree() {
        while posted.withLock({ !$0.isEmpty }) {
            guard state.withLockIfAvailable({ flushPosted(&$0) }) != nil else { return }
        }
    }

    private func flushPosted(_ state: inout State) {
        let bytes = posted.withLock { posted in
            defer { posted.removeAll(keepingCapacity: true) }
            return posted
        }
        guard !bytes.isEmpty, !state.isShut, !state.isClosed else { return }
        sendBounded(String(decoding: bytes, as: UTF8.self), within: .milliseconds(20), &state)
    }

    // MARK: The loop

    private func send(_ text: String, _ state: inout State) -> Outcome {
        var text = text
        return text.withUTF8 { send(UnsafeRawBufferPointer($0), &state) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> Outcome {
        var offset = 0
        while offset < bytes.count {
            if isInterrupted.load(ordering: .acquiring) {
                if offset > 0 { abort(&state) }
                return .interrupted
            }
            var count = bytes.count - offset
            if let pause = state.limiter.pause(for: count, at: .now) {
                wait(forOutput: false, pause)
                continue
            }
            count = state.limiter.allowed(count)
            if isShared {
                // A blocking descriptor: what poll promises is little.
                guard isReady else {
                    state.lastRefusal = .now
                    wait(forOutput: true, nil)
                    continue
                }
                count = min(count, 256)
            }
            let written = Glibc.write(descriptor, bytes.baseAddress! + offset, count)
            let code = errno
            if written > 0 {
                offset += written
                state.limiter.take(written)
                statisticsStore.withLock {
                    $0.byteCount += Int64(written)
                    $0.systemCallCount += 1
                }
            } else if written < 0, code == EAGAIN {
                state.lastRefusal = .now
                wait(forOutput: true, nil)
            } else if written < 0, code == EINTR {
                continue
            } else {
                state.isClosed = true
                return .closed
            }
        }
        return .whole
    }

    /// Waits for room, or a time, or an interruption.
    private func wait(forOutput: Bool, _ duration: Duration?) {
        let start = ContinuousClock.now
        var polled = [
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: forOutput ? descriptor : -1, events: Int16(POLLOUT), revents: 0),
        ]
        _ = poll(&polled, 2, duration.pollMilliseconds)
        if polled[0].revents != 0, !isInterrupted.load(ordering: .acquiring) {
            // Left over from an interruption already taken back. A new one sets the flag first, so none gets lost.
            var count: UInt64 = 0
            _ = read(wakeDescriptor, &count, 8)
        }
        let elapsed = ContinuousClock.now - start
        statisticsStore.withLock { $0.waitingTime += elapsed }
    }

    /// After a call that got only part of its bytes out: throws away what the kernel still holds, so that it does
    /// not have to be waited for, and ends the sequence that the terminal may be in.
    private func abort(_ state: inout State) {
        tcflush(descriptor, TCOFLUSH)
        ledger.forgetStatus()
        sendBounded(
            ControlSequence.abort + ControlSequence.settle, within: .milliseconds(100), &state)
    }

    /// Writes a short text whatever the interruptions, but not for long.
    private func sendBounded(_ text: String, within limit: Duration, _ state: inout State) {
        let deadline = ContinuousClock.now + limit
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            if isShared, !isReady {
                guard waitForRoom(until: deadline) else { return }
                continue
            }
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress!, $0.count)
            }
            let code = errno
            if written > 0 {
                bytes = bytes.dropFirst(written)
                state.limiter.take(written)
                statisticsStore.withLock { $0.byteCount += Int64(written) }
            } else if written < 0, code == EAGAIN || code == EINTR {
                guard waitForRoom(until: deadline) else { return }
            } else {
                state.isClosed = true
                return
            }
        }
    }

    private func waitForRoom(until deadline: ContinuousClock.Instant) -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&one, 1, Optional(left).pollMilliseconds)
        return true
    }
}
