internal import Dispatch
internal import Glibc
public import MediaTime
public import PixelBuffers
public import SampleBuffers
internal import Synchronization

/// Compresses pictures to H.264 samples, on libavcodec's libx264.
///
/// Set properties, then give pictures in presentation order. Samples come in decode order, one for each picture: NAL
/// units behind lengths of four bytes, the parameter sets in the format description alone.
///
/// A property that is changed between pictures acts on the next one. Rates and key-frame limits go on without a break;
/// for any other libx264 is opened anew, and the next picture is a key frame.
///
/// Usable from any thread, also from its own callbacks. Callbacks never run at the same time; they run inside the calls
/// of this class.
public final class VTCompressionSession: @unchecked Sendable {
    // SAFETY: `engine` is used on `queue` only; the rest is constant or guards itself.

    /// Takes what became of a picture: status, flags and, unless it was dropped or failed, its sample.
    public typealias OutputHandler =
        @Sendable (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void

    /// Which encoders may be used: Apple's encoder specification, typed.
    public struct Specification: Hashable, Sendable {
        /// An encoder by name: libavcodec's `libx264`.
        ///
        /// Apple's identifiers are taken for it; any other name makes creation fail.
        public var encoderID: String?
        /// Accepted; there is none.
        public var enablesHardwareAcceleration = false
        /// Makes creation fail: there is none.
        public var requiresHardwareAcceleration = false
        /// No reordering, no look-ahead, and after the first key frame only those that are asked for.
        public var enablesLowLatencyRateControl = false
        /// Creates the default specification.
        public init() {}
    }

    /// Columns of what is compressed.
    public let width: Int
    /// Rows of what is compressed.
    public let height: Int
    let shared = CompressionShared()
    private let handler: OutputHandler?
    private let poolFormat: CVPixelFormatType
    private let queue = DispatchQueue(label: "VTCompressionSession")
    /// The thread that works on the queue; 0 for none.
    private let worker = Atomic<UInt>(0)
    private let engine: CompressionEngine

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - width: Columns of what is compressed; pictures of other sizes are scaled.
    ///   - height: Rows of what is compressed.
    ///   - codecType: H.264.
    ///   - specification: Which encoders may be used.
    ///   - imageBufferAttributes: What pictures ``pixelBufferPool`` gives; only the formats count.
    ///   - outputHandler: Is called for each picture. A session without one is used with the form of `encodeFrame` that
    ///     takes a handler, and only that.
    /// - Throws: ``VTError/couldNotFindVideoEncoder`` for another codec, and where libavcodec has no libx264;
    ///   ``VTError/parameter`` for a size out of range; ``VTError/pixelTransferNotSupported`` for pixel formats that
    ///   cannot be compressed.
    public init(
        width: Int, height: Int, codecType: CMFormatDescription.MediaSubType = .h264,
        specification: Specification = .init(),
        imageBufferAttributes: PixelBufferRequest = .default,
        outputHandler: OutputHandler? = nil
    ) throws(MediaError) {
        guard codecType == .h264 else {
            throw VTError.couldNotFindVideoEncoder.saying("no encoder for \(codecType)")
        }
        if specification.requiresHardwareAcceleration {
            throw VTError.couldNotFindVideoEncoder.saying("there is no hardware encoder")
        }
        let name = specification.encoderID ?? H264Encoder.name
        if let fault = H264Encoder.fault(
            named: name.hasPrefix("com.apple.") ? H264Encoder.name : name)
        {
            throw VTError.couldNotFindVideoEncoder.saying(fault)
        }
        guard name == H264Encoder.name || name.hasPrefix("com.apple.") else {
            throw VTError.couldNotFindVideoEncoder.saying("\(name) is not used here, libx264 is")
        }
        guard (1...16384).contains(width), (1...16384).contains(height) else {
            throw VTError.parameter.saying("pictures of \(width)x\(height)")
        }
        self.width = width
        self.height = height
        poolFormat = try Self.poolFormat(imageBufferAttributes)
        handler = outputHandler
        engine = CompressionEngine(width: width, height: height, shared: shared)
        if specification.enablesLowLatencyRateControl { shared.set { $0.isLowLatency = true } }
    }

    deinit {
        // Calls keep the session alive: here the queue is idle.
        _ = shared.invalidate()
        engine.close()
    }

    private static func poolFormat(
        _ request: PixelBufferRequest
    ) throws(MediaError) -> CVPixelFormatType {
        guard !request.formats.isEmpty else { return .yCbCr420BiPlanarVideoRange }
        for case .type(let type) in request.formats where SourceConverter.accepts(type) {
            return type
        }
        throw VTError.pixelTransferNotSupported.saying("none of the pixel formats is compressed")
    }

    // MARK: Compressing

    /// Opens the encoder now and not with the first picture.
    ///
    /// Needed by nobody, harmless when repeated.
    ///
    /// - Returns: `noErr`, ``VTError/couldNotCreateInstance`` or ``VTError/invalidSession``.
    @discardableResult
    public func prepareToEncodeFrames() -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        return onQueue {
            do throws(MediaError) {
                try engine.prepare(shared.settings)
                return noErr
            } catch {
                return error.status
            }
        }
    }

