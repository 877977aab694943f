import ElementaryStream
import MediaTime
import SampleDisplay
import Synchronization

/// Keeps from the screen what a decoder made of the half of a picture, and what is decoded too late to come in order.
///
/// An access unit of a pipe counts as complete when its writer falls silent. Where that was wrong the decoder finds parts
/// of it missing: it is refused, and decoded again when it is certain.
final class WholePictureSink: SampleBufferDisplaySink {
    private let screen: Screen
    private let index: StreamIndex
    private let clock: LiveClock
    /// What was presented last; nil where any order is right.
    private let last = Mutex<CMTime?>(nil)

    init(_ screen: Screen, index: StreamIndex, clock: LiveClock) {
        (self.screen, self.index, self.clock) = (screen, index, clock)
    }

    /// Begins anew, with any picture.
    ///
    /// - Parameter isInOrder: Whether none may follow that is presented before it.
    func restart(isInOrder: Bool) { last.withLock { $0 = isInOrder ? .negativeInfinity : nil } }

    func prepare(_ picture: DisplayedPicture) { screen.prepare(picture) }

    func present(_ picture: DisplayedPicture, at time: CMTime) {
        if picture.isDamaged, let token = picture.token, index.refuse(decodeRank: Int(token)) {
            clock.wait(for: (picture.presentationTimeStamp, picture.duration))
            return screen.discard(picture)
        }
        let isInOrder = last.withLock { last in
            guard let former = last else { return true }
            guard picture.presentationTimeStamp >= former else { return false }
            last = picture.presentationTimeStamp
            return true
        }
        guard isInOrder else { return screen.drop(picture) }
        screen.present(picture, at: time)
    }

    func discard(_ picture: DisplayedPicture) { screen.discard(picture) }

    func removeImage() { screen.removeImage() }
}
