internal import MediaTime

/// Decides which pictures must be key frames, in the order in which they come.
///
/// The same distances hold in encode order: nothing is predicted across a key frame, so all that is shown before it is
/// also coded before it.
struct KeyFrameRule {
    /// What libx264 does where the client leaves it open.
    static let defaultInterval = 250

    private var framesSinceKeyFrame = 0
    private var lastKeyFrame: CMTime?
    private var previous: CMTime?

    /// Whether the picture must be a key frame; it is then counted as one.
    ///
    /// - Parameters:
    ///   - time: Its presentation time stamp.
    ///   - duration: Its duration, if known.
    ///   - isForced: Whether it must be one in any case.
    ///   - settings: The limits.
    /// - Returns: Whether it must.
    mutating func isKeyFrame(
        _ time: CMTime, duration: CMTime, isForced: Bool, _ settings: CompressionSettings
    ) -> Bool {
        defer { previous = time }
        framesSinceKeyFrame += 1
        guard !isForced, let lastKeyFrame, settings.allowTemporalCompression,
            !isOverdue(
                time, duration: duration, since: lastKeyFrame, settings)
        else {
            framesSinceKeyFrame = 0
            lastKeyFrame = time
            return true
        }
        return false
    }

    /// The next picture must be a key frame.
    mutating func reset() { lastKeyFrame = nil }

    private func isOverdue(
        _ time: CMTime, duration: CMTime, since keyFrame: CMTime, _ settings: CompressionSettings
    ) -> Bool {
        let limit = settings.maxKeyFrameIntervalDuration
        var interval = settings.maxKeyFrameInterval
        if interval == 0 {
            interval = limit > 0 || settings.isLowLatency ? .max : Self.defaultInterval
        }
        if framesSinceKeyFrame >= interval { return true }
        guard limit > 0 else { return false }
        // If it waited for the next picture, the stretch would be longer than allowed.
        let known = duration.isNumeric && duration > .zero
        let step = known ? duration : previous.map { time - $0 } ?? .zero
        return (time + step - keyFrame).seconds > limit * (1 + 1e-9)
    }
}
