import ElementaryStream
import MediaTime
import SampleDisplay

/// Keeps from the screen what a decoder made of the half of a picture.
///
/// An access unit of a pipe counts as complete when its writer falls silent. Where that was wrong the decoder finds parts
/// of it missing: it is refused, and decoded again when it is certain.
final class WholePictureSink: SampleBufferDisplaySink {
    private let screen: Screen
    private let index: StreamIndex
    private let clock: LiveClock

    init(_ screen: Screen, index: StreamIndex, clock: LiveClock) {
        (self.screen, self.index, self.clock) = (screen, index, clock)
    }

    func prepare(_ picture: DisplayedPicture) { screen.prepare(picture) }

    func present(_ picture: DisplayedPicture, at time: CMTime) {
        if picture.isDamaged, let token = picture.token, index.refuse(decodeRank: Int(token)) {
            clock.wait(for: (picture.presentationTimeStamp, picture.duration))
            return screen.discard(picture)
        }
        screen.present(picture, at: time)
    }

    func discard(_ picture: DisplayedPicture) { screen.discard(picture) }

    func removeImage() { screen.removeImage() }
}
