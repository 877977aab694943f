import CFFmpeg
import PixelBuffers
import Testing

/// A frame of libavutil's with memory of its own, its bytes a known pattern.
private func makeFrame(
    _ format: AVPixelFormat, _ width: Int32, _ height: Int32
) throws -> UnsafeMutablePointer<AVFrame> {
    let frame = try #require(av_frame_alloc())
    frame.pointee.format = format.rawValue
    frame.pointee.width = width
    frame.pointee.height = height
    try #require(av_frame_get_buffer(frame, 0) == 0)
    for plane in 0..<Int(av_pix_fmt_count_planes(format)) {
        let buffer = try #require(av_frame_get_plane_buffer(frame, Int32(plane)))
        for index in 0..<Int(buffer.pointee.size) {
            buffer.pointee.data[index] = UInt8(truncatingIfNeeded: index &* 7 &+ plane &* 31)
        }
    }
    return frame
}

/// The bytes as ffmpeg's rawvideo muxer writes them.
private func rawVideo(_ frame: UnsafeMutablePointer<AVFrame>) throws -> [UInt8] {
    let format = AVPixelFormat(rawValue: frame.pointee.format)
    let (width, height) = (frame.pointee.width, frame.pointee.height)
    let size = av_image_get_buffer_size(format, width, height, 1)
    try #require(size > 0)
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let data = [
        frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2, frame.pointee.data.3,
    ].map { $0.map { UnsafePointer($0) } }
    let strides = [
        frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
        frame.pointee.linesize.3,
    ]
    let written = av_image_copy_to_buffer(&bytes, size, data, strides, format, width, height, 1)
    #expect(written == size)
    return bytes
}

private func md5(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 16)
    av_md5_sum(&digest, bytes, bytes.count)
    return digest
}

private let formats: [AVPixelFormat] = [
    AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P,
    AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_NV12, AV_PIX_FMT_NV16, AV_PIX_FMT_NV24,
    AV_PIX_FMT_P010LE, AV_PIX_FMT_P210LE, AV_PIX_FMT_P410LE, AV_PIX_FMT_UYVY422, AV_PIX_FMT_BGRA,
    AV_PIX_FMT_ARGB, AV_PIX_FMT_RGBA, AV_PIX_FMT_GRAY8, AV_PIX_FMT_GRAY10LE,
    AV_PIX_FMT_YUV420P9LE, AV_PIX_FMT_YUV422P9LE, AV_PIX_FMT_YUV444P9LE, AV_PIX_FMT_YUV420P10LE,
    AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV420P12LE,
    AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_YUV420P14LE,
    AV_PIX_FMT_YUV422P14LE, AV_PIX_FMT_YUV444P14LE, AV_PIX_FMT_GBRP, AV_PIX_FMT_GBRP9LE,
    AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_GBRP12LE, AV_PIX_FMT_GBRP14LE,
]

