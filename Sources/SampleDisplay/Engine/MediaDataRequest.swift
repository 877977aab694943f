internal import Dispatch

/// One `requestMediaDataWhenReady`: which block, and where.
final class MediaDataRequest: Sendable {
    let queue: DispatchQueue
    let block: @Sendable () -> Void

    init(queue: DispatchQueue, block: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.block = block
    }

    /// The least time between two calls of a block that enqueues nothing although more is welcome (L-19).
    static let pace = DispatchTimeInterval.milliseconds(10)
}
