import MediaTime
import PixelBuffers
import SampleDisplay

/// A screen that writes down what it is told.
final class RecordingSink: SampleBufferDisplaySink {
    enum Call: Equatable {
        case prepare(Int64)
        case present(Int64)
        case discard(Int64)
        case removeImage
    }

    struct State {
        var calls: [Call] = []
        /// The timebase's time of each call to present.
        var times: [CMTime] = []
        var pictures: [DisplayedPicture] = []
        /// Presentations that may still return; nil for any number.
        var permits: Int?
        var isBlocked = false
    }

    let state = Monitor(State())

    var calls: [Call] { state.withLock { $0.calls } }

    /// The tokens of the pictures presented.
    var presented: [Int64] {
        calls.compactMap { if case .present(let token) = $0 { token } else { nil } }
    }

    var discarded: [Int64] {
        calls.compactMap { if case .discard(let token) = $0 { token } else { nil } }
    }

    var times: [CMTime] { state.withLock { $0.times } }

    /// Has the next presentation block, as a slow terminal.
    func block() { state.update { $0.permits = 0 } }

    func unblock() { state.update { $0.permits = nil } }

    func waitUntilBlocked() { _ = state.wait { $0.isBlocked ? () : nil } }

    func waitUntilPresented(_ token: Int64) {
        _ = state.wait { $0.calls.contains(.present(token)) ? () : nil }
    }

    func prepare(_ picture: DisplayedPicture) {
        state.update { $0.calls.append(.prepare(picture.token ?? -1)) }
    }

    func present(_ picture: DisplayedPicture, at time: CMTime) {
        state.update { state in
            state.calls.append(.present(picture.token ?? -1))
            state.times.append(time)
            state.pictures.append(picture)
        }
        _ = state.wait { state -> Void? in
            state.isBlocked = state.permits == 0
            return state.isBlocked ? nil : ()
        }
        state.update { $0.isBlocked = false }
    }

    func discard(_ picture: DisplayedPicture) {
        state.update { $0.calls.append(.discard(picture.token ?? -1)) }
    }

    func removeImage() { state.update { $0.calls.append(.removeImage) } }
}
