public import PixelBuffers

// What the properties mean is told at the keys: see VTCompressionPropertyKey.
extension VTCompressionSession {
    // MARK: Stream

    /// Profile and level; nil for the lowest that will do, up to High.
    ///
    /// An unknown string counts as nil.
    public var profileLevel: VTProfileLevel? {
        get { shared.settings.profileLevel }
        set { shared.set { $0.profileLevel = newValue?.isKnown == true ? newValue : nil } }
    }

    /// How coefficients are written; nil for CABAC where the profile has it.
    public var h264EntropyMode: VTH264EntropyMode? {
        get { shared.settings.entropyMode }
        set { shared.set { $0.entropyMode = newValue } }
    }

    /// The largest slice in bytes; 0 for no limit.
    public var maxH264SliceBytes: Int {
        get { shared.settings.maxSliceBytes }
        set { shared.set { $0.maxSliceBytes = max(newValue, 0) } }
    }

    // MARK: Rates

    /// Bits a second on average; 0 for constant quality.
    public var averageBitRate: Int {
        get { shared.settings.averageBitRate }
        set { shared.set { $0.averageBitRate = max(newValue, 0) } }
    }

    /// Bounds over any stretch of decode time; all of them hold.
    public var dataRateLimits: [VTDataRateLimit] {
        get { shared.settings.dataRateLimits }
        set { shared.set { $0.dataRateLimits = newValue } }
    }

    /// Constant quality from 0 to 1, where no bit rate is set; nil for libx264's default, which is 0.56.
    public var quality: Double? {
        get { shared.settings.quality }
        set { shared.set { $0.quality = newValue.map { min(max($0, 0), 1) } } }
    }

    /// Pictures a second, to begin with; 0 for unknown.
    ///
    /// Written into the stream, where the first picture's duration is not to be.
    public var expectedFrameRate: Double {
        get { shared.settings.expectedFrameRate }
        set { shared.set { $0.expectedFrameRate = newValue.isFinite ? max(newValue, 0) : 0 } }
    }

    // MARK: Key frames and order

    /// Pictures from one key frame to the next at most; 0 leaves it to the encoder: 250, or ``maxKeyFrameIntervalDuration``.
    public var maxKeyFrameInterval: Int {
        get { shared.settings.maxKeyFrameInterval }
        set { shared.set { $0.maxKeyFrameInterval = max(newValue, 0) } }
    }

    /// Seconds from one key frame to the next at most; 0 for no limit.
    public var maxKeyFrameIntervalDuration: Double {
        get { shared.settings.maxKeyFrameIntervalDuration }
        set {
            shared.set { $0.maxKeyFrameIntervalDuration = newValue.isFinite ? max(newValue, 0) : 0 }
        }
    }

    /// Whether pictures may be predicted from others; false makes every one a key frame.
    public var allowTemporalCompression: Bool {
        get { shared.settings.allowTemporalCompression }
        set { shared.set { $0.allowTemporalCompression = newValue } }
    }

    /// Whether pictures may be decoded in another order than shown; false makes no B pictures.
    public var allowFrameReordering: Bool {
        get { shared.settings.allowFrameReordering }
        set { shared.set { $0.allowFrameReordering = newValue } }
    }

    /// Whether pictures are compressed as they come; true makes each come out before the next goes in.
    public var realTime: Bool? {
        get { shared.settings.realTime }
        set { shared.set { $0.realTime = newValue } }
    }

    /// With M, picture N - M is out when picture N has gone in; negative for no limit.
    public var maxFrameDelayCount: Int {
        get { shared.settings.maxFrameDelayCount }
        set { shared.set { $0.maxFrameDelayCount = max(newValue, -1) } }
    }

    // MARK: What the stream says about its pictures

    /// The colour primaries; nil for those attached to the first picture.
    public var colorPrimaries: ColorPrimaries? {
        get { shared.settings.colorPrimaries }
        set { shared.set { $0.colorPrimaries = newValue } }
    }

    /// The transfer function; nil for that attached to the first picture.
    public var transferFunction: TransferFunction? {
        get { shared.settings.transferFunction }
        set { shared.set { $0.transferFunction = newValue } }
    }

    /// The matrix; nil for that attached to the first picture.
    ///
    /// Pictures of red, green and blue are converted by it.
    public var yCbCrMatrix: YCbCrMatrix? {
        get { shared.settings.yCbCrMatrix }
        set { shared.set { $0.yCbCrMatrix = newValue } }
    }

    /// The shape of a pixel; nil for that attached to the first picture.
    public var pixelAspectRatio: PixelAspectRatio? {
        get { shared.settings.pixelAspectRatio }
        set { shared.set { $0.pixelAspectRatio = newValue } }
    }

    /// The part meant to be seen, for the format description.
    public var cleanAperture: CleanAperture? {
        get { shared.settings.cleanAperture }
        set { shared.set { $0.cleanAperture = newValue } }
    }

    /// 1 or 2, for the format description.
    ///
    /// Pictures are compressed as progressive ones.
    public var fieldCount: Int? {
        get { shared.settings.fieldCount }
        set { shared.set { $0.fieldCount = newValue.map { min(max($0, 1), 2) } } }
    }

    // MARK: The encoder

    /// Whether to save time at the cost of quality; nil for what ``realTime`` says.
    public var prioritizeEncodingSpeedOverQuality: Bool? {
        get { shared.settings.prioritizesSpeed }
        set { shared.set { $0.prioritizesSpeed = newValue } }
    }

    /// libx264's threads; nil for its own choice, by the number of processors.
    ///
    /// Ours. The same pictures give the same bytes only with the same number.
    public var threadCount: Int? {
        get { shared.settings.threadCount }
        set { shared.set { $0.threadCount = newValue.map { min(max($0, 1), 64) } } }
    }

    /// Pictures that went in and are not called back for.
    public var numberOfPendingFrames: Int { shared.pendingCount }

    /// What pictures need no conversion: the size and, best first, the formats.
    public var videoEncoderPixelBufferAttributes: PixelBufferRequest {
        PixelBufferRequest(
            formats: SourceConverter.formats.map { .type($0) }, width: width, height: height)
    }
}
