import MediaTime
import PixelBuffers
import SampleDisplay

/// A player of `--untimed`: sets the timebase to the next picture whenever it knows one.
final class Stepper: SampleBufferDisplaySink {
    private let layer: AVSampleBufferDisplayLayer
    private let control: CMTimebase
    private let state = Monitor((tokens: [Int64](), shown: CMTime.invalid, hasEnded: false))

    init(layer: AVSampleBufferDisplayLayer, control: CMTimebase) {
        self.layer = layer
        self.control = control
    }

    func step() {
        // One at a time: two threads would set the time back and forth.
        state.withLock { state in
            guard state.shown.isNumeric,
                let next = layer.nextPresentationTimeStamp(after: state.shown)
            else { return }
            try? control.setTime(next)
        }
    }

    func finish() { state.update { $0.hasEnded = true } }

    func waitForEnd() -> [Int64] { state.wait { $0.hasEnded ? $0.tokens : nil } ?? [] }

    func prepare(_ picture: DisplayedPicture) {}
    func discard(_ picture: DisplayedPicture) {}
    func removeImage() {}

    func present(_ picture: DisplayedPicture, at time: CMTime) {
        state.update { state in
            state.tokens.append(picture.token ?? -1)
            state.shown = picture.presentationTimeStamp
        }
        step()
    }
}

/// The same, of a layer that it is plugged into; it gives the pictures' digests.
final class HashingStepper: Sendable {
    private let layer: AVSampleBufferDisplayLayer
    private let control: CMTimebase
    private let state = Monitor((digests: [String](), shown: CMTime.invalid, hasEnded: false))

    init(layer: AVSampleBufferDisplayLayer, control: CMTimebase) {
        self.layer = layer
        self.control = control
    }

    func start() {
        layer.presentationHandler = { [weak self] image, time, _ in
            guard let self, let digest = image?.md5 else { return }
            state.update { state in
                state.digests.append(digest)
                state.shown = time
            }
            step()
        }
        layer.eventHandler = { [weak self] event in
            switch event {
            case .pictureAvailable, .decodedAll: self?.step()
            case .presentedLast, .failedToDecode: self?.state.update { $0.hasEnded = true }
            default: break
            }
        }
    }

    private func step() {
        state.withLock { state in
            guard state.shown.isNumeric,
                let next = layer.nextPresentationTimeStamp(after: state.shown)
            else { return }
            try? control.setTime(next)
        }
    }

    func waitForEnd() -> [String] { state.wait { $0.hasEnded ? $0.digests : nil } ?? [] }
}
