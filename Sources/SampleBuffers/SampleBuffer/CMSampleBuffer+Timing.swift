import Synchronization
public import MediaTime

extension CMSampleBuffer {
    // MARK: As given

    /// The sum of the samples' durations; invalid without timing.
    public var duration: CMTime { isValid ? timings.duration : .invalid }
    /// The earliest presentation time stamp of all samples; invalid without timing.
    public var presentationTimeStamp: CMTime { isValid ? timings.presentationTimeStamp : .invalid }
    /// The first sample's decode time stamp; invalid where decoding order is presentation order.
    public var decodeTimeStamp: CMTime { isValid ? timings.decodeTimeStamp : .invalid }

    /// The timing of one sample, also where one entry stands for all.
    ///
    /// - Parameter sampleIndex: The sample.
    /// - Returns: Its timing.
    /// - Throws: ``Error/bufferHasNoSampleTimingInfo``, ``Error/sampleIndexOutOfRange`` or ``Error/invalidated``.
    public func sampleTimingInfo(at sampleIndex: CMItemIndex) throws(MediaError)
        -> CMSampleTimingInfo
    {
        try checkValid()
        guard !timings.entries.isEmpty else { throw Error.bufferHasNoSampleTimingInfo }
        guard (0..<sampleCount).contains(sampleIndex), let timing = timings[sampleIndex] else {
            throw Error.sampleIndexOutOfRange.saying("sample \(sampleIndex) of \(sampleCount)")
        }
        return timing
    }

    /// The timing entries: one for all, or one a sample.
    ///
    /// - Returns: The entries as given.
    /// - Throws: ``Error/bufferHasNoSampleTimingInfo`` or ``Error/invalidated``.
    public func sampleTimingInfos() throws(MediaError) -> [CMSampleTimingInfo] {
        try checkValid()
        guard !timings.entries.isEmpty else { throw Error.bufferHasNoSampleTimingInfo }
        return timings.entries
    }

    /// Copies the timing entries out: the form of `CMSampleBufferGetSampleTimingInfoArray`.
    ///
    /// - Parameter destination: Room for the entries, or nil to learn how many there are.
    /// - Returns: The number of entries.
    /// - Throws: ``Error/arrayTooSmall``, ``Error/bufferHasNoSampleTimingInfo`` or ``Error/invalidated``.
    @discardableResult
    public func copySampleTimingInfos(
        to destination: UnsafeMutableBufferPointer<CMSampleTimingInfo>?
    ) throws(MediaError) -> CMItemCount {
        try copy(sampleTimingInfos(), to: destination)
    }

    func copy<Element>(
        _ entries: [Element], to destination: UnsafeMutableBufferPointer<Element>?
    ) throws(MediaError) -> CMItemCount {
        guard let destination else { return entries.count }
        guard destination.count >= entries.count else {
            throw Error.arrayTooSmall.saying(
                "\(entries.count) entries, room for \(destination.count)")
        }
        _ = destination.update(fromContentsOf: entries)
        return entries.count
    }

    // MARK: As put out

    /// How much faster than its time stamps the buffer plays; 1 unless attached, or for nonsense.
    private var speedMultiplier: Double {
        guard let speed = attachments[.speedMultiplier], speed.isFinite, speed > 0 else { return 1 }
        return speed
    }

    private func atSpeed(_ time: CMTime) -> CMTime {
        let speed = speedMultiplier
        // A whole number divides exactly; else as near as Double comes.
        if speed == 1 { return time }
        if let divisor = Int32(exactly: speed) { return time.multiplied(by: 1, dividedBy: divisor) }
        return time.scaled(by: 1 / speed)
    }

    private var trimDurationAtStart: CMTime { attachments[.trimDurationAtStart] ?? .zero }
    private var trimDurationAtEnd: CMTime { attachments[.trimDurationAtEnd] ?? .zero }

    /// The duration without what is trimmed, at the buffer's speed.
    public var outputDuration: CMTime {
        atSpeed(duration - trimDurationAtStart - trimDurationAtEnd)
    }

    /// When the buffer is shown: as set, else its time stamp plus what is trimmed at the start; for a buffer that runs
    /// backwards, its end less what is trimmed there.
    public var outputPresentationTimeStamp: CMTime {
        guard isValid else { return .invalid }
        if let explicit = state.withLock({ $0.outputPresentationTimeStamp }) { return explicit }
        return attachments[.reverse] == true
            ? presentationTimeStamp + duration - trimDurationAtEnd
            : presentationTimeStamp + trimDurationAtStart
    }

    /// Sets when the buffer is shown, whatever is trimmed now or later.
    ///
    /// - Parameter pts: The time; invalid goes back to the computed one.
    /// - Throws: ``Error/invalidated``.
    public func setOutputPresentationTimeStamp(_ pts: CMTime) throws(MediaError) {
        try checkValid()
        state.withLock { $0.outputPresentationTimeStamp = pts.isValid ? pts : nil }
    }

    /// When the buffer is decoded, as far before it is shown as its time stamps say, at the buffer's speed.
    public var outputDecodeTimeStamp: CMTime {
        outputPresentationTimeStamp + atSpeed(decodeTimeStamp - presentationTimeStamp)
    }

    /// The timing entries as they are put out.
    ///
    /// - Returns: For each entry its times from the output time stamp on, at the buffer's speed, without what is
    ///   trimmed.
    /// - Throws: ``Error/bufferHasNoSampleTimingInfo`` or ``Error/invalidated``.
    public func outputSampleTimingInfos() throws(MediaError) -> [CMSampleTimingInfo] {
        let entries = try sampleTimingInfos()
        let start = presentationTimeStamp + trimDurationAtStart
        let end = presentationTimeStamp + duration - trimDurationAtEnd
        let isReverse = attachments[.reverse] == true
        let output = outputPresentationTimeStamp
        return entries.map { entry in
            let first = max(entry.presentationTimeStamp, start)
            let last = min(entry.presentationTimeStamp + entry.duration, end)
            let lasts = entry.duration.isNumeric
            let distance = isReverse && lasts ? end - last : first - start
            let shown = output + atSpeed(distance)
            return CMSampleTimingInfo(
                duration: lasts ? atSpeed(max(last - first, .zero)) : entry.duration,
                presentationTimeStamp: shown,
                decodeTimeStamp: shown
                    + atSpeed(entry.decodeTimeStamp - entry.presentationTimeStamp))
        }
    }
}
