internal import Synchronization

/// What a layer keeps for its client and does not act on.
final class LayerProperties: Sendable {
    struct Values: Sendable {
        var videoGravity = AVLayerVideoGravity.resizeAspect
        var preventsCapture = false
        var preventsDisplaySleepDuringVideoPlayback = true
    }

    let values = Mutex(Values())
}

extension AVSampleBufferDisplayLayer {
    /// How the sink is to fit pictures into its bounds.
    public var videoGravity: AVLayerVideoGravity {
        get { properties.values.withLock { $0.videoGravity } }
        set { properties.values.withLock { $0.videoGravity = newValue } }
    }

    /// Kept, without effect.
    public var preventsCapture: Bool {
        get { properties.values.withLock { $0.preventsCapture } }
        set { properties.values.withLock { $0.preventsCapture = newValue } }
    }

    /// Kept, without effect.
    public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { properties.values.withLock { $0.preventsDisplaySleepDuringVideoPlayback } }
        set { properties.values.withLock { $0.preventsDisplaySleepDuringVideoPlayback = newValue } }
    }
}
