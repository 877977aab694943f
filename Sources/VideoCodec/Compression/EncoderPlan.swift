internal import H264
internal import PixelBuffers

/// What is known of the pictures that come in, from the first one.
struct SourceFacts: Hashable, Sendable {
    /// What libx264 is given: NV12, or three planes where the source has them.
    var isPlanar = false
    var isFullRange = false
    var colorPrimaries: ColorPrimaries?
    var transferFunction: TransferFunction?
    var yCbCrMatrix: YCbCrMatrix?
    var pixelAspectRatio: PixelAspectRatio?
    /// From the first picture's duration.
    var frameRate: FrameRate?

    init() {}

    /// What a picture says.
    init(_ picture: CVPixelBuffer, frameRate: FrameRate?) {
        switch picture.pixelFormat {
        case .yCbCr420Planar, .yCbCr420PlanarFullRange:
            isPlanar = true
            isFullRange = picture.isFullRange
        case .yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange:
            isFullRange = picture.isFullRange
        default: break
        }
        let attachments = picture.attachments
        colorPrimaries = attachments[.colorPrimaries]
        transferFunction = attachments[.transferFunction]
        yCbCrMatrix = attachments[.yCbCrMatrix]
        pixelAspectRatio = attachments[.pixelAspectRatio]
        self.frameRate = frameRate
    }

    /// The format that libx264 is given.
    var pixelFormat: CVPixelFormatType {
        switch (isPlanar, isFullRange) {
        case (false, false): .yCbCr420BiPlanarVideoRange
        case (false, true): .yCbCr420BiPlanarFullRange
        case (true, false): .yCbCr420Planar
        case (true, true): .yCbCr420PlanarFullRange
        }
    }
}

/// How libx264 is to be set up: a session's properties in its terms.
struct EncoderPlan: Equatable, Sendable {
    /// What is fixed once the encoder is open: another one needs another encoder, and a key frame.
    struct Fixed: Hashable, Sendable {
        var width: Int
        var height: Int
        var source: SourceFacts
        var profile: VTProfileLevel.Profile?
        var level: Int?
        var bFrameCount = 3
        var isPyramid = true
        /// Nil for the preset's own.
        var lookahead: Int?
        /// Whether a picture must come out before the next goes in: rate control then cannot know how long it lasts.
        var hasNoDelay = false
        /// Slices in parallel, not pictures.
        var slicesThreads = false
        var isIntraOnly = false
        var entropyMode: VTH264EntropyMode?
        var maxSliceBytes = 0
        var isFast = false
        var threadCount: Int?
        var frameRate: FrameRate?
        var isRateCapped = false
        var hasBitRate = false
    }

    /// What libx264 takes on with the next picture.
    struct Rates: Hashable, Sendable {
        /// Bits a second; 0 for constant quality.
        var bitRate = 0
        /// libx264's constant rate factor, 1...51.
        var rateFactor = 23.0
        /// Bits a second that are never passed for longer than the buffer lasts; 0 for none.
        var maximumBitRate = 0
        /// Bits.
        var bufferSize = 0
        /// What the limits of data rate allow, bits a second.
        var ceiling = Int.max
    }

    var fixed: Fixed
    var rates: Rates

    /// Pictures by which decode time stamps precede presentation time stamps.
    var reorderDepth: Int { fixed.bFrameCount == 0 ? 0 : fixed.isPyramid ? 2 : 1 }

    init(_ settings: CompressionSettings, source: SourceFacts, width: Int, height: Int) {
        var source = source
        source.colorPrimaries = settings.colorPrimaries ?? source.colorPrimaries
        source.transferFunction = settings.transferFunction ?? source.transferFunction
        source.yCbCrMatrix = settings.yCbCrMatrix ?? source.yCbCrMatrix
        source.pixelAspectRatio = settings.pixelAspectRatio ?? source.pixelAspectRatio
        fixed = Fixed(width: width, height: height, source: source)
        fixed.profile = settings.profileLevel?.profile
        fixed.level = settings.profileLevel?.level
        fixed.entropyMode = settings.entropyMode
        fixed.maxSliceBytes = settings.maxSliceBytes
        fixed.threadCount = settings.threadCount
        fixed.frameRate = FrameRate(settings.expectedFrameRate) ?? source.frameRate
        fixed.source.frameRate = nil
        fixed.isIntraOnly =
            !settings.allowTemporalCompression || settings.maxKeyFrameInterval == 1
        fixed.isFast = settings.prioritizesSpeed ?? (settings.realTime == true)
        rates = Rates()
        setDelay(settings)
        setRates(settings)
    }

