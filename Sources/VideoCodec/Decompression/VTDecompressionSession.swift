internal import Dispatch
internal import Glibc
internal import H264
public import MediaTime
public import PixelBuffers
public import SampleBuffers
internal import Synchronization

/// Decodes H.264 samples to pictures, on libavcodec.
///
/// Without flags a sample's picture is called back before ``decodeFrame(_:flags:frameRefcon:infoFlagsOut:)`` returns, so
/// pictures come in decode order and the client sorts them by presentation time. With `enableTemporalProcessing` they
/// come in presentation order and later, decoded by frame threads. Every picture that libavcodec can make is delivered;
/// those that cannot be right carry the attachment `damaged`.
///
/// Usable from any thread, also from its own callbacks. Callbacks never run at the same time.
public final class VTDecompressionSession: @unchecked Sendable {
    // SAFETY: `engine` is used on `queue` only; the rest is constant or guards itself.

    /// Takes what became of a sample.
    ///
    /// Runs on the caller's thread or on one of the session's.
    public typealias FrameHandler = @Sendable (VTDecodedFrame) -> Void
    /// Apple's form: status, flags, image, presentation time stamp and duration.
    public typealias OutputHandler =
        @Sendable (OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime) -> Void

    /// Which decoders may be used: Apple's decoder specification, typed.
    public struct Specification: Hashable, Sendable {
        /// Accepted; there is none.
        public var enablesHardwareAcceleration = false
        /// Makes creation fail: there is none.
        public var requiresHardwareAcceleration = false
        /// Creates the default specification.
        public init() {}
    }

    /// The format description that the session was created with.
    public let formatDescription: CMFormatDescription
    let shared = DecompressionShared()
    let properties: Mutex<SessionProperties>
    private let request: PixelBufferRequest
    private let handler: FrameHandler?
    private let queue = DispatchQueue(label: "VTDecompressionSession")
    /// The thread that is at work on the queue, 0 for none.
    ///
    /// Dispatch's own queue-specific data leak with each queue.
    private let worker = Atomic<UInt>(0)
    private var engine: DecompressionEngine
    /// The description of the last sample that was accepted.
    private let currentFormat: Mutex<CMFormatDescription>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - formatDescription: H.264 with its parameter sets.
    ///   - specification: Which decoders may be used.
    ///   - imageBufferAttributes: What pictures to give.
    ///   - outputHandler: Is called for each sample. A session without one is used with the form of `decodeFrame`
    ///     that takes a handler, and only that.
    /// - Throws: ``VTError/couldNotFindVideoDecoder`` for another codec or when hardware is required,
    ///   ``VTError/unsupportedDataFormat`` without usable parameter sets or for pictures over the limit, and
    ///   ``VTError/pixelTransferNotSupported`` for pixel formats that cannot be made.
    public init(
        formatDescription: CMFormatDescription, specification: Specification = .init(),
        imageBufferAttributes: PixelBufferRequest = .default, outputHandler: FrameHandler? = nil
    ) throws(MediaError) {
        guard formatDescription.mediaType == .video, formatDescription.mediaSubType == .h264,
            !specification.requiresHardwareAcceleration
        else {
            throw VTError.couldNotFindVideoDecoder.saying(
                specification.requiresHardwareAcceleration
                    ? "there is no hardware decoder"
                    : "no decoder for \(formatDescription.mediaSubType)")
        }
        guard formatDescription.avcDecoderConfiguration != nil,
            formatDescription.nalUnitHeaderLength != nil
        else {
            throw VTError.unsupportedDataFormat.saying(
                "the format description has no parameter sets (avcC)")
        }
        if let fault = Self.sizeFault(of: formatDescription) {
            throw VTError.unsupportedDataFormat.saying(fault)
        }
        let output = try PictureOutput(
            request: imageBufferAttributes, description: formatDescription, minimumBufferCount: 0)
        self.formatDescription = formatDescription
        request = imageBufferAttributes
        handler = outputHandler
        currentFormat = Mutex(formatDescription)
        properties = Mutex(SessionProperties())
        engine = DecompressionEngine(shared: shared, format: formatDescription, output: output)
    }

    deinit {
        // Jobs in flight keep the session alive: here the queue is idle.
        _ = shared.invalidate()
        engine.close()
    }

    private static func sizeFault(of description: CMFormatDescription) -> String? {
        guard let size = description.h264SequenceParameterSet?.codedSize,
            size.width * size.height > DecompressionShared.defaultPixelCount
        else { return nil }
        return "pictures of \(size.width)x\(size.height) are larger than any level allows"
    }

    // MARK: Decoding

