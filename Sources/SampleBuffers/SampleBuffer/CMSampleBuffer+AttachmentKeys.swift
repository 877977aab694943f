import Synchronization
public import MediaTime
public import PixelBuffers

extension CMSampleBuffer {
    /// The name of an attachment of a whole buffer together with the type of its value.
    ///
    /// Not to be mixed up with the keys of single samples: the stores are different.
    public struct AttachmentKey<Value: Sendable>: Hashable, Sendable {
        /// The string behind Apple's constant.
        public let name: String
        /// A key of your own.
        public init(_ name: String) { self.name = name }
    }

    /// What is attached to the buffer as a whole.
    public var attachments: CMAttachmentBearerAttachments {
        get { state.withLock { $0.attachments } }
        set { state.withLock { $0.attachments = newValue } }
    }
}

extension CMSampleBuffer: CMAttachmentBearerProtocol {}

extension CMAttachmentBearerAttachments {
    /// The value of a typed key; nil when absent or of another type.
    ///
    /// Setting attaches it with `shouldPropagate`.
    public subscript<T: Sendable>(key: CMSampleBuffer.AttachmentKey<T>) -> T? {
        get { self[key.name]?.value as? T }
        set { self[key.name] = newValue.map { .shouldPropagate($0) } }
    }

    /// Attaches a value with a mode of choice.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - mode: Whether it propagates.
    public mutating func set<T: Sendable>(
        _ value: T, for key: CMSampleBuffer.AttachmentKey<T>, mode: CVAttachmentMode
    ) {
        self[key.name] = Value(value, mode: mode)
    }
}

extension CMSampleBuffer.AttachmentKey where Value == Bool {
    /// The decoder is to forget what it knows before it decodes this.
    public static var resetDecoderBeforeDecoding: Self { Self("ResetDecoderBeforeDecoding") }
    /// The decoder is to put out all delayed pictures after this.
    public static var drainAfterDecoding: Self { Self("DrainAfterDecoding") }
    /// Output resumes with this buffer.
    public static var resumeOutput: Self { Self("ResumeOutput") }
    /// The samples run backwards.
    public static var reverse: Self { Self("Reverse") }
    /// Gaps are to be filled with silence.
    public static var fillDiscontinuitiesWithSilence: Self {
        Self("FillDiscontinuitiesWithSilence")
    }
    /// Nothing to show for the buffer's duration.
    public static var emptyMedia: Self { Self("EmptyMedia") }
    /// Nothing to show from here on.
    public static var permanentEmptyMedia: Self { Self("PermanentEmptyMedia") }
    /// Show the nothing at once.
    public static var displayEmptyMediaImmediately: Self { Self("DisplayEmptyMediaImmediately") }
    /// The previous sample ends where this one begins.
    public static var endsPreviousSampleDuration: Self { Self("EndsPreviousSampleDuration") }
    /// The encoder is to make a sync sample of it.
    public static var forceKeyFrame: Self { Self("ForceKeyFrame") }
}

extension CMSampleBuffer.AttachmentKey where Value == CMTime {
    /// Time to leave out at the beginning.
    public static var trimDurationAtStart: Self { Self("TrimDurationAtStart") }
    /// Time to leave out at the end.
    public static var trimDurationAtEnd: Self { Self("TrimDurationAtEnd") }
}

extension CMSampleBuffer.AttachmentKey where Value == Double {
    /// How much faster than its time stamps the buffer plays.
    public static var speedMultiplier: Self { Self("SpeedMultiplier") }
}

extension CMSampleBuffer.AttachmentKey where Value == String {
    /// Why a frame was dropped.
    public static var droppedFrameReason: Self { Self("DroppedFrameReason") }
}

extension CMSampleBuffer.AttachmentKey where Value == any Sendable {
    /// Tell when the buffer has been consumed, with this.
    public static var postNotificationWhenConsumed: Self { Self("PostNotificationWhenConsumed") }
    /// Which transition the buffer belongs to.
    public static var transitionID: Self { Self("TransitionID") }
}
