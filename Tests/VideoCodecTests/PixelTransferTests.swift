import PixelBuffers
import Testing
import VideoCodec

/// VTPixelTransferSession: table 2.10.
@Suite("Pixel transfer session")
struct PixelTransferTests {
    /// A buffer filled with one sample of each plane, or one pixel.
    private func buffer(
        _ width: Int, _ height: Int, _ format: CVPixelFormatType = .yCbCr420BiPlanarVideoRange,
        luma: UInt8 = 0
    ) throws -> CVPixelBuffer {
        let buffer = try CVPixelBuffer(width: width, height: height, pixelFormat: format)
        buffer.lockBaseAddress()
        defer { buffer.unlockBaseAddress() }
        for plane in 0..<max(buffer.planeCount, 1) {
            let base = buffer.isPlanar ? buffer.baseAddress(ofPlane: plane) : buffer.baseAddress
            let rows = buffer.isPlanar ? buffer.height(ofPlane: plane) : height
            let stride = buffer.isPlanar ? buffer.bytesPerRow(ofPlane: plane) : buffer.bytesPerRow
            for index in 0..<rows * stride {
                base!.storeBytes(of: plane == 0 ? luma : 128, toByteOffset: index, as: UInt8.self)
            }
        }
        return buffer
    }

    private func luma(_ buffer: CVPixelBuffer, _ x: Int, _ y: Int) -> UInt8 {
        buffer.lockBaseAddress(.readOnly)
        defer { buffer.unlockBaseAddress(.readOnly) }
        return buffer.baseAddress(ofPlane: 0)!.load(
            fromByteOffset: y * buffer.bytesPerRow(ofPlane: 0) + x, as: UInt8.self)
    }