    /// Decodes a sample; the session's handler is called.
    ///
    /// - Parameters:
    ///   - sampleBuffer: Compressed samples in AVCC form; each is answered once.
    ///   - flags: How to decode.
    ///   - frameRefcon: Comes back with the answer.
    ///   - infoFlagsOut: `asynchronous` when the answer comes after the call returned.
    /// - Returns: `noErr`, and the handler is called exactly once a sample; or an error, and it is not.
    @discardableResult
    public func decodeFrame(
        _ sampleBuffer: CMSampleBuffer, flags: VTDecodeFrameFlags = [],
        frameRefcon: UnsafeMutableRawPointer? = nil,
        infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>? = nil
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard let handler else { return VTError.parameter.status }
        return submit(sampleBuffer, flags, frameRefcon, infoFlagsOut, handler)
    }

    /// Decodes a sample; the handler given here is called.
    ///
    /// - Parameters:
    ///   - sampleBuffer: Compressed samples in AVCC form; each is answered once.
    ///   - flags: How to decode.
    ///   - infoFlagsOut: `asynchronous` when the answer comes after the call returned.
    ///   - outputHandler: Takes the answer.
    /// - Returns: `noErr`, and the handler is called exactly once a sample; or an error, and it is not.
    @discardableResult
    public func decodeFrame(
        _ sampleBuffer: CMSampleBuffer, flags: VTDecodeFrameFlags = [],
        infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>? = nil,
        outputHandler: @escaping FrameHandler
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard handler == nil else { return VTError.parameter.status }
        return submit(sampleBuffer, flags, nil, infoFlagsOut, outputHandler)
    }

    /// Decodes a sample; the handler given here, of Apple's form, is called.
    ///
    /// - Parameters:
    ///   - sampleBuffer: Compressed samples in AVCC form; each is answered once.
    ///   - flags: How to decode.
    ///   - infoFlagsOut: `asynchronous` when the answer comes after the call returned.
    ///   - outputHandler: Takes the answer.
    /// - Returns: `noErr`, and the handler is called exactly once a sample; or an error, and it is not.
    @discardableResult
    public func decodeFrame(
        _ sampleBuffer: CMSampleBuffer, flags: VTDecodeFrameFlags = [],
        infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>? = nil,
        outputHandler: @escaping OutputHandler
    ) -> OSStatus {
        let body: FrameHandler = { frame in
            outputHandler(
                frame.status, frame.infoFlags, frame.imageBuffer, frame.presentationTimeStamp,
                frame.duration)
        }
        return decodeFrame(
            sampleBuffer, flags: flags, infoFlagsOut: infoFlagsOut, outputHandler: body)
    }

    private func submit(
        _ buffer: CMSampleBuffer, _ flags: VTDecodeFrameFlags,
        _ refcon: UnsafeMutableRawPointer?,
        _ infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?,
        _ handler: @escaping FrameHandler
    ) -> OSStatus {
        infoFlagsOut?.pointee = []
        let jobs: [DecompressionEngine.Job]
        do throws(MediaError) {
            jobs = try self.jobs(of: buffer, flags, refcon, handler)
        } catch {
            return error.status
        }
        guard !jobs.isEmpty else { return noErr }
        guard shared.accept(jobs.count) else { return VTError.invalidSession.status }
        if flags.contains(.enableAsynchronousDecompression) {
            infoFlagsOut?.pointee = .asynchronous
            queue.async { [self] in
                work {
                    for var job in jobs where !shared.isInvalidated {
                        job.request.frame.infoFlags.insert(.asynchronous)
                        _ = engine.decode(job)
                    }
                }
            }
            return noErr
        }
        let isAnswered = onQueue {
            jobs.reduce(true) { isAnswered, job in engine.decode(job) && isAnswered }
        }
        if !isAnswered { infoFlagsOut?.pointee = .asynchronous }
        return noErr
    }

