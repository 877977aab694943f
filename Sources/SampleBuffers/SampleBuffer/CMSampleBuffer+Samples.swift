import Synchronization
public import MediaTime

extension CMSampleBuffer {
    // MARK: Sizes

    /// The sizes in bytes: one for all, or one a sample.
    ///
    /// - Returns: The sizes as given.
    /// - Throws: ``Error/bufferHasNoSampleSizes`` or ``Error/invalidated``.
    public func sampleSizes() throws(MediaError) -> [Int] {
        try checkValid()
        guard !sizes.isEmpty else { throw Error.bufferHasNoSampleSizes }
        return sizes
    }

    /// Copies the sizes out: the form of `CMSampleBufferGetSampleSizeArray`.
    ///
    /// - Parameter destination: Room for the sizes, or nil to learn how many there are.
    /// - Returns: The number of sizes.
    /// - Throws: ``Error/arrayTooSmall``, ``Error/bufferHasNoSampleSizes`` or ``Error/invalidated``.
    @discardableResult
    public func copySampleSizes(
        to destination: UnsafeMutableBufferPointer<Int>?
    ) throws(MediaError) -> CMItemCount {
        try copy(sampleSizes(), to: destination)
    }

    /// The bytes of one sample; 0 without sizes and out of range.
    ///
    /// - Parameter sampleIndex: The sample.
    /// - Returns: Its bytes.
    public func sampleSize(at sampleIndex: Int) -> Int {
        guard isValid, (0..<sampleCount).contains(sampleIndex), let first = sizes.first else {
            return 0
        }
        return sizes.count == sampleCount ? sizes[sampleIndex] : first
    }

    /// The bytes of all samples; without sizes those of the data buffer.
    public var totalSampleSize: Int {
        guard isValid else { return 0 }
        guard let first = sizes.first else { return dataBuffer?.dataLength ?? 0 }
        return sizes.count == sampleCount ? sizes.reduce(0, +) : first * sampleCount
    }

    // MARK: Copies

    private func requireValid() throws(MediaError) -> CMSampleBuffer {
        try checkValid()
        return self
    }

    /// Takes over what a copy shares.
    private func adopt(_ original: CMSampleBuffer, sampleRange: Range<Int>) {
        original.propagateAttachments(to: self)
        guard let storage = original.sampleAttachmentStorage(createIfNecessary: false) else {
            return
        }
        state.withLock {
            $0.sampleAttachments = SampleAttachmentStorage(copying: storage, range: sampleRange)
        }
    }

    /// A state with the same data, readiness and handlers.
    private var sharedState: State {
        let readiness = dataReadiness
        return state.withLock { state in
            State(
                dataBuffer: state.dataBuffer, imageBuffer: state.imageBuffer, readiness: readiness,
                makeDataReady: state.makeDataReady)
        }
    }

    /// Creates a copy that shares data and format.
    ///
    /// - Parameter sampleBuffer: The original; its attachments that should propagate and those of its samples are
    ///   copied.
    /// - Throws: ``Error/invalidated``.
    public convenience init(copying sampleBuffer: CMSampleBuffer) throws(MediaError) {
        try self.init(
            copying: sampleBuffer, timings: sampleBuffer.requireValid().timings.entries)
        let explicit = sampleBuffer.state.withLock { $0.outputPresentationTimeStamp }
        state.withLock { $0.outputPresentationTimeStamp = explicit }
    }

    /// Creates a copy with other timing; an output time stamp that was set is dropped.
    ///
    /// - Parameters:
    ///   - sampleBuffer: The original.
    ///   - sampleTimings: None, one for all, or one a sample.
    /// - Throws: ``Error/invalidEntryCount`` or ``Error/invalidated``.
    public convenience init(
        copying sampleBuffer: CMSampleBuffer, withNewTiming sampleTimings: [CMSampleTimingInfo]
    ) throws(MediaError) {
        try self.init(copying: sampleBuffer, timings: sampleTimings)
    }

    private convenience init(
        copying original: CMSampleBuffer, timings: [CMSampleTimingInfo]
    ) throws(MediaError) {
        try original.checkValid()
        try self.init(
            sampleCount: original.sampleCount, timings: timings, sizes: original.sizes,
            format: original.format, state: original.sharedState)
        adopt(original, sampleRange: 0..<sampleCount)
    }

    /// Creates a buffer of some of the samples: their bytes by reference, their timing, their attachments.
    ///
    /// - Parameters:
    ///   - sampleBuffer: The original.
    ///   - range: The samples.
    /// - Throws: ``Error/cannotSubdivide`` without sizes, ``Error/sampleIndexOutOfRange``, ``Error/bufferNotReady``
    ///   while there are no data, or ``Error/invalidated``.
    public convenience init(
        copying sampleBuffer: CMSampleBuffer, forRange range: Range<Int>
    ) throws(MediaError) {
        try sampleBuffer.checkValid()
        guard !sampleBuffer.sizes.isEmpty else { throw Error.cannotSubdivide }
        let count = sampleBuffer.sampleCount
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw Error.sampleIndexOutOfRange.saying("samples \(range) of \(count)")
        }
        guard let dataBuffer = sampleBuffer.dataBuffer else { throw Error.bufferNotReady }
        let offset = sampleBuffer.byteOffset(ofSample: range.lowerBound)
        let byteCount = sampleBuffer.byteOffset(ofSample: range.upperBound) - offset
        var state = sampleBuffer.sharedState
        state.dataBuffer = try CMBlockBuffer(capacity: 1)
        if byteCount > 0 {
            try state.dataBuffer?.append(bufferReference: dataBuffer[offset..<offset + byteCount])
        }
        try self.init(
            sampleCount: range.count, timings: sampleBuffer.timings.subrange(range),
            sizes: range.map { sampleBuffer.sampleSize(at: $0) }, format: sampleBuffer.format,
            state: state)
        adopt(sampleBuffer, sampleRange: range)
    }

    private func byteOffset(ofSample index: Int) -> Int {
        sizes.count == sampleCount ? sizes[..<index].reduce(0, +) : sizes[0] * index
    }

    // MARK: One by one

    /// The samples of a buffer, each as a buffer of its own, made as they are asked for.
    public struct SingleSampleBuffers: Sequence, IteratorProtocol, Sendable {
        let original: CMSampleBuffer
        private var index = 0

        init(_ original: CMSampleBuffer) { self.original = original }

        /// The next sample; nil at the end.
        public mutating func next() -> CMSampleBuffer? {
            guard index < original.numSamples else { return nil }
            defer { index += 1 }
            return try? CMSampleBuffer(copying: original, forRange: index..<index + 1)
        }
    }

    /// The samples, each as a buffer of its own.
    ///
    /// - Returns: A sequence of buffers with one sample each.
    /// - Throws: ``Error/cannotSubdivide`` without sizes, ``Error/bufferNotReady`` while there are no data, or
    ///   ``Error/invalidated``.
    public func singleSampleBuffers() throws(MediaError) -> SingleSampleBuffers {
        try checkValid()
        guard !sizes.isEmpty else { throw Error.cannotSubdivide }
        guard dataBuffer != nil else { throw Error.bufferNotReady }
        return SingleSampleBuffers(self)
    }
}
