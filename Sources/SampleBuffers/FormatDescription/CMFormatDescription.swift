import H264
public import MediaTime
public import PixelBuffers

/// A description of video.
public typealias CMVideoFormatDescription = CMFormatDescription

/// What samples are: codec or pixel format, size, and what a decoder and a screen must know.
///
/// Immutable.
public final class CMFormatDescription: Sendable {
    /// The kind of media.
    public let mediaType: MediaType
    /// The codec, or the pixel format.
    public let mediaSubType: MediaSubType
    /// The size in pixels, after cropping; pixel aspect and clean aperture do not change it.
    public let dimensions: CMVideoDimensions
    /// All else.
    public let extensions: Extensions
    /// What the H.264 parameter sets say; nil for all but H.264 with parameter sets.
    let h264: H264Configuration?

    init(
        mediaType: MediaType, mediaSubType: MediaSubType, dimensions: CMVideoDimensions,
        extensions: Extensions, h264: H264Configuration?
    ) {
        self.mediaType = mediaType
        self.mediaSubType = mediaSubType
        self.dimensions = dimensions
        self.extensions = extensions
        self.h264 = h264
    }

    /// Describes media of any kind.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of media.
    ///   - mediaSubType: The codec, or the pixel format.
    ///   - extensions: All else.
    /// - Throws: ``Error/invalidParameter`` for an `avcC` atom that cannot be read.
    public convenience init(
        mediaType: MediaType, mediaSubType: MediaSubType, extensions: Extensions? = nil
    ) throws(MediaError) {
        let extensions = extensions ?? Extensions()
        self.init(
            mediaType: mediaType, mediaSubType: mediaSubType,
            dimensions: CMVideoDimensions(width: 0, height: 0), extensions: extensions,
            h264: try H264Configuration(subType: mediaSubType, extensions: extensions))
    }

    /// Describes compressed or uncompressed video, for instance from a container's `avcC` atom.
    ///
    /// - Parameters:
    ///   - videoCodecType: The codec, or the pixel format.
    ///   - width: Columns, not negative.
    ///   - height: Rows, not negative.
    ///   - extensions: All else; for H.264 the atom `avcC` makes the description one to decode by.
    /// - Throws: ``Error/invalidParameter`` for a size out of range or an `avcC` atom that cannot be read.
    public convenience init(
        videoCodecType: MediaSubType, width: Int, height: Int, extensions: Extensions? = nil
    ) throws(MediaError) {
        guard let width = Int32(exactly: width), let height = Int32(exactly: height), width >= 0,
            height >= 0
        else { throw Error.invalidParameter.saying("size \(width)x\(height)") }
        let extensions = extensions ?? Extensions()
        self.init(
            mediaType: .video, mediaSubType: videoCodecType,
            dimensions: CMVideoDimensions(width: width, height: height), extensions: extensions,
            h264: try H264Configuration(subType: videoCodecType, extensions: extensions))
    }

    /// Describes H.264 video by its parameter sets.
    ///
    /// - Parameters:
    ///   - h264ParameterSets: NAL units of types 7, 8 and 13, without start code or length and with their emulation
    ///     prevention bytes; at least one SPS and one PPS.
    ///   - nalUnitHeaderLength: Bytes of the length before each NAL unit of the samples: 1, 2 or 4.
    /// - Throws: ``Error/invalidParameter`` for other NAL units, other lengths, or an SPS that cannot be read.
    public convenience init(
        h264ParameterSets: [[UInt8]], nalUnitHeaderLength: Int = 4
    ) throws(MediaError) {
        let configuration = try H264Configuration(
            parameterSets: h264ParameterSets, nalUnitHeaderLength: nalUnitHeaderLength)
        let size = configuration.sequenceParameterSet.croppedSize
        self.init(
            mediaType: .video, mediaSubType: .h264,
            dimensions: CMVideoDimensions(width: Int32(size.width), height: Int32(size.height)),
            extensions: Extensions(h264: configuration), h264: configuration)
    }

    /// Describes pictures like a given one.
    ///
    /// - Parameter imageBuffer: The picture; its format, size, stride and the attachments in
    ///   ``extensionKeysCommonWithImageBuffers`` are taken over.
    /// - Throws: Nothing yet.
    public convenience init(imageBuffer: CVImageBuffer) throws(MediaError) {
        var extensions = Extensions()
        let attachments = imageBuffer.attachments
        if !attachments.isEmpty {
            for name in Self.extensionKeysCommonWithImageBuffers {
                extensions[name] = attachments[name]?.value
            }
        }
        extensions[.bytesPerRow] = imageBuffer.bytesPerRow
        self.init(
            mediaType: .video, mediaSubType: MediaSubType(imageBuffer.pixelFormat),
            dimensions: CMVideoDimensions(
                width: Int32(imageBuffer.width), height: Int32(imageBuffer.height)),
            extensions: extensions, h264: nil)
    }
}

extension CMFormatDescription: Equatable {
    /// Whether media type, subtype, dimensions and extensions are equal.
    public static func == (first: CMFormatDescription, second: CMFormatDescription) -> Bool {
        first === second || first.equalTo(second)
    }

    /// Whether another description says the same, apart from what is to be ignored.
    ///
    /// - Parameters:
    ///   - other: The other description.
    ///   - extensionKeysToIgnore: Names of extensions that may differ.
    ///   - sampleDescriptionExtensionAtomKeysToIgnore: Atoms that may differ.
    /// - Returns: Whether the rest is equal.
    public func equalTo(
        _ other: CMFormatDescription, extensionKeysToIgnore: [String] = [],
        sampleDescriptionExtensionAtomKeysToIgnore: [String] = []
    ) -> Bool {
        guard mediaType == other.mediaType, mediaSubType == other.mediaSubType,
            dimensions == other.dimensions
        else { return false }
        guard !sampleDescriptionExtensionAtomKeysToIgnore.isEmpty else {
            return extensions.isEqual(to: other.extensions, ignoring: extensionKeysToIgnore)
        }
        func pruned(_ extensions: Extensions) -> Extensions {
            var extensions = extensions
            if var atoms = extensions[.sampleDescriptionExtensionAtoms] {
                for key in sampleDescriptionExtensionAtomKeysToIgnore { atoms[key] = nil }
                extensions[.sampleDescriptionExtensionAtoms] = atoms
            }
            return extensions
        }
        return pruned(extensions).isEqual(
            to: pruned(other.extensions), ignoring: extensionKeysToIgnore)
    }
}
