import Glibc
public import MediaTime
import Synchronization

/// What a buffer queue holds: any object.
public typealias CMBuffer = AnyObject & Sendable

/// A queue of buffers with times, sorted or first in, first out.
///
/// Usable from any thread. A call that changes the queue returns after the triggers it set off.
public final class CMBufferQueue: @unchecked Sendable {
    // SAFETY: everything mutable is in `state`, behind its mutex. `changer` lets one thread at a time change the
    // queue, including the triggers that follow, so that handlers and triggers run without the mutex held.

    struct Entry {
        let buffer: any CMBuffer
        let duration: CMTime
        let presentationTimeStamp: CMTime
        let decodeTimeStamp: CMTime
        let size: Int
    }

    struct State {
        /// The first `taken` are gone: dequeueing need not move the rest.
        private var store: [Entry?] = []
        private var taken = 0
        var isEndOfDataMarked = false
        var validate: (@Sendable (CMBufferQueue, any CMBuffer) throws(MediaError) -> Void)?
        var triggers: [Trigger] = []
        var nextTriggerID = 0
        /// Something changed that triggers depend on while they ran.
        var needsEvaluation = false
        /// A reset happened and its triggers have not fired.
        var wasReset = false
        let hasDuration: Bool

        init(hasDuration: Bool) { self.hasDuration = hasDuration }

        var count: Int { store.count - taken }
        var first: Entry? { count > 0 ? store[taken] : nil }
        var entries: some Sequence<Entry> { store[taken...].lazy.compactMap { $0 } }

        func buffer(at index: Int) -> (any CMBuffer)? { store[taken + index]?.buffer }

        mutating func insert(_ entry: Entry, at index: Int) {
            store.insert(entry, at: taken + index)
        }

        mutating func removeFirst() -> Entry? {
            guard let first else { return nil }
            store[taken] = nil
            taken += 1
            if taken == store.count {
                store.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken >= 32, taken * 2 >= store.count {
                store.removeFirst(taken)
                taken = 0
            }
            return first
        }

        var duration: CMTime {
            hasDuration ? entries.reduce(.zero) { $0 + $1.duration } : .invalid
        }

        /// The best of one time of all entries; invalid when there are none.
        func best(_ time: (Entry) -> CMTime, _ isBetter: (CMTime, CMTime) -> Bool) -> CMTime {
            var result: CMTime?
            for entry in entries {
                let candidate = time(entry)
                if let current = result, !isBetter(candidate, current) { continue }
                result = candidate
            }
            return result ?? .invalid
        }

        var minPresentationTimeStamp: CMTime { best(\.presentationTimeStamp, <) }
        var maxPresentationTimeStamp: CMTime { best(\.presentationTimeStamp, >) }
    }

    /// The most buffers it takes; 0 for any number.
    public let capacity: CMItemCount
    let handlers: Handlers.Builder
    let state: Mutex<State>
    /// The thread that changes the queue, or runs the triggers of its change.
    private let changer = Monitor<pthread_t?>(nil)

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - capacity: The most buffers it takes; 0 for any number.
    ///   - handlers: How it learns about its buffers.
    /// - Throws: ``Error/requiredParameterMissing`` for a negative capacity.
    public init(capacity: CMItemCount, handlers: Handlers) throws(MediaError) {
        guard capacity >= 0 else {
            throw Error.requiredParameterMissing.saying("capacity \(capacity)")
        }
        self.capacity = capacity
        self.handlers = handlers.builder
        state = Mutex(State(hasDuration: handlers.builder.getDuration != nil))
    }

    // MARK: Changing

    /// Runs a change alone, then the triggers it sets off.
    func change<R>(_ body: () throws(MediaError) -> R) throws(MediaError) -> R {
        let thread = pthread_self()
        let isAllowed = changer.wait { changer -> Bool? in
            if changer == thread { return false }
            guard changer == nil else { return nil }
            changer = thread
            return true
        }
        guard isAllowed == true else { throw Error.cannotModifyQueueFromTriggerCallback }
        defer { changer.update { $0 = nil } }
        let result = try body()
        repeat { fireTriggers() } while state.withLock { $0.needsEvaluation }
        return result
    }

    /// Adds a buffer: at its place if the handlers compare, behind its equals, else at the end.
    ///
    /// - Parameter buffer: The buffer.
    /// - Throws: ``Error/queueIsFull``, ``Error/enqueueAfterEndOfData``,
    ///   ``Error/cannotModifyQueueFromTriggerCallback``, or the validation handler's error; the queue is then as before.
    public func enqueue(_ buffer: any CMBuffer) throws(MediaError) {
        try change { () throws(MediaError) in
            let (count, isEnded, validate) = state.withLock {
                ($0.count, $0.isEndOfDataMarked, $0.validate)
            }
            guard !isEnded else { throw Error.enqueueAfterEndOfData }
            guard capacity == 0 || count < capacity else {
                throw Error.queueIsFull.saying("\(count) buffers are in the queue")
            }
            try validate?(self, buffer)
            let entry = Entry(
                buffer: buffer, duration: handlers.getDuration?(buffer) ?? .invalid,
                presentationTimeStamp: handlers.getPresentationTimeStamp?(buffer) ?? .invalid,
                decodeTimeStamp: handlers.getDecodeTimeStamp?(buffer) ?? .invalid,
                size: handlers.getSize?(buffer) ?? 0)
            let index = insertionIndex(of: buffer, count: count)
            state.withLock { $0.insert(entry, at: index) }
        }
        // Outside of the change: a buffer that is ready at once calls at once.
        if let isDataReady = handlers.isDataReady, !isDataReady(buffer) {
            handlers.whenDataBecomesReady?(buffer) { [weak self] in self?.dataBecameReady() }
        }
    }

