internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers

/// Makes the format descriptions of what is compressed.
enum CompressedFormat {
    /// A description by parameter sets, and what they cannot say.
    static func description(
        _ parameterSets: [[UInt8]], cleanAperture: CleanAperture?, fieldCount: Int?
    ) throws(MediaError) -> CMFormatDescription {
        let plain = try CMFormatDescription(h264ParameterSets: parameterSets)
        guard cleanAperture != nil || fieldCount != nil else { return plain }
        var extensions = plain.extensions
        if let cleanAperture { extensions[.cleanAperture] = cleanAperture }
        if let fieldCount { extensions[.fieldCount] = fieldCount }
        return try CMFormatDescription(
            videoCodecType: .h264, width: Int(plain.dimensions.width),
            height: Int(plain.dimensions.height), extensions: extensions)
    }
}
