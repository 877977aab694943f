internal import Glibc
internal import PixelBuffers
internal import Synchronization

/// What the session's callers and its queue both touch.
final class DecompressionShared: Sendable {
    /// Bounds of the decoder, read when it is opened.
    struct Limits: Sendable {
        /// Nil for the default.
        var threadCount: Int?
        var pixelCount: Int
    }

    private struct State: Sendable {
        var limits: Limits
        var unansweredCount = 0
        var pool: CVPixelBufferPool?
        var isInvalidated = false
    }

    /// The largest frame of level 6.2: 139264 macroblocks (table A-1).
    static let defaultPixelCount = 139_264 * 256

    private let state: Mutex<State>

    init() {
        state = Mutex(
            State(
                limits: Limits(
                    threadCount: nil, pixelCount: Self.defaultPixelCount)))
    }

    /// The number of processors, 16 at most: more threads cost delay and memory and gain nothing.
    static var defaultThreadCount: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 16) }

    var limits: Limits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    var pixelBufferPool: CVPixelBufferPool? {
        get { state.withLock { $0.pool } }
        set { state.withLock { $0.pool = newValue } }
    }

    /// Samples that were taken and not called back for.
    var unansweredCount: Int { state.withLock { $0.unansweredCount } }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// Counts samples in; false when the session is invalid.
    func accept(_ count: Int) -> Bool {
        state.withLock { state in
            guard !state.isInvalidated else { return false }
            state.unansweredCount += count
            return true
        }
    }

    func didAnswer() { state.withLock { $0.unansweredCount -= 1 } }

    /// Returns whether it was valid until now.
    func invalidate() -> Bool {
        state.withLock { state in
            guard !state.isInvalidated else { return false }
            state.isInvalidated = true
            state.unansweredCount = 0
            state.pool = nil
            return true
        }
    }
}
