/// How the samples of a picture lie in memory: Apple's four-character codes, and codes of our own for the planar
/// formats that libavcodec's H.264 decoder gives.
public struct CVPixelFormatType: RawRepresentable, Hashable, Sendable {
    /// The four characters, first in the most significant byte.
    public let rawValue: UInt32

    /// Takes any code, known or not.
    ///
    /// - Parameter rawValue: The four characters, first in the most significant byte.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// From a literal of four ASCII characters.
    init(_ code: StaticString) {
        precondition(code.utf8CodeUnitCount == 4, "a format code has four characters")
        rawValue = code.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    // MARK: Apple's codes

    /// '420v': 8-bit 4:2:0, Y plane and interleaved CbCr plane, video range (NV12).
    public static let yCbCr420BiPlanarVideoRange = Self("420v")
    /// '420f': 8-bit 4:2:0, Y plane and interleaved CbCr plane, full range.
    public static let yCbCr420BiPlanarFullRange = Self("420f")
    /// '422v': 8-bit 4:2:2 in two planes, video range.
    public static let yCbCr422BiPlanarVideoRange = Self("422v")
    /// '422f': 8-bit 4:2:2 in two planes, full range.
    public static let yCbCr422BiPlanarFullRange = Self("422f")
    /// '444v': 8-bit 4:4:4 in two planes, video range.
    public static let yCbCr444BiPlanarVideoRange = Self("444v")
    /// '444f': 8-bit 4:4:4 in two planes, full range.
    public static let yCbCr444BiPlanarFullRange = Self("444f")
    /// 'x420': 10-bit 4:2:0 in two planes, in the upper bits of 16, video range.
    public static let yCbCr420BiPlanar10VideoRange = Self("x420")
    /// 'xf20': 10-bit 4:2:0 in two planes, in the upper bits of 16, full range.
    public static let yCbCr420BiPlanar10FullRange = Self("xf20")
    /// 'x422': 10-bit 4:2:2 in two planes, in the upper bits of 16, video range.
    public static let yCbCr422BiPlanar10VideoRange = Self("x422")
    /// 'xf22': 10-bit 4:2:2 in two planes, in the upper bits of 16, full range.
    public static let yCbCr422BiPlanar10FullRange = Self("xf22")
    /// 'x444': 10-bit 4:4:4 in two planes, in the upper bits of 16, video range.
    public static let yCbCr444BiPlanar10VideoRange = Self("x444")
    /// 'xf44': 10-bit 4:4:4 in two planes, in the upper bits of 16, full range.
    public static let yCbCr444BiPlanar10FullRange = Self("xf44")
    /// 'y420': 8-bit 4:2:0 in three planes, video range (yuv420p).
    public static let yCbCr420Planar = Self("y420")
    /// 'f420': 8-bit 4:2:0 in three planes, full range (yuvj420p).
    public static let yCbCr420PlanarFullRange = Self("f420")
    /// '2vuy': 8-bit 4:2:2, Cb Y Cr Y in one plane.
    public static let yCbCr422Packed = Self("2vuy")
    /// 'BGRA': 8 bits each of blue, green, red, alpha.
    public static let bgra32 = Self("BGRA")
    /// 0x20: 8 bits each of alpha, red, green, blue.
    public static let argb32 = Self(rawValue: 0x20)
    /// 'RGBA': 8 bits each of red, green, blue, alpha.
    public static let rgba32 = Self("RGBA")
    /// 'L008': 8-bit luma alone.
    public static let oneComponent8 = Self("L008")

    // MARK: Ours: y or f (full range) or gbr, bit depth, chroma

    /// yuv422p: 8-bit 4:2:2 in three planes, video range.
    public static let yuv422p = Self("y422")
    /// yuvj422p: 8-bit 4:2:2 in three planes, full range.
    public static let yuvj422p = Self("f422")
    /// yuv444p: 8-bit 4:4:4 in three planes, video range.
    public static let yuv444p = Self("y444")
    /// yuvj444p: 8-bit 4:4:4 in three planes, full range.
    public static let yuvj444p = Self("f444")
    /// yuv420p9le: 9-bit 4:2:0 in three planes of 16-bit words.
    public static let yuv420p9 = Self("y920")
    /// yuv422p9le: 9-bit 4:2:2 in three planes of 16-bit words.
    public static let yuv422p9 = Self("y922")
    /// yuv444p9le: 9-bit 4:4:4 in three planes of 16-bit words.
    public static let yuv444p9 = Self("y944")
    /// yuv420p10le: 10-bit 4:2:0 in three planes of 16-bit words.
    public static let yuv420p10 = Self("ya20")
    /// yuv422p10le: 10-bit 4:2:2 in three planes of 16-bit words.
    public static let yuv422p10 = Self("ya22")
    /// yuv444p10le: 10-bit 4:4:4 in three planes of 16-bit words.
    public static let yuv444p10 = Self("ya44")
    /// yuv420p12le: 12-bit 4:2:0 in three planes of 16-bit words.
    public static let yuv420p12 = Self("yc20")
    /// yuv422p12le: 12-bit 4:2:2 in three planes of 16-bit words.
    public static let yuv422p12 = Self("yc22")
    /// yuv444p12le: 12-bit 4:4:4 in three planes of 16-bit words.
    public static let yuv444p12 = Self("yc44")
    /// yuv420p14le: 14-bit 4:2:0 in three planes of 16-bit words.
    public static let yuv420p14 = Self("ye20")
    /// yuv422p14le: 14-bit 4:2:2 in three planes of 16-bit words.
    public static let yuv422p14 = Self("ye22")
    /// yuv444p14le: 14-bit 4:4:4 in three planes of 16-bit words.
    public static let yuv444p14 = Self("ye44")
    /// gray9le: 9-bit luma alone in 16-bit words.
    public static let gray9 = Self("y900")
    /// gray10le: 10-bit luma alone in 16-bit words.
    public static let gray10 = Self("ya00")
    /// gray12le: 12-bit luma alone in 16-bit words.
    public static let gray12 = Self("yc00")
    /// gray14le: 14-bit luma alone in 16-bit words.
    public static let gray14 = Self("ye00")
    /// gbrp: 8-bit green, blue and red planes.
    public static let gbrp = Self("gbr8")
    /// gbrp9le: 9-bit green, blue and red planes of 16-bit words.
    public static let gbrp9 = Self("gbr9")
    /// gbrp10le: 10-bit green, blue and red planes of 16-bit words.
    public static let gbrp10 = Self("gbra")
    /// gbrp12le: 12-bit green, blue and red planes of 16-bit words.
    public static let gbrp12 = Self("gbrc")
    /// gbrp14le: 14-bit green, blue and red planes of 16-bit words.
    public static let gbrp14 = Self("gbre")

    // MARK: What a code says

    /// Whether the stack can make buffers of this format.
    public var isKnown: Bool { PixelFormatDescription.of(self) != nil }

    /// FFmpeg's name ("nv12", "yuv420p10le"), or the four characters of an unknown code.
    public var name: String { PixelFormatDescription.of(self)?.name ?? fourCharacters }

    /// Whether the code itself says that samples use the full range.
    ///
    /// Formats that are silent about it answer false.
    public var isFullRange: Bool { PixelFormatDescription.of(self)?.isFullRange ?? false }

    /// Bits of each component, 0 for an unknown code.
    public var bitDepth: Int { PixelFormatDescription.of(self)?.bitDepth ?? 0 }

    /// The four characters, or the number in hexadecimal when they do not print.
    public var fourCharacters: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * UInt32($0))) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return "0x" + String(rawValue, radix: 16)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension CVPixelFormatType: CustomStringConvertible {
    /// FFmpeg's name.
    public var description: String { name }
}
