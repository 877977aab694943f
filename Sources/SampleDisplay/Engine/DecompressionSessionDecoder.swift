internal import MediaTime
internal import SampleBuffers

/// A decompression session behind ``SampleDecoder``.
enum DecompressionSessionDecoder {
    static let make: SampleDecoderFactory = { _, _, _ throws(MediaError) in
        throw MediaError(status: -12906, "no decoder yet")
    }
}
