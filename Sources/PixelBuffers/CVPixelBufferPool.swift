import Glibc
import Synchronization

/// A source of equal pixel buffers whose memory is used again.
///
/// Usable from any thread. Buffers may outlive the pool.
public final class CVPixelBufferPool: Sendable {
    /// What ``flush(_:)`` frees.
    public struct FlushFlags: OptionSet, Hashable, Sendable {
        /// Core Video's option bits.
        public let rawValue: UInt64
        /// Takes any bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        /// All unused buffers, whatever their age.
        public static let excessBuffers = FlushFlags(rawValue: 1)
    }

    /// How many unused buffers a pool keeps, and how long.
    public struct Attributes: Hashable, Sendable {
        /// Unused buffers that are kept whatever their age.
        public var minimumBufferCount = 0
        /// Unused buffers beyond the minimum are freed when older.
        ///
        /// One second unless set.
        public var maximumBufferAge = Duration.seconds(1)

        /// Creates the default attributes.
        public init() {}
    }

    /// How many unused buffers are kept, and how long.
    public let attributes: Attributes
    /// What every buffer's memory is like.
    public let pixelBufferAttributes: CVPixelBufferAttributes
    /// Columns of every buffer.
    public var width: Int { memory.layout.width }
    /// Rows of every buffer.
    public var height: Int { memory.layout.height }
    /// Format of every buffer.
    public var pixelFormat: CVPixelFormatType { memory.layout.format.format }

    private let memory: PixelMemoryPool

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - width: Columns of every buffer.
    ///   - height: Rows of every buffer.
    ///   - pixelFormat: Format of every buffer.
    ///   - pixelBufferAttributes: What every buffer's memory is like.
    ///   - attributes: How many unused buffers are kept, and how long.
    /// - Throws: ``CVError/invalidPoolAttributes`` for a negative count or age; else as for a buffer.
    public init(
        width: Int, height: Int, pixelFormat: CVPixelFormatType,
        pixelBufferAttributes: CVPixelBufferAttributes = .init(), attributes: Attributes = .init()
    ) throws(CVError) {
        guard attributes.minimumBufferCount >= 0, attributes.maximumBufferAge >= .zero else {
            throw CVError.invalidPoolAttributes.saying("\(attributes)")
        }
        self.attributes = attributes
        self.pixelBufferAttributes = pixelBufferAttributes
        let layout = try PixelBufferLayout(
            width: width, height: height, pixelFormat: pixelFormat,
            attributes: pixelBufferAttributes)
        memory = PixelMemoryPool(layout: layout, attributes: attributes)
    }

    /// Hands out a buffer without attachments; its contents are undefined.
    ///
    /// - Parameter allocationThreshold: Refuse when so many buffers or more are out; nil for no limit.
    /// - Returns: The buffer. Its memory returns to the pool with the last reference.
    /// - Throws: ``CVError/wouldExceedAllocationThreshold`` or ``CVError/allocationFailed``.
    public func makePixelBuffer(allocationThreshold: Int? = nil) throws(CVError) -> CVPixelBuffer {
        let block = try memory.take(threshold: allocationThreshold)
        return CVPixelBuffer(
            layout: memory.layout, memory: block, backing: .pooled(memory, block))
    }

    /// Frees unused buffers: those that are too old, or all.
    ///
    /// - Parameter flags: `excessBuffers` frees all that are unused.
    public func flush(_ flags: FlushFlags = []) {
        memory.flush(all: flags.contains(.excessBuffers))
    }

    /// Buffers that are handed out and unused ones that wait.
    ///
    /// Ours, to watch a pool.
    public var counts: (out: Int, unused: Int) { memory.counts }
}

/// The memory behind a pool, kept alive by the pool and by every buffer that is out.
final class PixelMemoryPool: @unchecked Sendable {
    // SAFETY: `state` is guarded by its mutex; the blocks in it belong to nobody else.

    /// A block of memory on its way between the pool and a buffer.
    private struct Block: @unchecked Sendable {
        // SAFETY: whoever holds it is its only owner.
        let address: UnsafeMutableRawPointer
        var since = ContinuousClock.now
    }

    private struct State {
        /// Newest last, so that the warmest memory is used first and the oldest ages at the front.
        var unused: [Block] = []
        var outCount = 0
    }

    let layout: PixelBufferLayout
    private let attributes: CVPixelBufferPool.Attributes
    private let state = Mutex(State())

    init(layout: PixelBufferLayout, attributes: CVPixelBufferPool.Attributes) {
        self.layout = layout
        self.attributes = attributes
    }

    deinit {
        state.withLock { state in
            for block in state.unused { free(block.address) }
        }
    }

    var counts: (out: Int, unused: Int) { state.withLock { ($0.outCount, $0.unused.count) } }

    func take(threshold: Int?) throws(CVError) -> UnsafeMutableRawPointer {
        let block = try state.withLock { (state) throws(CVError) -> Block in
            if let threshold, state.outCount >= threshold {
                throw CVError.wouldExceedAllocationThreshold.saying(
                    "\(state.outCount) buffers are out, the threshold is \(threshold)")
            }
            let unused = state.unused.popLast()
            let block =
                if let unused { unused } else { Block(address: try PixelMemory.allocate(layout)) }
            state.outCount += 1
            retire(&state, all: false)
            return block
        }
        return block.address
    }

    func takeBack(_ address: UnsafeMutableRawPointer) {
        let block = Block(address: address)
        state.withLock { state in
            state.outCount -= 1
            state.unused.append(block)
            retire(&state, all: false)
        }
    }

    func flush(all: Bool) { state.withLock { retire(&$0, all: all) } }

    /// Frees what is too old beyond the minimum, or all.
    private func retire(_ state: inout State, all: Bool) {
        let now = ContinuousClock.now
        let keep = all ? 0 : attributes.minimumBufferCount
        while state.unused.count > keep, let oldest = state.unused.first,
            all || oldest.since.duration(to: now) > attributes.maximumBufferAge
        {
            free(oldest.address)
            state.unused.removeFirst()
        }
    }
}
