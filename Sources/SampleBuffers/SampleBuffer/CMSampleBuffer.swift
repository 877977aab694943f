public import MediaTime
public import PixelBuffers
import Synchronization

/// Number of items in Core Media's calls.
public typealias CMItemCount = Int
/// Index of an item in Core Media's calls.
public typealias CMItemIndex = Int

/// Makes a buffer's data ready; returns 0, or why it could not.
public typealias CMSampleBufferMakeDataReadyHandler = @Sendable (CMSampleBuffer) -> OSStatus

/// Samples of compressed data or one picture, with timing, format and attachments.
///
/// Usable from any thread. What is given at creation never changes; data may come later.
public final class CMSampleBuffer: @unchecked Sendable {
    // SAFETY: everything mutable is in `state`, behind its mutex; handlers run outside of it.

    struct State {
        var dataBuffer: CMBlockBuffer?
        var imageBuffer: CVImageBuffer?
        var readiness: DataReadiness
        var makeDataReady: CMSampleBufferMakeDataReadyHandler?
        var tracked: CMSampleBuffer?
        var readinessObservers: [@Sendable () -> Void] = []
        var isValid = true
        var invalidateHandler: (@Sendable (CMSampleBuffer) throws -> Void)?
        var outputPresentationTimeStamp: CMTime?
        var attachments = CMAttachmentBearerAttachments()
        var sampleAttachments: SampleAttachmentStorage?
    }

    let sampleCount: Int
    let timings: SampleTimings
    /// Bytes of the samples: none, one size for all, or one each.
    let sizes: [Int]
    let format: CMFormatDescription?
    let state: Mutex<State>

    init(
        sampleCount: Int, timings: [CMSampleTimingInfo], sizes: [Int],
        format: CMFormatDescription?, state: sending State
    ) throws(MediaError) {
        guard sampleCount >= 0 else {
            throw Error.requiredParameterMissing.saying("\(sampleCount) samples")
        }
        for (what, count) in [("timing", timings.count), ("size", sizes.count)]
        where count > 1 && count != sampleCount {
            throw Error.invalidEntryCount.saying("\(count) \(what) entries, \(sampleCount) samples")
        }
        guard sizes.allSatisfy({ $0 >= 0 }) else {
            throw Error.invalidSampleData.saying("a negative sample size")
        }
        self.sampleCount = sampleCount
        self.timings = SampleTimings(entries: timings, sampleCount: sampleCount)
        self.sizes = sizes
        self.format = format
        self.state = Mutex(state)
    }

    /// Creates a buffer whose data, if it has samples, are there and ready.
    ///
    /// - Parameters:
    ///   - dataBuffer: The data; nil only without samples.
    ///   - formatDescription: What the samples are.
    ///   - numSamples: Number of samples; 0 makes a marker.
    ///   - sampleTimings: None, one for all, or one a sample, in decoding order.
    ///   - sampleSizes: Bytes: none, one size for all, or one a sample.
    /// - Throws: ``Error/requiredParameterMissing``, ``Error/invalidEntryCount`` or ``Error/invalidSampleData``.
    public convenience init(
        dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?,
        numSamples: CMItemCount, sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
    ) throws(MediaError) {
        try self.init(
            dataBuffer: dataBuffer, dataReady: true, formatDescription: formatDescription,
            numSamples: numSamples, sampleTimings: sampleTimings, sampleSizes: sampleSizes,
            optionalHandler: nil)
    }

