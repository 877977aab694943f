internal import MediaTime
internal import PixelBuffers

/// The properties of a compression session.
struct CompressionSettings: Sendable, Equatable {
    var profileLevel: VTProfileLevel?
    /// Bits a second; 0 leaves it to the encoder.
    var averageBitRate = 0
    var dataRateLimits: [VTDataRateLimit] = []
    /// Frames; 0 leaves it to the encoder.
    var maxKeyFrameInterval = 0
    /// Seconds; 0 for no limit.
    var maxKeyFrameIntervalDuration = 0.0
    /// Frames a second; 0 for unknown.
    var expectedFrameRate = 0.0
    var allowTemporalCompression = true
    var allowFrameReordering = true
    var realTime: Bool?
    /// 0...1.
    var quality: Double?
    /// Negative for no limit.
    var maxFrameDelayCount = -1
    var entropyMode: VTH264EntropyMode?
    /// 0 for no limit.
    var maxSliceBytes = 0
    var colorPrimaries: ColorPrimaries?
    var transferFunction: TransferFunction?
    var yCbCrMatrix: YCbCrMatrix?
    var pixelAspectRatio: PixelAspectRatio?
    var cleanAperture: CleanAperture?
    var fieldCount: Int?
    var prioritizesSpeed: Bool?
    /// libavcodec's threads; nil for its own choice.
    var threadCount: Int?
    // Hints, kept without effect.
    var sourceFrameCount: Int?
    var expectedDuration: CMTime?
    var moreFramesBeforeStart: Bool?
    var moreFramesAfterEnd: Bool?
    /// From the encoder specification.
    var isLowLatency = false
}
