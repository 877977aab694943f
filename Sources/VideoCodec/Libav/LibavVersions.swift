import CFFmpeg

/// The FFmpeg libraries that the process runs on.
public enum LibavVersions {
    /// One line for people, such as `FFmpeg 5.1.9: libavcodec 59.37.100, libavutil 57.28.100`.
    public static var text: String {
        func version(_ number: UInt32) -> String {
            "\(number >> 16).\(number >> 8 & 255).\(number & 255)"
        }
        return "FFmpeg \(String(cString: av_version_info())):"
            + " libavcodec \(version(avcodec_version())), libavutil \(version(avutil_version())),"
            + " libswscale \(version(swscale_version()))"
    }
}