    /// Checks all that can be told at once, and takes the buffer apart.
    private func jobs(
        of buffer: CMSampleBuffer, _ flags: VTDecodeFrameFlags, _ refcon: UnsafeMutableRawPointer?,
        _ handler: @escaping FrameHandler
    ) throws(MediaError) -> [DecompressionEngine.Job] {
        if buffer.dataReadiness != .ready {
            do {
                try buffer.makeDataReady()
            } catch {
                throw CMSampleBuffer.Error.bufferNotReady
            }
        }
        guard buffer.isValid else { throw CMSampleBuffer.Error.invalidated }
        let count = buffer.numSamples
        guard count > 0 else { return [] }
        guard let data = buffer.dataBuffer, data.dataLength > 0 else { throw VTError.badData }
        let format = buffer.formatDescription ?? currentFormat.withLock { $0 }
        guard canAccept(format), let lengthSize = format.nalUnitHeaderLength else {
            throw VTError.formatDescriptionChangeNotSupported
        }
        let attachments = buffer.sampleAttachmentStorage(createIfNecessary: false)
        var jobs: [DecompressionEngine.Job] = []
        var offset = 0
        for index in 0..<count {
            let size = buffer.sampleSize(at: index)
            let length = size > 0 || count > 1 ? size : data.dataLength - offset
            guard length > 0, offset + length <= data.dataLength else { throw VTError.badData }
            let names = CMSampleBuffer.PerSampleAttachmentsDictionary.self
            let timing = (try? buffer.sampleTimingInfo(at: index)) ?? .invalid
            let sample = try CompressedSample(
                data, range: offset..<offset + length, decodeTimeStamp: timing.decodeTimeStamp,
                fieldBoundary: attachments?[index, names.Key<Int>.fieldBoundary.name] as? Int)
            guard sample.isFramed(lengthSize: lengthSize) else { throw VTError.badData }
            offset += length
            let isOnly = count == 1
            let frame = VTDecodedFrame(
                status: noErr, infoFlags: [], imageBuffer: nil,
                presentationTimeStamp: isOnly
                    ? buffer.outputPresentationTimeStamp : timing.presentationTimeStamp,
                duration: isOnly ? buffer.outputDuration : timing.duration,
                token: attachments?[index, names.Key<Int64>.token.name] as? Int64,
                isDamaged: false, pictureType: nil, frameRefcon: refcon)
            jobs.append(
                DecompressionEngine.Job(
                    sample: sample, format: format,
                    request: .init(flags: flags, answer: handler, frame: frame)))
        }
        currentFormat.withLock { $0 = format }
        return jobs
    }

    /// Runs on the queue and waits; at once when already there, as from a callback.
    func onQueue<R>(_ body: () -> R) -> R {
        isOnQueue ? body() : queue.sync { work(body) }
    }

    private var isOnQueue: Bool { worker.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func work<R>(_ body: () -> R) -> R {
        worker.store(UInt(pthread_self()), ordering: .relaxed)
        defer { worker.store(0, ordering: .relaxed) }
        return body()
    }

    func setPoolMinimum(_ count: Int) {
        shared.pixelBufferPool = nil
        onQueue { engine.setPoolMinimum(count) }
    }

    // MARK: Formats

    /// Whether samples of another description can be decoded by this session.
    ///
    /// True for the same codec, dimensions, profile, chroma format and bit depths: parameter sets, VUI and level may
    /// differ.
    ///
    /// - Parameter description: The other description.
    /// - Returns: Whether the session can go on with it.
    public func canAccept(_ description: CMFormatDescription) -> Bool {
        let current = currentFormat.withLock { $0 }
        if description === current { return true }
        guard description.mediaType == .video, description.mediaSubType == .h264,
            description.avcDecoderConfiguration != nil,
            description.dimensions == current.dimensions
        else { return false }
        let (new, old) = (description.h264SequenceParameterSet, current.h264SequenceParameterSet)
        guard let new, let old else { return description == current }
        return new.profileIDC == old.profileIDC && new.chromaFormatIDC == old.chromaFormatIDC
            && new.bitDepthLuma == old.bitDepthLuma && new.bitDepthChroma == old.bitDepthChroma
    }

    // MARK: Delayed pictures and the end

    /// Asks for all delayed pictures.
    ///
    /// In presentation order this starts anew: go on with a random access point, or pictures are `damaged`.
    ///
    /// - Returns: `noErr`, or ``VTError/invalidSession``.
    @discardableResult
    public func finishDelayedFrames() -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        if isOnQueue {
            queue.async { [self] in work { engine.finish() } }
        } else {
            onQueue { engine.finish() }
        }
        return noErr
    }

    /// Asks for all delayed pictures and waits until everything is called back; from a callback it returns at once.
    ///
    /// - Returns: `noErr`, or ``VTError/invalidSession``.
    @discardableResult
    public func waitForAsynchronousFrames() -> OSStatus { finishDelayedFrames() }

    /// Answers all delayed samples as dropped and forgets what was decoded, as before a jump in the
    /// stream.
    ///
    /// Ours.
    ///
    /// Samples that are still to be decoded asynchronously are decoded first.
    ///
    /// - Returns: `noErr`, or ``VTError/invalidSession``.
    @discardableResult
    public func discardDelayedFrames() -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        onQueue { engine.discard() }
        return noErr
    }

    /// Ends the session: waits for the picture in progress and discards the rest without calling back.
    public func invalidate() {
        guard shared.invalidate() else { return }
        onQueue { engine.close() }
    }

    /// A black picture of the size and format that the session gives.
    ///
    /// - Returns: A new buffer.
    /// - Throws: ``VTError/invalidSession`` or ``VTError/allocationFailed``.
    public func copyBlackPixelBuffer() throws(MediaError) -> CVPixelBuffer {
        guard !shared.isInvalidated else { throw VTError.invalidSession }
        let description = currentFormat.withLock { $0 }
        let output = try PictureOutput(
            request: request, description: description, minimumBufferCount: 0)
        return try output.blackPicture(description)
    }
}