@Suite("Pixel buffer over a frame")
struct CVPixelBufferFrameTests {
    @Test(arguments: formats)
    func `every native format is wrapped in place and hashed as ffmpeg does`(
        format: AVPixelFormat
    ) throws {
        for (width, height): (Int32, Int32) in [(33, 17), (16, 16), (1, 1)] {
            let frame = try makeFrame(format, width, height)
            let expected = md5(try rawVideo(frame))
            let name = String(cString: try #require(av_get_pix_fmt_name(format)))
            let address = frame.pointee.data.0
            let buffer = try CVPixelBuffer(wrapping: frame)
            #expect(buffer.pixelFormat.name == name)
            #expect(buffer.pixelFormat.avPixelFormat == format)
            #expect(buffer.width == Int(width))
            #expect(PixelBufferDigest(of: buffer).bytes == expected, "\(width)x\(height)")
            buffer.withPlanes { planes in
                #expect(planes.addresses[0] == address, "no copy")
            }
            // A buffer of its own has planes of the same sizes.
            let own = try CVPixelBuffer(
                width: Int(width), height: Int(height), pixelFormat: buffer.pixelFormat)
            for plane in 0..<own.planeCount {
                #expect(own.width(ofPlane: plane) == buffer.width(ofPlane: plane))
                #expect(own.height(ofPlane: plane) == buffer.height(ofPlane: plane))
            }
            buffer.forEachRow { plane, row, bytes in
                own.lockBaseAddress()
                let start = own.baseAddress(ofPlane: plane) ?? own.baseAddress
                let stride = own.isPlanar ? own.bytesPerRow(ofPlane: plane) : own.bytesPerRow
                start.map { $0 + row * stride }?.copyMemory(
                    from: bytes.baseAddress!, byteCount: bytes.count)
                own.unlockBaseAddress()
            }
            #expect(own.md5 == buffer.md5)
        }
    }

    @Test func `the digest is written as framemd5 writes it`() throws {
        let buffer = try CVPixelBuffer(width: 2, height: 1, pixelFormat: .oneComponent8)
        buffer.lockBaseAddress()
        buffer.baseAddress?.storeBytes(of: 0x61, as: UInt8.self)
        buffer.baseAddress?.storeBytes(of: 0x62, toByteOffset: 1, as: UInt8.self)
        buffer.unlockBaseAddress()
        // md5("ab")
        #expect(buffer.md5 == "187ef4436122d1cc2f40dc2b92f0eba0")
    }

    @Test func `applied cropping is honoured`() throws {
        let frame = try makeFrame(AV_PIX_FMT_YUV420P, 32, 32)
        frame.pointee.crop_left = 4
        frame.pointee.crop_top = 2
        frame.pointee.crop_right = 6
        frame.pointee.crop_bottom = 8
        let original = try #require(frame.pointee.data.0)
        let stride = Int(frame.pointee.linesize.0)
        try #require(av_frame_apply_cropping(frame, Int32(AV_FRAME_CROP_UNALIGNED)) == 0)
        let expected = md5(try rawVideo(frame))
        let buffer = try CVPixelBuffer(wrapping: frame)
        #expect(buffer.width == 22)
        #expect(buffer.height == 22)
        #expect(buffer.width(ofPlane: 1) == 11)
        buffer.withPlanes { planes in #expect(planes.addresses[0] == original + 2 * stride + 4) }
        #expect(PixelBufferDigest(of: buffer).bytes == expected)
    }

    @Test func `a frame in an unknown format or without data is refused`() throws {
        let frame = try makeFrame(AV_PIX_FMT_PAL8, 8, 8)
        #expect(throws: CVError.invalidPixelFormat) { try CVPixelBuffer(wrapping: frame) }
        let empty = try #require(av_frame_alloc())
        empty.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        empty.pointee.width = 8
        empty.pointee.height = 8
        #expect(throws: CVError.invalidArgument) { try CVPixelBuffer(wrapping: empty) }
    }

    @Test func `P-11 a frame that others refer to is not modifiable`() throws {
        let frame = try makeFrame(AV_PIX_FMT_YUV420P, 8, 8)
        var reference = av_frame_clone(frame)
        let buffer = try CVPixelBuffer(wrapping: frame)
        #expect(!buffer.isModifiable)
        av_frame_free(&reference)
        #expect(buffer.isModifiable)
        #expect(try CVPixelBuffer(width: 8, height: 8, pixelFormat: .bgra32).isModifiable)
    }

    @Test func `a frame's tags become attachments`() throws {
        let frame = try makeFrame(AV_PIX_FMT_NV12, 8, 8)
        frame.pointee.colorspace = AVCOL_SPC_BT709
        frame.pointee.color_primaries = AVCOL_PRI_SMPTE170M
        frame.pointee.color_trc = AVCOL_TRC_GAMMA28
        frame.pointee.color_range = AVCOL_RANGE_JPEG
        frame.pointee.chroma_location = AVCHROMA_LOC_LEFT
        frame.pointee.sample_aspect_ratio = AVRational(num: 12, den: 11)
        let attachments = CVBufferAttachments(tagsOf: frame)
        #expect(attachments[.yCbCrMatrix] == .itu_R_709_2)
        #expect(attachments[.colorPrimaries] == .smpte_C)
        #expect(attachments[.transferFunction] == .useGamma)
        #expect(attachments[.gammaLevel] == 2.8)
        #expect(attachments[.chromaLocationTopField] == .left)
        #expect(attachments[.fullRange] == true)
        #expect(attachments[.pixelAspectRatio]?.ratio == 12.0 / 11)
        #expect(attachments[.fieldCount] == nil)
        let buffer = try CVPixelBuffer(wrapping: frame)
        #expect(buffer.pixelFormat == .yCbCr420BiPlanarFullRange)
        #expect(buffer.isFullRange)
    }

    @Test func `code points and strings agree`() {
        #expect(YCbCrMatrix(codePoint: 5) == YCbCrMatrix(codePoint: 6))
        #expect(YCbCrMatrix(codePoint: 2) == nil)
        #expect(YCbCrMatrix(codePoint: 0) == nil)
        for code in [1, 6, 7, 9] { #expect(YCbCrMatrix(codePoint: code)?.codePoint == code) }
        for code in [1, 5, 6, 9, 11, 12] {
            #expect(ColorPrimaries(codePoint: code)?.codePoint == code)
        }
        #expect(TransferFunction(codePoint: 16)?.rawValue == "SMPTE_ST_2084_PQ")
        #expect(TransferFunction(codePoint: 18)?.rawValue == "ITU_R_2100_HLG")
        #expect(TransferFunction(codePoint: 3) == nil)
        #expect(ChromaLocation(codePoint: 0) == .left)
        #expect(ChromaLocation(codePoint: 6) == nil)
    }
}
