internal import CFFmpeg
public import MediaTime
public import PixelBuffers

/// Writes pictures as PNG, by libavcodec's encoder.
///
/// Eight bits of red, green and blue a pixel, all rows and columns of the picture, pixels taken for square.
public enum PNGEncoder {
    /// Encodes a picture.
    ///
    /// Colours are converted with the matrix and the range that the picture's attachments name, or by its height with
    /// BT.601 or BT.709.
    ///
    /// - Parameter pixelBuffer: The picture; it is only read.
    /// - Returns: A whole PNG file.
    /// - Throws: ``VTError/pixelTransferNotSupported``, ``VTError/couldNotFindVideoEncoder``,
    ///   ``VTError/encoderMalfunction``.
    public static func encode(_ pixelBuffer: CVPixelBuffer) throws(MediaError) -> [UInt8] {
        let colours: CVPixelBuffer
        do {
            colours = try CVPixelBuffer(
                width: pixelBuffer.width, height: pixelBuffer.height, pixelFormat: .rgba32)
            try PixelConverter(smoothsChroma: true).convert(pixelBuffer, to: colours)
        } catch {
            throw VTError.pixelTransferNotSupported.saying(error.text)
        }
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw VTError.couldNotFindVideoEncoder.saying("this libavcodec writes no PNG")
        }
        do {
            let coder = try StillPictureCoder(
                codec, width: pixelBuffer.width, height: pixelBuffer.height)
            return try coder.encode(colours)
        } catch {
            throw VTError.encoderMalfunction.saying(error.text)
        }
    }
}

/// An encoder of one picture, sole owner of its context, frame and packet.
private final class StillPictureCoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?

    init(_ codec: UnsafePointer<AVCodec>, width: Int, height: Int) throws(LibavError) {
        _ = LibavLog.isSilenced
        context = avcodec_alloc_context3(codec)
        frame = av_frame_alloc()
        packet = av_packet_alloc()
        guard let context, let frame, packet != nil else {
            throw .outOfMemory("avcodec_alloc_context3")
        }
        context.pointee.width = Int32(width)
        context.pointee.height = Int32(height)
        context.pointee.pix_fmt = AV_PIX_FMT_RGB24
        context.pointee.time_base = AVRational(num: 1, den: 25)
        context.pointee.thread_count = 1
        try libav("avcodec_open2") { avcodec_open2(context, codec, nil) }
        frame.pointee.width = Int32(width)
        frame.pointee.height = Int32(height)
        frame.pointee.format = AV_PIX_FMT_RGB24.rawValue
        try libav("av_frame_get_buffer") { av_frame_get_buffer(frame, 0) }
    }

    deinit {
        avcodec_free_context(&context)
        av_frame_free(&frame)
        av_packet_free(&packet)
    }

    /// Encodes a picture of red, green, blue and alpha; alpha is left out.
    func encode(_ colours: CVPixelBuffer) throws(LibavError) -> [UInt8] {
        guard let frame, let packet, let start = frame.pointee.data.0 else {
            throw .outOfMemory("av_frame_get_buffer")
        }
        let stride = Int(frame.pointee.linesize.0)
        colours.forEachRow { _, row, bytes in
            // SAFETY: the frame has as many rows as the buffer, and three bytes for each pixel of one.
            let target = start + row * stride
            for column in 0..<bytes.count / 4 {
                target[column * 3] = bytes[column * 4]
                target[column * 3 + 1] = bytes[column * 4 + 1]
                target[column * 3 + 2] = bytes[column * 4 + 2]
            }
        }
        try libav("avcodec_send_frame") { avcodec_send_frame(context, frame) }
        try libav("avcodec_receive_packet") { avcodec_receive_packet(context, packet) }
        return Array(
            UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }
}
