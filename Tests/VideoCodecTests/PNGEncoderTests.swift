import CFFmpeg
import Glibc
import MediaTime
import PixelBuffers
import Testing
import VideoCodec

@Suite("PNG encoder")
struct PNGEncoderTests {
    /// The pixels of a PNG file as libavcodec reads it, three bytes each, rows without padding.
    private func pixels(_ png: [UInt8], width: Int, height: Int) throws -> [UInt8] {
        let codec = try #require(avcodec_find_decoder(AV_CODEC_ID_PNG))
        var context = avcodec_alloc_context3(codec)
        var packet = av_packet_alloc()
        var frame = av_frame_alloc()
        defer {
            avcodec_free_context(&context)
            av_packet_free(&packet)
            av_frame_free(&frame)
        }
        try #require(avcodec_open2(context, codec, nil) == 0)
        try #require(av_new_packet(packet, Int32(png.count)) == 0)
        let decoded = try #require(frame)
        packet?.pointee.data.update(from: png, count: png.count)
        try #require(avcodec_send_packet(context, packet) == 0)
        try #require(avcodec_receive_frame(context, frame) == 0)
        try #require(decoded.pointee.format == AV_PIX_FMT_RGB24.rawValue)
        try #require(decoded.pointee.width == width && decoded.pointee.height == height)
        let start = try #require(decoded.pointee.data.0)
        return (0..<height).flatMap { row in
            UnsafeBufferPointer(
                start: start + row * Int(decoded.pointee.linesize.0), count: width * 3)
        }
    }

    @Test("Every pixel comes back, in a size that is a multiple of nothing")
    func colours() throws {
        let (width, height) = (37, 11)
        let buffer = try CVPixelBuffer(width: width, height: height, pixelFormat: .rgba32)
        buffer.lockBaseAddress()
        let base = try #require(buffer.baseAddress).assumingMemoryBound(to: UInt8.self)
        var expected: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                let colour = [UInt8(row * 20), UInt8(column * 6), UInt8((row ^ column) & 255)]
                for (index, value) in (colour + [255]).enumerated() {
                    base[row * buffer.bytesPerRow + column * 4 + index] = value
                }
                expected += colour
            }
        }
        buffer.unlockBaseAddress()
        #expect(
            try pixels(PNGEncoder.encode(buffer), width: width, height: height) == expected)
    }

    /// Y, Cb and Cr of one colour, and what each matrix makes of it.
    @Test(
        "The matrix and the range are the picture's",
        arguments: [
            (YCbCrMatrix.itu_R_601_4, CVPixelFormatType.yCbCr420Planar, [226, 79, 61]),
            (.itu_R_709_2, .yCbCr420Planar, [239, 92, 58]),
            (.itu_R_601_4, .yCbCr420PlanarFullRange, [213, 83, 67]),
        ])
    func matrix(
        _ matrix: YCbCrMatrix, _ format: CVPixelFormatType, _ expected: [Int]
    ) throws {
        let buffer = try CVPixelBuffer(width: 16, height: 16, pixelFormat: format)
        buffer.attachments[.yCbCrMatrix] = matrix
        buffer.lockBaseAddress()
        for (plane, value) in [120, 98, 194].enumerated() {
            let base = try #require(buffer.baseAddress(ofPlane: plane))
            memset(
                base, Int32(value),
                buffer.bytesPerRow(ofPlane: plane)
                    * buffer.height(ofPlane: plane))
        }
        buffer.unlockBaseAddress()
        let pixel = try pixels(PNGEncoder.encode(buffer), width: 16, height: 16).prefix(3)
        for (value, wanted) in zip(pixel, expected) { #expect(abs(Int(value) - wanted) <= 1) }
    }
}