    private mutating func setDelay(_ settings: CompressionSettings) {
        var limit = settings.maxFrameDelayCount
        if settings.realTime == true || settings.isLowLatency { limit = 0 }
        let reorders =
            settings.allowFrameReordering && !fixed.isIntraOnly
            && !(settings.profileLevel?.profile?.forbidsBFrames ?? false)
        if limit >= 0 {
            // libx264's own count: B pictures or looking ahead, one more to learn how long a picture lasts; and a
            // picture that is reordered comes out later by the depth.
            fixed.slicesThreads = true
            fixed.hasNoDelay = limit == 0
            switch (reorders, limit) {
            case (true, 3...4): (fixed.bFrameCount, fixed.isPyramid) = (limit - 2, false)
            case (true, 5...): (fixed.bFrameCount, fixed.isPyramid) = (min(3, limit - 3), true)
            default: fixed.bFrameCount = 0
            }
            fixed.lookahead = min(max(limit - 1 - reorderDepth, 0), 40)
        }
        if !reorders { fixed.bFrameCount = 0 }
    }

    private mutating func setRates(_ settings: CompressionSettings) {
        // 0 would be lossless, which the profiles up to High do not have.
        if let quality = settings.quality { rates.rateFactor = 51 - 50 * min(max(quality, 0), 1) }
        for limit in settings.dataRateLimits {
            // What may come in a stretch of T seconds is B + R * T for a buffer of B and a rate of R. A quarter of the
            // limit for B leaves three for R: no stretch passes the limit, and the average comes near to it.
            let bits = Double(limit.byteCount) * 8
            let rate = Self.bounded(bits * 0.75 / limit.seconds)
            let buffer = Self.bounded(bits * 0.25)
            rates.maximumBitRate = min(
                rates.maximumBitRate == 0 ? .max : rates.maximumBitRate, rate)
            rates.bufferSize = min(rates.bufferSize == 0 ? .max : rates.bufferSize, buffer)
        }
        fixed.isRateCapped = rates.maximumBitRate > 0
        rates.ceiling = fixed.isRateCapped ? rates.maximumBitRate : .max
        fixed.hasBitRate = settings.averageBitRate > 0
        guard fixed.hasBitRate else { return }
        // Kept to from second to second: only then libx264 takes on another rate, and at once.
        let rate = min(Self.bounded(Double(settings.averageBitRate)), rates.ceiling)
        rates.bitRate = rate
        rates.maximumBitRate = rate
        rates.bufferSize = fixed.isRateCapped ? min(rates.bufferSize, rate) : rate
        fixed.isRateCapped = true
    }

    /// libx264 counts in 1000 bits.
    private static func bounded(_ bits: Double) -> Int { Int(min(max(bits, 1000), 2_000_000_000)) }
}

extension VTProfileLevel.Profile {
    var forbidsBFrames: Bool {
        switch self {
        case .baseline, .constrainedBaseline, .extended, .constrainedHigh: true
        case .main, .high: false
        }
    }

    /// libx264's word.
    var encoderName: String {
        switch self {
        case .baseline, .constrainedBaseline, .extended: "baseline"
        case .main: "main"
        case .high, .constrainedHigh: "high"
        }
    }

    /// The profile that is named in the SPS; nil for what libx264 names.
    var namedProfileIDC: UInt8? { self == .extended ? 88 : nil }

    /// Constraint flags that libx264 does not set, though it keeps to what they say.
    var constraintFlags: UInt8 {
        switch self {
        // constraint_set0, 1 and 2: decoders of Baseline, Main and Extended can all decode it.
        case .extended: 0xE0
        // constraint_set4 and 5: frames only, no B slices (A.2.4.2).
        case .constrainedHigh: 0x0C
        default: 0
        }
    }
}
