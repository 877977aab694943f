internal import CFFmpeg

/// Finds macroblocks of field pictures that libavcodec did not decode.
///
/// In frames libavcodec notices them, conceals them and says so. In fields it does neither: the samples stay what they
/// were in the buffer. So before a field picture is decoded, eight bytes in the middle of every macroblock of both
/// fields are set to a pattern; where the pattern is still there afterwards, nothing was decoded. The middle, because
/// deblocking changes up to three samples inside each edge.
enum DecodeMarks {
    /// Small in 16-bit words (samples of 9 and more bits stay in range) and unlikely in a picture.
    private static let pattern: UInt64 = 0x00A7_0013_00D9_0046

    /// Writes the pattern into a buffer that libavcodec is about to fill.
    ///
    /// - Parameter frame: As in `get_buffer2`: coded size, cropping not applied.
    static func place(in frame: UnsafeMutablePointer<AVFrame>) {
        let codedWidth = Int(frame.pointee.width)
        let codedHeight = Int(frame.pointee.height)
        // Handed on by libavcodec, for `remain`, which sees the frame after cropping.
        frame.pointee.opaque = UnsafeMutableRawPointer(
            bitPattern: codedWidth << 16 | codedHeight)
        forEach(frame, fields: 3) { mark in
            mark.storeBytes(of: pattern, as: UInt64.self)
            return true
        }
    }

    /// Whether a pattern is still there.
    ///
    /// - Parameters:
    ///   - frame: A frame whose buffer was marked; cropped or not.
    ///   - fields: Those that are coded: bit 0 the top field, bit 1 the bottom one.
    /// - Returns: Whether something was not decoded.
    static func remain(in frame: UnsafeMutablePointer<AVFrame>, fields: Int) -> Bool {
        guard frame.pointee.opaque != nil else { return false }
        var found = false
        forEach(frame, fields: fields) { mark in
            found = mark.loadUnaligned(as: UInt64.self) == pattern
            return !found
        }
        return found
    }

    private static func forEach(
        _ frame: UnsafeMutablePointer<AVFrame>, fields: Int,
        _ body: (UnsafeMutableRawPointer) -> Bool
    ) {
        guard let buffer = frame.pointee.buf.0, let luma = buffer.pointee.data else { return }
        let size = Int(bitPattern: frame.pointee.opaque)
        let stride = Int(frame.pointee.linesize.0)
        guard stride > 0 else { return }
        let descriptor = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format))
        let bytesPerSample = (descriptor?.pointee.comp.0.depth ?? 8) > 8 ? 2 : 1
        // `data` moves when cropping is applied; the buffer's start does not, and libavcodec's allocator puts
        // plane 0 there.
        let columns = (size >> 16) / 16
        let rows = (size & 0xFFFF) / 32
        for parity in 0..<2 where fields >> parity & 1 != 0 {
            for row in 0..<rows {
                let line = UnsafeMutableRawPointer(luma) + (32 * row + 2 * 7 + parity) * stride
                for column in 0..<columns {
                    guard body(line + (16 * column + 4) * bytesPerSample) else { return }
                }
            }
        }
    }
}
