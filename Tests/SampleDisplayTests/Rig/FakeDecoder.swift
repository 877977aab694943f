import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay

/// What a test knows of the decoders that a layer made, and how it holds them up.
final class FakeDecoders: Sendable {
    enum Call: Equatable {
        case make(width: Int32, isInPresentationOrder: Bool)
        case decode(Int64, displays: Bool)
        case finish
        case reset
        case invalidate
    }

    struct State {
        var calls: [Call] = []
        var makingFails = false
        /// Pictures held back in presentation order.
        var delay = 2
        /// Samples that may still be decoded; nil for any number.
        var permits: Int?
        var isWaiting = false
    }

    let state = Monitor(State())

    var calls: [Call] { state.withLock { $0.calls } }

    func note(_ call: Call) { state.withLock { $0.calls.append(call) } }

    /// Stops decoding before the next sample.
    func hold() { state.update { $0.permits = 0 } }

    /// Lets `count` samples be decoded, nil for all.
    func release(_ count: Int? = nil) {
        state.update { state in
            state.isWaiting = false
            guard let count else { return state.permits = nil }
            state.permits = (state.permits ?? 0) + count
        }
    }

    /// Waits until the decoder is held up.
    func waitUntilHeld() { _ = state.wait { $0.isWaiting ? () : nil } }

    private func noteWaiting() { state.update { $0.isWaiting = true } }

    func takePermit() {
        if state.withLock({ $0.permits == 0 }) { noteWaiting() }
        _ = state.wait { state -> Void? in
            guard let permits = state.permits else { return () }
            guard permits > 0 else { return nil }
            state.permits = permits - 1
            return ()
        }
    }

    var factory: SampleDecoderFactory {
        { format, settings, output throws(MediaError) in
            if self.state.withLock({ $0.makingFails }) {
                throw MediaError(status: -12906, "the test wants no decoder")
            }
            self.note(
                .make(
                    width: format.dimensions.width,
                    isInPresentationOrder: settings.isInPresentationOrder))
            return FakeDecoder(
                owner: self, format: format,
                isInPresentationOrder: settings.isInPresentationOrder, output: output)
        }
    }
}

/// Makes a picture of any sample; accepts formats of its own width.
final class FakeDecoder: SampleDecoder {
    private let owner: FakeDecoders
    private let format: CMFormatDescription
    private let isInPresentationOrder: Bool
    private let output: @Sendable (DecodedSample) -> Void
    private var held: [(time: CMTime, result: DecodedSample)] = []

    init(
        owner: FakeDecoders, format: CMFormatDescription, isInPresentationOrder: Bool,
        output: @escaping @Sendable (DecodedSample) -> Void
    ) {
        self.owner = owner
        self.format = format
        self.isInPresentationOrder = isInPresentationOrder
        self.output = output
    }

    func canAccept(_ formatDescription: CMFormatDescription) -> Bool {
        formatDescription.dimensions == format.dimensions
    }

    func decode(_ sampleBuffer: CMSampleBuffer, ordinal: UInt64, displays: Bool) -> OSStatus {
        owner.takePermit()
        let attachments = sampleBuffer.sampleAttachments[0]
        owner.note(.decode(attachments[.token] ?? -1, displays: displays))
        let status = attachments[.fakeStatus] ?? noErr
        if attachments[.fakeFails] == true { return status }
        let image = try? CVPixelBuffer(
            width: 16, height: 16, pixelFormat: .yCbCr420BiPlanarVideoRange)
        let result = DecodedSample(
            ordinal: ordinal, status: status,
            imageBuffer: displays && status == noErr ? image : nil,
            isDamaged: attachments[.fakeDamaged] ?? false)
        guard isInPresentationOrder else {
            output(result)
            return noErr
        }
        held.append((sampleBuffer.outputPresentationTimeStamp, result))
        held.sort { $0.time < $1.time }
        let delay = owner.state.withLock { $0.delay }
        while held.count > delay { output(held.removeFirst().result) }
        return noErr
    }

    func finish() {
        owner.note(.finish)
        for (_, result) in held { output(result) }
        held = []
    }

    func reset() {
        owner.note(.reset)
        held = []
    }

    func invalidate() {
        owner.note(.invalidate)
        held = []
    }
}
