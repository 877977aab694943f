internal import Glibc
internal import H264
internal import PixelBuffers

/// Which of the planar formats libavcodec decodes a stream to.
enum NativeFormat {
    /// As libavcodec chooses by chroma format, bit depth and range; 8-bit 4:2:0 without an SPS.
    static func type(of set: SequenceParameterSet?) -> CVPixelFormatType {
        guard let set else { return .yCbCr420Planar }
        let isFull = set.vui?.isFullRange ?? false
        let isRGB = set.vui?.matrixCoefficients == 0
        switch (set.chromaFormatIDC, set.bitDepthLuma) {
        case (3, 8): return isRGB ? .gbrp : isFull ? .yuvj444p : .yuv444p
        case (3, 9): return isRGB ? .gbrp9 : .yuv444p9
        case (3, 10): return isRGB ? .gbrp10 : .yuv444p10
        case (3, 12): return isRGB ? .gbrp12 : .yuv444p12
        case (3, 14): return isRGB ? .gbrp14 : .yuv444p14
        case (2, 8): return isFull ? .yuvj422p : .yuv422p
        case (2, 9): return .yuv422p9
        case (2, 10): return .yuv422p10
        case (2, 12): return .yuv422p12
        case (2, 14): return .yuv422p14
        case (_, 9): return .yuv420p9
        case (0, 10): return .gray10
        case (_, 10): return .yuv420p10
        case (_, 12): return .yuv420p12
        case (_, 14): return .yuv420p14
        default: return isFull ? .yCbCr420PlanarFullRange : .yCbCr420Planar
        }
    }
}

/// Fills buffers with black.
enum BlackPicture {
    /// Y = 16 in video range and 0 in full range, Cb = Cr = 128, scaled to the bit depth; RGB 0 and alpha 255.
    static func fill(_ buffer: CVPixelBuffer) {
        buffer.lockBaseAddress()
        defer { buffer.unlockBaseAddress() }
        let depth = buffer.pixelFormat.bitDepth
        let name = buffer.pixelFormat.name
        let isRGB = name.hasPrefix("gbr")
        let luma = isRGB || buffer.isFullRange ? 0 : 16
        guard buffer.isPlanar || name.hasPrefix("gray") else {
            fillPacked(buffer)
            return
        }
        for plane in 0..<max(buffer.planeCount, 1) {
            let base = buffer.isPlanar ? buffer.baseAddress(ofPlane: plane) : buffer.baseAddress
            guard let base else { continue }
            let value = isRGB ? 0 : plane == 0 ? luma : 128
            let rows = buffer.isPlanar ? buffer.height(ofPlane: plane) : buffer.height
            let stride = buffer.isPlanar ? buffer.bytesPerRow(ofPlane: plane) : buffer.bytesPerRow
            guard depth > 8 else {
                memset(base, Int32(value), rows * stride)
                continue
            }
            // 'x420' and its kin keep ten bits at the top of the word, the planar formats at the bottom.
            let shift = buffer.planeCount == 2 ? 8 : depth - 8
            let words = base.assumingMemoryBound(to: UInt16.self)
            for index in 0..<rows * stride / 2 { words[index] = UInt16(value << shift) }
        }
    }

    private static func fillPacked(_ buffer: CVPixelBuffer) {
        guard let base = buffer.baseAddress else { return }
        let alpha = buffer.pixelFormat == .argb32 ? 0 : 3
        for row in 0..<buffer.height {
            let line = base + row * buffer.bytesPerRow
            memset(line, 0, 4 * buffer.width)
            for column in 0..<buffer.width {
                line.storeBytes(of: 255, toByteOffset: 4 * column + alpha, as: UInt8.self)
            }
        }
    }
}
