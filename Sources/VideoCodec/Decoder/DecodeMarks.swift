internal import CFFmpeg

/// Finds macroblocks that libavcodec did not decode.
///
/// In frames libavcodec notices them, conceals them and says so. In fields, and in frames when slices are decoded by
/// several threads, it does nothing of that: the samples stay what they were in the buffer. So before such a picture is
/// decoded, eight bytes in the middle of every macroblock are set to a pattern; where the pattern is still there
/// afterwards, nothing was decoded. The middle, because deblocking changes up to three samples inside each edge.
enum DecodeMarks {
    /// Where the middles of the macroblocks are.
    enum Layout: Int {
        case none = 0
        case frame = 1
        case fields = 2
    }

    /// Small in 16-bit words (samples of 9 and more bits stay in range) and unlikely in a picture.
    private static let pattern: UInt64 = 0x00A7_0013_00D9_0046

    /// Writes the pattern into a buffer that libavcodec is about to fill.
    ///
    /// - Parameters:
    ///   - frame: As in `get_buffer2`: coded size, cropping not applied.
    ///   - layout: How the picture is coded.
    static func place(in frame: UnsafeMutablePointer<AVFrame>, layout: Layout) {
        guard layout != .none else { return }
        let codedWidth = Int(frame.pointee.width)
        let codedHeight = Int(frame.pointee.height)
        // Handed on by libavcodec, for `remain`, which sees the frame after cropping.
        frame.pointee.opaque = UnsafeMutableRawPointer(
            bitPattern: codedWidth << 32 | codedHeight << 2 | layout.rawValue)
        forEach(frame, fields: 3) { mark in
            mark.storeBytes(of: pattern, as: UInt64.self)
            return true
        }
    }

    /// Whether a pattern is still there; false for a frame whose buffer was not marked.
    ///
    /// - Parameters:
    ///   - frame: A frame, cropped or not.
    ///   - fields: Those that are coded: bit 0 the top field, bit 1 the bottom one.
    /// - Returns: Whether something was not decoded.
    static func remain(in frame: UnsafeMutablePointer<AVFrame>, fields: Int) -> Bool {
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
        let tag = Int(bitPattern: frame.pointee.opaque)
        // `data` moves when cropping is applied; the buffer's start does not, and libavcodec's allocator puts
        // plane 0 there.
        guard let layout = Layout(rawValue: tag & 3), layout != .none,
            let buffer = frame.pointee.buf.0, let luma = buffer.pointee.data,
            frame.pointee.linesize.0 > 0
        else { return }
        let stride = Int(frame.pointee.linesize.0)
        let descriptor = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format))
        let bytesPerSample = (descriptor?.pointee.comp.0.depth ?? 8) > 8 ? 2 : 1
        let columns = (tag >> 32) / 16
        let height = tag >> 2 & 0x3FFF_FFFF
        func line(_ number: Int) -> Bool {
            let start = UnsafeMutableRawPointer(luma) + number * stride
            for column in 0..<columns {
                guard body(start + (16 * column + 4) * bytesPerSample) else { return false }
            }
            return true
        }
        switch layout {
        case .none: return
        case .frame:
            // In a pair of field macroblocks (MBAFF) these are lines 3 and 11 of the second one.
            for row in 0..<height / 16 { guard line(16 * row + 7) else { return } }
        case .fields:
            for parity in 0..<2 where fields >> parity & 1 != 0 {
                for row in 0..<height / 32 { guard line(32 * row + 14 + parity) else { return } }
            }
        }
    }
}