    @Test func `pictures are stretched unless said`() throws {
        let session = VTPixelTransferSession()
        let destination = try buffer(40, 90)
        #expect(
            session.transferImage(from: try buffer(64, 48, luma: 180), to: destination) == 0)
        for (x, y) in [(0, 0), (39, 0), (0, 89), (39, 89)] {
            #expect(abs(Int(luma(destination, x, y)) - 180) <= 1)
        }
    }

    @Test func `a letterbox keeps the shape, with black beside it`() throws {
        let session = VTPixelTransferSession()
        session.scalingMode = .letterbox
        let tall = try buffer(64, 64)
        #expect(session.transferImage(from: try buffer(64, 32, luma: 180), to: tall) == 0)
        // 64 x 32 in the middle of 64 x 64.
        #expect(luma(tall, 30, 14) == 16 && luma(tall, 30, 49) == 16)
        #expect(luma(tall, 30, 18) == 180 && luma(tall, 0, 32) == 180 && luma(tall, 63, 46) == 180)

        let wide = try buffer(128, 32)
        let narrow = try buffer(32, 32, luma: 180)
        narrow.updateAttachments {
            $0[.pixelAspectRatio] = PixelAspectRatio(horizontalSpacing: 2, verticalSpacing: 1)
        }
        session.destinationPixelAspectRatio = PixelAspectRatio(
            horizontalSpacing: 1, verticalSpacing: 1)
        #expect(session.transferImage(from: narrow, to: wide) == 0)
        // Shown 64 wide.
        #expect(luma(wide, 28, 16) == 16 && luma(wide, 99, 16) == 16)
        #expect(luma(wide, 34, 16) == 180 && luma(wide, 93, 16) == 180)
        #expect(wide.attachments[.pixelAspectRatio]?.ratio == 1)
    }

    @Test func `trimming covers all and cuts off two sides`() throws {
        let source = try buffer(64, 32, luma: 180)
        source.lockBaseAddress()
        for row in 0..<32 {
            for column in [0, 1, 2, 3, 60, 61, 62, 63] {
                source.baseAddress(ofPlane: 0)!.storeBytes(
                    of: 40, toByteOffset: row * source.bytesPerRow(ofPlane: 0) + column,
                    as: UInt8.self)
            }
        }
        source.unlockBaseAddress()
        let session = VTPixelTransferSession()
        session.scalingMode = .trim
        let square = try buffer(32, 32)
        #expect(session.transferImage(from: source, to: square) == 0)
        for (x, y) in [(0, 0), (31, 0), (0, 31), (31, 31), (16, 16)] {
            #expect(luma(square, x, y) == 180)
        }
    }

    @Test func `the clean aperture is what is cropped to`() throws {
        let source = try buffer(64, 48, luma: 40)
        source.lockBaseAddress()
        for row in 8..<40 {
            for column in 16..<48 {
                source.baseAddress(ofPlane: 0)!.storeBytes(
                    of: 180, toByteOffset: row * source.bytesPerRow(ofPlane: 0) + column,
                    as: UInt8.self)
            }
        }
        source.unlockBaseAddress()
        source.updateAttachments { $0[.cleanAperture] = CleanAperture(width: 32, height: 32) }
        let session = VTPixelTransferSession()
        let destination = try buffer(32, 32)
        session.transferImage(from: source, to: destination)
        #expect(luma(destination, 0, 0) < 60)
        session.scalingMode = .cropSourceToCleanAperture
        session.transferImage(from: source, to: destination)
        #expect(luma(destination, 0, 0) == 180 && luma(destination, 31, 31) == 180)
        #expect(destination.attachments[.cleanAperture] == nil, "the copy has none")
        session.destinationCleanAperture = CleanAperture(width: 16, height: 16)
        session.scalingMode = .letterbox
        session.transferImage(from: source, to: destination)
        #expect(luma(destination, 4, 4) == 16 && luma(destination, 16, 16) == 180)
        #expect(destination.attachments[.cleanAperture]?.width == 16)
    }

    @Test func `formats are converted, by the matrix of the destination for colours`() throws {
        let session = VTPixelTransferSession()
        let red = try CVPixelBuffer(width: 16, height: 16, pixelFormat: .bgra32)
        red.lockBaseAddress()
        for index in 0..<16 * red.bytesPerRow / 4 {
            red.baseAddress!.storeBytes(
                of: 0xFFFF_0000, toByteOffset: 4 * index, as: UInt32.self)
        }
        red.unlockBaseAddress()
        for (matrix, expected) in [(YCbCrMatrix.itu_R_601_4, 81), (.itu_R_709_2, 63)] {
            session.destinationYCbCrMatrix = matrix
            let destination = try buffer(16, 16)
            #expect(session.transferImage(from: red, to: destination) == 0)
            #expect(abs(Int(luma(destination, 8, 8)) - expected) <= 1)
            #expect(destination.attachments[.yCbCrMatrix] == matrix)
        }
        let full = try buffer(16, 16, .yCbCr420BiPlanarFullRange)
        #expect(session.transferImage(from: try buffer(16, 16, luma: 235), to: full) == 0)
        #expect(luma(full, 3, 3) == 255)
    }

    @Test func `old attachments go, and those that propagate come`() throws {
        let source = try buffer(16, 16)
        source.updateAttachments { attachments in
            attachments[.colorPrimaries] = .itu_R_2020
            attachments.set(.itu_R_709_2, for: .transferFunction, mode: .shouldNotPropagate)
            attachments["somebody's"] = .shouldPropagate(7)
        }
        let destination = try buffer(16, 16)
        destination.updateAttachments { $0[.fieldCount] = 2 }
        let session = VTPixelTransferSession()
        session.transferImage(from: source, to: destination)
        #expect(
            Set(destination.attachments.names) == ["CVImageBufferColorPrimaries", "somebody's"])
        session.destinationColorPrimaries = .smpte_C
        session.transferImage(from: source, to: destination)
        #expect(destination.attachments[.colorPrimaries] == .smpte_C)
    }

    @Test func `what cannot be converted is told`() throws {
        let session = VTPixelTransferSession()
        let odd = try CVPixelBuffer(width: 16, height: 16, pixelFormat: .yCbCr422BiPlanarVideoRange)
        let destination = try buffer(16, 16)
        // That of FFmpeg 5.1 cannot read two planes of 4:2:2.
        if LibavVersions.text.contains("libswscale 6.") {
            #expect(session.transferImage(from: odd, to: destination) == -12905)
        }
        session.invalidate()
        #expect(session.transferImage(from: odd, to: destination) == -12903)
    }
}
