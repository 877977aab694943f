internal import PixelBuffers
internal import Synchronization

/// What a compression session's callers and its queue both touch.
final class CompressionShared: Sendable {
    private struct State: Sendable {
        var settings = CompressionSettings()
        var pendingCount = 0
        var pool: CVPixelBufferPool?
        var isInvalidated = false
    }

    private let state = Mutex(State())

    init() {}

    var settings: CompressionSettings { state.withLock { $0.settings } }

    /// Changes settings.
    func set(_ change: (inout CompressionSettings) -> Void) {
        state.withLock { change(&$0.settings) }
    }

    /// Pictures that are in the encoder.
    var pendingCount: Int {
        get { state.withLock { $0.pendingCount } }
        set { state.withLock { $0.pendingCount = newValue } }
    }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// The pool, made when first asked for; nil once invalidated.
    func pool(_ make: () -> CVPixelBufferPool?) -> CVPixelBufferPool? {
        state.withLock { state in
            guard !state.isInvalidated else { return nil }
            if state.pool == nil { state.pool = make() }
            return state.pool
        }
    }

    /// Returns whether it was valid until now.
    func invalidate() -> Bool {
        state.withLock { state in
            defer {
                state.isInvalidated = true
                state.pool = nil
            }
            return !state.isInvalidated
        }
    }
}
