internal import MediaTime
internal import SampleBuffers
internal import VideoCodec

/// A decompression session as a ``SampleDecoder``.
///
/// The session answers on the decode thread, inside its calls.
final class DecompressionSessionDecoder: SampleDecoder {
    private let session: VTDecompressionSession
    private let flags: VTDecodeFrameFlags

    init(
        _ format: CMFormatDescription, _ settings: SampleDecoderSettings,
        output: @escaping @Sendable (DecodedSample) -> Void
    ) throws(MediaError) {
        session = try VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: settings.request
        ) { frame in
            output(
                DecodedSample(
                    ordinal: UInt64(UInt(bitPattern: frame.frameRefcon)), status: frame.status,
                    imageBuffer: frame.imageBuffer, isDamaged: frame.isDamaged))
        }
        session.threadCount = settings.threadCount
        flags = settings.isInPresentationOrder ? .enableTemporalProcessing : []
    }

    static let make: SampleDecoderFactory = { format, settings, output throws(MediaError) in
        try DecompressionSessionDecoder(format, settings, output: output)
    }

    func canAccept(_ formatDescription: CMFormatDescription) -> Bool {
        session.canAccept(formatDescription)
    }

    func decode(_ sampleBuffer: CMSampleBuffer, ordinal: UInt64, displays: Bool) -> OSStatus {
        session.decodeFrame(
            sampleBuffer, flags: displays ? flags : flags.union(.doNotOutputFrame),
            frameRefcon: UnsafeMutableRawPointer(bitPattern: UInt(ordinal)))
    }

    func finish() { session.waitForAsynchronousFrames() }

    func reset() { session.discardDelayedFrames() }

    func invalidate() { session.invalidate() }
}
