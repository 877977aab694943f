public import H264
public import PixelBuffers

extension CMFormatDescription {
    /// The parameter sets: SPS first, then PPS, then SPS extensions; empty for all but H.264.
    ///
    /// Each is a NAL unit without start code or length, with its emulation prevention bytes.
    public var parameterSets: [[UInt8]] { h264?.parameterSets ?? [] }

    /// Bytes of the length before each NAL unit of the samples; nil for all but H.264.
    public var nalUnitHeaderLength: Int? { h264?.nalUnitHeaderLength }

    /// The first sequence parameter set, parsed; nil for all but H.264.
    ///
    /// Ours.
    public var h264SequenceParameterSet: SequenceParameterSet? { h264?.sequenceParameterSet }

    /// The `AVCDecoderConfigurationRecord`; nil for all but H.264.
    ///
    /// Ours: the atom `avcC` by a shorter way.
    public var avcDecoderConfiguration: [UInt8]? { h264?.record }

    /// The attachments that a decoder gives to the pictures of this description: what the common keys say, and the range.
    ///
    /// Ours. All of them propagate.
    public var imageBufferAttachments: CMAttachmentBearerAttachments {
        var result = CMAttachmentBearerAttachments()
        for name in Self.extensionKeysCommonWithImageBuffers {
            result[name] = extensions[name].map { .shouldPropagate($0) }
        }
        result[.fullRange] = extensions[.fullRangeVideo]
        return result
    }
}
