/// Why a picture could not be drawn.
public enum RenderError: Error, Hashable, Sendable {
    /// libswscale cannot read pictures of this format (FFmpeg's name or number).
    case unsupportedPixelFormat(String)
    /// libswscale refused the sizes, or memory ran out; `code` is its result.
    case scalerFailed(code: Int32)
}
