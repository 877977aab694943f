public import MediaTime
public import PixelBuffers

/// A size in whole pixels.
public struct CMVideoDimensions: Hashable, Sendable {
    /// Columns.
    public var width: Int32
    /// Rows.
    public var height: Int32

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - height: Rows.
    public init(width: Int32, height: Int32) {
        self.width = width
        self.height = height
    }
}

/// Four characters, first in the most significant byte.
private func fourCharacterCode(_ string: String) -> UInt32 {
    string.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
}

extension CMFormatDescription {
    /// What kind of media a description is about.
    public struct MediaType: RawRepresentable, Hashable, Sendable {
        /// The four characters, first in the most significant byte.
        public let rawValue: UInt32
        /// Takes any code.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Takes four ASCII characters.
        public init(string: String) { rawValue = fourCharacterCode(string) }

        /// 'vide'.
        public static let video = MediaType(string: "vide")
        /// 'soun'.
        public static let audio = MediaType(string: "soun")
        /// 'muxx'.
        public static let muxed = MediaType(string: "muxx")
        /// 'text'.
        public static let text = MediaType(string: "text")
        /// 'clcp'.
        public static let closedCaption = MediaType(string: "clcp")
        /// 'sbtl'.
        public static let subtitle = MediaType(string: "sbtl")
        /// 'tmcd'.
        public static let timeCode = MediaType(string: "tmcd")
        /// 'meta'.
        public static let metadata = MediaType(string: "meta")
    }

    /// The codec, or the pixel format of uncompressed video.
    public struct MediaSubType: RawRepresentable, Hashable, Sendable {
        /// The four characters, first in the most significant byte.
        public let rawValue: UInt32
        /// Takes any code.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Takes four ASCII characters.
        public init(string: String) { rawValue = fourCharacterCode(string) }
        /// Uncompressed pictures of a pixel format.
        public init(_ pixelFormat: CVPixelFormatType) { rawValue = pixelFormat.rawValue }

        /// 'avc1'.
        public static let h264 = MediaSubType(string: "avc1")
        /// 'hvc1'.
        public static let hevc = MediaSubType(string: "hvc1")
        /// 'jpeg'.
        public static let jpeg = MediaSubType(string: "jpeg")
        /// 'mp4v'.
        public static let mpeg4Video = MediaSubType(string: "mp4v")
        /// 'BGRA'.
        public static let pixelFormat_32BGRA = MediaSubType(.bgra32)
        /// '420v'.
        public static let pixelFormat_420YpCbCr8BiPlanarVideoRange = MediaSubType(
            .yCbCr420BiPlanarVideoRange)
    }

    /// The errors of format descriptions.
    public enum Error {
        /// `kCMFormatDescriptionError_InvalidParameter`.
        public static let invalidParameter = MediaError(status: -12710, "invalid parameter")
        /// `kCMFormatDescriptionError_AllocationFailed`.
        public static let allocationFailed = MediaError(status: -12711, "allocation failed")
        /// `kCMFormatDescriptionError_ValueNotAvailable`.
        public static let valueNotAvailable = MediaError(status: -12718, "value not available")
        /// `kCMFormatDescriptionBridgeError_InvalidParameter`.
        public static let bridgeInvalidParameter = MediaError(
            status: -12712, "invalid parameter of the format description bridge")
    }
}
