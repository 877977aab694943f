import Synchronization
public import MediaTime

extension CMSampleBuffer {
    /// Whether the data can be used.
    public enum DataReadiness: Hashable, Sendable {
        /// Not yet.
        case notReady
        /// Yes.
        case ready
        /// Never: the data failed to come.
        case failed(OSStatus)
    }

    /// Whether the data can be used; `ready` for a buffer without samples.
    public var dataReadiness: DataReadiness {
        let (tracked, own) = state.withLock { ($0.tracked, $0.readiness) }
        // The other buffer decides until this one is ready or failed itself.
        if own == .notReady, let tracked { return tracked.dataReadiness }
        if own == .notReady, sampleCount == 0 { return .ready }
        return own
    }

    /// Whether ``dataReadiness`` is `ready`.
    package var isDataReady: Bool { dataReadiness == .ready }

    /// Tells that the data are ready, or will never be.
    ///
    /// - Parameter newValue: `ready` cannot be undone.
    /// - Throws: ``Error/bufferNotReady`` for taking readiness back, ``Error/requiredParameterMissing`` for `ready`
    ///   without data, or ``Error/invalidated``.
    public func setDataReadiness(_ newValue: DataReadiness) throws(MediaError) {
        try checkValid()
        let observers = try state.withLock { (state) throws(MediaError) -> [@Sendable () -> Void] in
            guard newValue != state.readiness else { return [] }
            guard state.readiness != .ready else {
                throw Error.bufferNotReady.saying("readiness cannot be undone")
            }
            if newValue == .ready, sampleCount > 0, state.dataBuffer == nil,
                state.imageBuffer == nil
            {
                throw Error.requiredParameterMissing.saying("no data to be ready")
            }
            state.readiness = newValue
            guard newValue != .notReady else { return [] }
            defer { state.readinessObservers = [] }
            return state.readinessObservers
        }
        for observer in observers { observer() }
    }

    /// Makes the data ready if they are not.
    ///
    /// - Throws: ``Error/bufferNotReady`` when there is no handler or it fails; the failure's status when the data
    ///   failed to come; ``Error/invalidated``.
    public func makeDataReady() throws(MediaError) {
        try checkValid()
        switch dataReadiness {
        case .ready: return
        case .failed(let status):
            throw MediaError(
                status: status == 0 ? Error.dataFailed.status : status, Error.dataFailed.text)
        case .notReady: break
        }
        let (handler, tracked) = state.withLock { ($0.makeDataReady, $0.tracked) }
        if let handler {
            let status = handler(self)
            guard status == 0 else {
                throw Error.bufferNotReady.saying("the handler returned \(status)")
            }
            if !isDataReady { try setDataReadiness(.ready) }
        } else if let tracked {
            try tracked.makeDataReady()
        } else {
            throw Error.bufferNotReady
        }
    }

    /// Lets this buffer's readiness follow another's.
    ///
    /// - Parameter sampleBufferToTrack: The other buffer; it is kept alive.
    /// - Throws: ``Error/invalidated``, or ``Error/requiredParameterMissing`` when the two would follow each other.
    public func trackDataReadiness(_ sampleBufferToTrack: CMSampleBuffer) throws(MediaError) {
        try checkValid()
        var next: CMSampleBuffer? = sampleBufferToTrack
        while let buffer = next {
            guard buffer !== self else {
                throw Error.requiredParameterMissing.saying("a buffer cannot track itself")
            }
            next = buffer.state.withLock { $0.tracked }
        }
        state.withLock { $0.tracked = sampleBufferToTrack }
        sampleBufferToTrack.whenDataReadinessChanges { [weak self] in self?.trackedChanged() }
    }

    private func trackedChanged() {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.readiness == .notReady else { return [] }
            defer { state.readinessObservers = [] }
            return state.readinessObservers
        }
        for observer in observers { observer() }
    }

    /// Calls `body` once, when the data become ready or fail: at once when they already are.
    ///
    /// Ours, in place of the notifications `dataBecameReady` and `dataFailed`. It runs on the thread that tells of the
    /// change.
    ///
    /// - Parameter body: What to do; ask ``dataReadiness`` which it was.
    public func whenDataReadinessChanges(_ body: @escaping @Sendable () -> Void) {
        let isWaiting = dataReadiness == .notReady
        if isWaiting {
            state.withLock { $0.readinessObservers.append(body) }
            // It may have changed in between; then nobody calls any more.
            guard dataReadiness != .notReady else { return }
            trackedChanged()
            return
        }
        body()
    }
}