    /// Where a buffer belongs.
    ///
    /// Nobody else changes the queue meanwhile.
    private func insertionIndex(of buffer: any CMBuffer, count: Int) -> Int {
        guard let compare = handlers.compare else { return count }
        // Times mostly rise: look from the end, one entry at a time, for most often the first look is the last.
        var index = count
        while index > 0, let other = state.withLock({ $0.buffer(at: index - 1) }),
            compare(other, buffer) == .compareGreaterThan
        {
            index -= 1
        }
        return index
    }

    private func dataBecameReady() {
        do throws(MediaError) {
            try change { () throws(MediaError) in }
        } catch {
            // Told from within a trigger: the change under way looks again.
            state.withLock { $0.needsEvaluation = true }
        }
    }

    /// Takes the first buffer out.
    ///
    /// - Returns: The buffer; nil when the queue is empty, and from within a trigger.
    public func dequeue() -> (any CMBuffer)? {
        try? change { () throws(MediaError) in state.withLock { $0.removeFirst()?.buffer } }
    }

    /// Takes the first buffer out if its data can be used.
    ///
    /// - Returns: The buffer; nil when the queue is empty, the head is not ready, and from within a trigger.
    public func dequeueIfDataReady() -> (any CMBuffer)? {
        try? change { () throws(MediaError) -> (any CMBuffer)? in
            guard isHeadReady else { return nil }
            return state.withLock { $0.removeFirst()?.buffer }
        }
    }

    /// Tells that no buffers will follow until the queue is reset.
    ///
    /// - Throws: ``Error/cannotModifyQueueFromTriggerCallback``.
    public func markEndOfData() throws(MediaError) {
        try change { () throws(MediaError) in state.withLock { $0.isEndOfDataMarked = true } }
    }

    /// Removes all buffers and the mark of the end; triggers stay.
    ///
    /// - Throws: ``Error/cannotModifyQueueFromTriggerCallback``.
    public func reset() throws(MediaError) {
        try reset { (_) throws(MediaError) in }
    }

    /// Removes all buffers and the mark of the end; triggers stay.
    ///
    /// - Parameter body: Called with every buffer, in order, before it goes; the first error ends the call and leaves
    ///   that buffer and the rest in the queue.
    /// - Throws: ``Error/cannotModifyQueueFromTriggerCallback``, or what `body` throws.
    public func reset(_ body: (any CMBuffer) throws(MediaError) -> Void) throws(MediaError) {
        // The error is thrown behind the change, so that triggers see what was removed before it.
        let failure = try change { () throws(MediaError) -> MediaError? in
            while let buffer = head {
                do throws(MediaError) { try body(buffer) } catch { return error }
                state.withLock { _ = $0.removeFirst() }
            }
            state.withLock { state in
                state.isEndOfDataMarked = false
                state.wasReset = true
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Sets what decides whether a buffer may be enqueued.
    ///
    /// - Parameter body: Throws to refuse; it must not change the queue.
    public func setValidationHandler(
        _ body: @escaping @Sendable (CMBufferQueue, any CMBuffer) throws(MediaError) -> Void
    ) {
        state.withLock { $0.validate = body }
    }
}

// MARK: Asking

extension CMBufferQueue {
    /// The first buffer; another thread may take it or put one before it at any time.
    public var head: (any CMBuffer)? { state.withLock { $0.first?.buffer } }
    /// Whether there are no buffers.
    public var isEmpty: Bool { bufferCount == 0 }
    /// Whether the end of data was marked.
    public var containsEndOfData: Bool { state.withLock { $0.isEndOfDataMarked } }
    /// Whether the end of data was marked and there are no buffers left.
    public var isAtEndOfData: Bool { state.withLock { $0.isEndOfDataMarked && $0.count == 0 } }
    /// Number of buffers.
    public var bufferCount: CMItemCount { state.withLock { $0.count } }
    /// The sum of durations, zero when empty; invalid without a handler for it, as all times below.
    public var duration: CMTime { state.withLock { $0.duration } }
    /// The earliest decode time stamp; invalid when empty, as all times below.
    public var minDecodeTimeStamp: CMTime { state.withLock { $0.best(\.decodeTimeStamp, <) } }
    /// The first buffer's decode time stamp.
    public var firstDecodeTimeStamp: CMTime {
        state.withLock { $0.first?.decodeTimeStamp ?? .invalid }
    }
    /// The earliest presentation time stamp.
    public var minPresentationTimeStamp: CMTime { state.withLock { $0.minPresentationTimeStamp } }
    /// The first buffer's presentation time stamp.
    public var firstPresentationTimeStamp: CMTime {
        state.withLock { $0.first?.presentationTimeStamp ?? .invalid }
    }
    /// The latest presentation time stamp.
    public var maxPresentationTimeStamp: CMTime { state.withLock { $0.maxPresentationTimeStamp } }
    /// The latest end of a buffer.
    public var endPresentationTimeStamp: CMTime {
        state.withLock { $0.best({ $0.presentationTimeStamp + $0.duration }, >) }
    }
    /// The sum of sizes in bytes; 0 without a handler for it.
    public var totalSize: Int { state.withLock { $0.entries.reduce(0) { $0 + $1.size } } }
}