    /// Creates a buffer whose data may come later.
    ///
    /// - Parameters:
    ///   - dataBuffer: The data, or nil to set them later.
    ///   - dataReady: Whether the data are ready.
    ///   - formatDescription: What the samples are.
    ///   - numSamples: Number of samples; 0 makes a marker.
    ///   - sampleTimings: None, one for all, or one a sample, in decoding order.
    ///   - sampleSizes: Bytes: none, one size for all, or one a sample.
    ///   - makeDataReadyHandler: Called by ``makeDataReady()``.
    /// - Throws: ``Error/requiredParameterMissing``, ``Error/invalidEntryCount`` or ``Error/invalidSampleData``.
    public convenience init(
        dataBuffer: CMBlockBuffer?, dataReady: Bool = false,
        formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int],
        makeDataReadyHandler: @escaping CMSampleBufferMakeDataReadyHandler
    ) throws(MediaError) {
        try self.init(
            dataBuffer: dataBuffer, dataReady: dataReady, formatDescription: formatDescription,
            numSamples: numSamples, sampleTimings: sampleTimings, sampleSizes: sampleSizes,
            optionalHandler: makeDataReadyHandler)
    }

    /// Creates a buffer in the full form of `CMSampleBufferCreate`.
    ///
    /// - Parameters:
    ///   - dataBuffer: The data, or nil to set them later.
    ///   - dataReady: Whether the data are ready.
    ///   - formatDescription: What the samples are.
    ///   - numSamples: Number of samples; 0 makes a marker.
    ///   - sampleTimings: None, one for all, or one a sample, in decoding order.
    ///   - sampleSizes: Bytes: none, one size for all, or one a sample.
    ///   - optionalHandler: Called by ``makeDataReady()``.
    /// - Throws: ``Error/requiredParameterMissing``, ``Error/invalidEntryCount`` or ``Error/invalidSampleData``.
    public convenience init(
        dataBuffer: CMBlockBuffer?, dataReady: Bool, formatDescription: CMFormatDescription?,
        numSamples: CMItemCount, sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int],
        optionalHandler: CMSampleBufferMakeDataReadyHandler?
    ) throws(MediaError) {
        if dataReady, dataBuffer == nil, numSamples > 0 {
            throw Error.requiredParameterMissing.saying("ready samples have a data buffer")
        }
        try self.init(
            sampleCount: numSamples, timings: sampleTimings, sizes: sampleSizes,
            format: formatDescription,
            state: State(
                dataBuffer: dataBuffer, readiness: dataReady ? .ready : .notReady,
                makeDataReady: optionalHandler))
        if let dataBuffer { try checkSize(of: dataBuffer) }
    }

    /// Creates a buffer with one picture.
    ///
    /// - Parameters:
    ///   - imageBuffer: The picture.
    ///   - formatDescription: Its description; it must match.
    ///   - sampleTiming: Its timing; all invalid is allowed.
    /// - Throws: ``Error/invalidMediaFormat``.
    public convenience init(
        imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
        sampleTiming: CMSampleTimingInfo
    ) throws(MediaError) {
        try self.init(
            imageBuffer: imageBuffer, dataReady: true, formatDescription: formatDescription,
            sampleTiming: sampleTiming, optionalHandler: nil)
    }

    /// Creates a buffer with one picture whose pixels may come later.
    ///
    /// - Parameters:
    ///   - imageBuffer: The picture.
    ///   - dataReady: Whether its pixels are there.
    ///   - formatDescription: Its description; it must match.
    ///   - sampleTiming: Its timing; all invalid is allowed.
    ///   - makeDataReadyHandler: Called by ``makeDataReady()``.
    /// - Throws: ``Error/invalidMediaFormat``.
    public convenience init(
        imageBuffer: CVImageBuffer, dataReady: Bool = false,
        formatDescription: CMVideoFormatDescription, sampleTiming: CMSampleTimingInfo,
        makeDataReadyHandler: @escaping CMSampleBufferMakeDataReadyHandler
    ) throws(MediaError) {
        try self.init(
            imageBuffer: imageBuffer, dataReady: dataReady, formatDescription: formatDescription,
            sampleTiming: sampleTiming, optionalHandler: makeDataReadyHandler)
    }

    private convenience init(
        imageBuffer: CVImageBuffer, dataReady: Bool, formatDescription: CMVideoFormatDescription,
        sampleTiming: CMSampleTimingInfo, optionalHandler: CMSampleBufferMakeDataReadyHandler?
    ) throws(MediaError) {
        guard formatDescription.matchesImageBuffer(imageBuffer) else {
            throw Error.invalidMediaFormat.saying(
                "the format description does not match the picture")
        }
        try self.init(
            sampleCount: 1, timings: [sampleTiming], sizes: [], format: formatDescription,
            state: State(
                imageBuffer: imageBuffer, readiness: dataReady ? .ready : .notReady,
                makeDataReady: optionalHandler))
    }

    func checkSize(of dataBuffer: CMBlockBuffer) throws(MediaError) {
        let (total, overflow) =
            sizes.count == 1
            ? sizes[0].multipliedReportingOverflow(by: sampleCount)
            : sizes.reduce((0, false)) { sum, size in
                let (total, overflow) = sum.0.addingReportingOverflow(size)
                return (total, sum.1 || overflow)
            }
        guard !overflow, total <= dataBuffer.dataLength else {
            throw Error.invalidSampleData.saying(
                "samples of \(total) bytes in \(dataBuffer.dataLength) bytes of data")
        }
    }

    func checkValid() throws(MediaError) {
        guard isValid else { throw Error.invalidated }
    }

    // MARK: Contents

    /// The compressed data; nil for a picture, while not set, and after invalidation.
    public var dataBuffer: CMBlockBuffer? {
        state.withLock { $0.isValid ? $0.dataBuffer : nil }
    }

    /// Sets the data, once.
    ///
    /// - Parameter dataBuffer: The data.
    /// - Throws: ``Error/alreadyHasDataBuffer``, ``Error/invalidSampleData`` or ``Error/invalidated``.
    public func setDataBuffer(_ dataBuffer: CMBlockBuffer) throws(MediaError) {
        try checkValid()
        try state.withLock { (state) throws(MediaError) in
            guard state.dataBuffer == nil, state.imageBuffer == nil else {
                throw Error.alreadyHasDataBuffer
            }
            try checkSize(of: dataBuffer)
            state.dataBuffer = dataBuffer
        }
    }

    /// The picture; nil for compressed data and after invalidation.
    public var imageBuffer: CVImageBuffer? {
        state.withLock { $0.isValid ? $0.imageBuffer : nil }
    }

    /// What the samples are.
    public var formatDescription: CMFormatDescription? { isValid ? format : nil }

    /// Number of samples.
    public var numSamples: Int { isValid ? sampleCount : 0 }

    // MARK: Validity

    /// False once ``invalidate()`` was called.
    public var isValid: Bool { state.withLock { $0.isValid } }

    /// Makes the buffer worthless: a source calls it when the data no longer count.
    ///
    /// The handler runs once, after the buffer has become invalid.
    ///
    /// - Throws: What the handler throws.
    public func invalidate() throws {
        let handler = state.withLock { state -> (@Sendable (CMSampleBuffer) throws -> Void)? in
            defer {
                state.isValid = false
                state.invalidateHandler = nil
            }
            return state.isValid ? state.invalidateHandler : nil
        }
        try handler?(self)
    }

    /// Sets what ``invalidate()`` calls.
    ///
    /// - Parameter body: Called once; not when the buffer just goes.
    /// - Throws: ``Error/invalidated``.
    public func setInvalidateHandler(
        _ body: @escaping @Sendable (CMSampleBuffer) throws -> Void
    ) throws(MediaError) {
        try checkValid()
        state.withLock { $0.invalidateHandler = body }
    }
}