    /// Compresses a picture; the session's handler is called.
    ///
    /// - Parameters:
    ///   - imageBuffer: '420v', '420f', 'y420', 'BGRA' or ARGB, of any size. It may be changed once the call returns.
    ///   - presentationTimeStamp: Numeric, and greater than the one before.
    ///   - duration: How long the picture lasts, or invalid.
    ///   - frameProperties: What is wanted of it.
    ///   - infoFlagsOut: `asynchronous` when the answer comes after the call returned.
    /// - Returns: `noErr`, and the handler is called exactly once; or an error, and it is not:
    ///   ``VTError/parameter`` for a wrong time, ``VTError/pixelTransferNotSupported`` for another pixel format,
    ///   ``VTError/couldNotCreateInstance`` where the encoder does not take the properties, or
    ///   ``VTError/invalidSession``.
    @discardableResult
    public func encodeFrame(
        _ imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime = .invalid,
        frameProperties: VTEncodeFrameOptions = .init(),
        infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>? = nil
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard let handler else { return VTError.parameter.status }
        return submit(
            .init(
                picture: imageBuffer, presentationTimeStamp: presentationTimeStamp,
                duration: duration, isKeyFrameForced: frameProperties.forceKeyFrame,
                answer: handler), infoFlagsOut)
    }

    /// Compresses a picture; the handler given here is called.
    ///
    /// - Parameters:
    ///   - imageBuffer: '420v', '420f', 'y420', 'BGRA' or ARGB, of any size. It may be changed once the call returns.
    ///   - presentationTimeStamp: Numeric, and greater than the one before.
    ///   - duration: How long the picture lasts, or invalid.
    ///   - frameProperties: What is wanted of it.
    ///   - infoFlagsOut: `asynchronous` when the answer comes after the call returned.
    ///   - outputHandler: Takes the answer.
    /// - Returns: `noErr`, and the handler is called exactly once; or an error, and it is not.
    @discardableResult
    public func encodeFrame(
        _ imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime = .invalid,
        frameProperties: VTEncodeFrameOptions = .init(),
        infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>? = nil,
        outputHandler: @escaping OutputHandler
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard handler == nil else { return VTError.parameter.status }
        return submit(
            .init(
                picture: imageBuffer, presentationTimeStamp: presentationTimeStamp,
                duration: duration, isKeyFrameForced: frameProperties.forceKeyFrame,
                answer: outputHandler), infoFlagsOut)
    }

    private func submit(
        _ job: CompressionEngine.Job, _ infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?
    ) -> OSStatus {
        infoFlagsOut?.pointee = []
        return onQueue {
            do throws(MediaError) {
                let isAnswered = try engine.encode(job, shared.settings)
                if !isAnswered { infoFlagsOut?.pointee = .asynchronous }
                return noErr
            } catch {
                return error.status
            }
        }
    }

    /// Gives out what is in the encoder.
    ///
    /// Compressing may go on afterwards, with a key frame if anything was given out.
    ///
    /// - Parameter time: All pictures up to this time are called back for before it returns; all, if it is not numeric.
    /// - Returns: `noErr` or ``VTError/invalidSession``.
    @discardableResult
    public func completeFrames(untilPresentationTimeStamp time: CMTime = .invalid) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        onQueue { engine.complete(until: time) }
        return noErr
    }

    /// Ends the session; what is in the encoder is dropped without a callback.
    public func invalidate() {
        guard shared.invalidate() else { return }
        onQueue { engine.close() }
    }

    /// Pictures to draw into: of the session's size, in the format of the image buffer attributes or '420v'.
    ///
    /// Nil once the session is invalid.
    public var pixelBufferPool: CVPixelBufferPool? {
        shared.pool {
            try? CVPixelBufferPool(width: width, height: height, pixelFormat: poolFormat)
        }
    }

    /// Runs on the queue and waits; at once when already there, as from a callback.
    private func onQueue<R>(_ body: () -> R) -> R {
        // Written by the thread itself, so that only it can find its own number.
        let own = UInt(pthread_self())
        if worker.load(ordering: .relaxed) == own { return body() }
        return queue.sync {
            worker.store(own, ordering: .relaxed)
            defer { worker.store(0, ordering: .relaxed) }
            return body()
        }
    }
}
