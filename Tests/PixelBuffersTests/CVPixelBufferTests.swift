import PixelBuffers
import Synchronization
import Testing

/// Counts calls from any thread.
final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

@Suite("Pixel buffer")
struct CVPixelBufferTests {
    @Test(arguments: [(16, 16, 8, 8), (15, 7, 8, 4), (1, 1, 1, 1), (1920, 1080, 960, 540)])
    func `P-1 bi-planar 4:2:0 has a luma plane and one of chroma pairs`(
        width: Int, height: Int, chromaWidth: Int, chromaHeight: Int
    ) throws {
        for format in [
            CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange,
        ] {
            let buffer = try CVPixelBuffer(width: width, height: height, pixelFormat: format)
            #expect(buffer.isPlanar)
            #expect(buffer.planeCount == 2)
            #expect(buffer.width(ofPlane: 0) == width)
            #expect(buffer.height(ofPlane: 0) == height)
            #expect(buffer.width(ofPlane: 1) == chromaWidth)
            #expect(buffer.height(ofPlane: 1) == chromaHeight)
            #expect(buffer.bytesPerRow(ofPlane: 1) >= chromaWidth * 2)
        }
    }

    @Test func `P-1 planar 4:2:0 has three planes, BGRA none`() throws {
        let planar = try CVPixelBuffer(width: 5, height: 5, pixelFormat: .yCbCr420Planar)
        #expect(planar.planeCount == 3)
        #expect(planar.width(ofPlane: 2) == 3)
        #expect(planar.height(ofPlane: 2) == 3)
        let packed = try CVPixelBuffer(width: 5, height: 5, pixelFormat: .bgra32)
        #expect(!packed.isPlanar)
        #expect(packed.planeCount == 0)
        #expect(packed.bytesPerRow >= 20)
    }

    @Test func `P-1 codes are Apple's four characters`() {
        #expect(CVPixelFormatType.yCbCr420BiPlanarVideoRange.rawValue == 0x3432_3076)
        #expect(CVPixelFormatType.yCbCr420BiPlanarFullRange.rawValue == 0x3432_3066)
        #expect(CVPixelFormatType.yCbCr420Planar.rawValue == 0x7934_3230)
        #expect(CVPixelFormatType.yCbCr420PlanarFullRange.rawValue == 0x6634_3230)
        #expect(CVPixelFormatType.bgra32.rawValue == 0x4247_5241)
        #expect(CVPixelFormatType.argb32.rawValue == 0x20)
        #expect(CVPixelFormatType.yCbCr422Packed.rawValue == 0x3276_7579)
        #expect(CVPixelFormatType.rgba32.rawValue == 0x5247_4241)
    }

    @Test func `P-2 an unknown format is invalid`() {
        #expect(throws: CVError.invalidPixelFormat) {
            try CVPixelBuffer(width: 2, height: 2, pixelFormat: .init(rawValue: 0x1234_5678))
        }
        #expect(CVError.invalidPixelFormat.code == -6680)
    }

    @Test(arguments: [(0, 2), (2, 0), (-1, 2), (2, -1), (65536, 1), (65535, 65535)])
    func `P-2 sizes must be positive and possible`(width: Int, height: Int) {
        #expect(throws: CVError.invalidSize) {
            try CVPixelBuffer(width: width, height: height, pixelFormat: .bgra32)
        }
        #expect(CVError.invalidSize.code == -6681)
    }

    @Test func `P-2 attributes must make sense`() {
        let changes: [(inout CVPixelBufferAttributes) -> Void] = [
            { $0.bytesPerRowAlignment = 0 }, { $0.bytesPerRowAlignment = 48 },
            { $0.planeAlignment = -64 }, { $0.extendedPixelsLeft = -1 },
            { $0.extendedPixelsBottom = 1 << 40 },
        ]
        for change in changes {
            var attributes = CVPixelBufferAttributes()
            change(&attributes)
            #expect(throws: CVError.invalidPixelBufferAttributes) {
                try CVPixelBuffer(
                    width: 2, height: 2, pixelFormat: .bgra32, attributes: attributes)
            }
        }
        #expect(CVError.invalidPixelBufferAttributes.code == -6682)
    }

    @Test func `P-3 rows are aligned and planes lie in one allocation`() throws {
        for format in [
            CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420Planar, .yuv422p10, .gbrp,
        ] {
            for alignment in [1, 16, 64, 256] {
                var attributes = CVPixelBufferAttributes()
                attributes.bytesPerRowAlignment = alignment
                let buffer = try CVPixelBuffer(
                    width: 33, height: 7, pixelFormat: format, attributes: attributes)
                buffer.lockBaseAddress(.readOnly)
                let start = try #require(buffer.baseAddress)
                for plane in 0..<buffer.planeCount {
                    let stride = buffer.bytesPerRow(ofPlane: plane)
                    #expect(stride % alignment == 0)
                    #expect(stride >= buffer.width(ofPlane: plane))
                    let offset = try #require(buffer.baseAddress(ofPlane: plane)) - start
                    let end = offset + stride * buffer.height(ofPlane: plane)
                    #expect(offset >= 0)
                    #expect(end <= buffer.bytesPerRow * buffer.height, "all planes are covered")
                    #expect(end <= buffer.dataSize)
                }
                buffer.unlockBaseAddress(.readOnly)
            }
        }
        let plain = try CVPixelBuffer(width: 33, height: 7, pixelFormat: .bgra32)
        #expect(plain.bytesPerRow == 192)
    }

    @Test func `P-4 addresses exist between lock and unlock only`() throws {
        let buffer = try CVPixelBuffer(
            width: 4, height: 4, pixelFormat: .yCbCr420BiPlanarVideoRange)
        #expect(buffer.baseAddress == nil)
        #expect(buffer.baseAddress(ofPlane: 1) == nil)
        #expect(buffer.lockBaseAddress() == 0)
        #expect(buffer.lockBaseAddress(.readOnly) == 0)
        #expect(buffer.baseAddress(ofPlane: 1) != nil)
        #expect(buffer.unlockBaseAddress() == 0)
        #expect(buffer.baseAddress(ofPlane: 1) != nil, "locks nest")
        #expect(buffer.unlockBaseAddress() == -6661, "the write lock is gone")
        #expect(buffer.baseAddress != nil)
        #expect(buffer.unlockBaseAddress(.readOnly) == 0)
        #expect(buffer.baseAddress == nil)
        #expect(buffer.unlockBaseAddress(.readOnly) == -6661)
        #expect(buffer.lockBaseAddress(.init(rawValue: 8)) == -6661)
    }

    @Test func `P-5 what is not a plane is nothing`() throws {
        let packed = try CVPixelBuffer(width: 4, height: 4, pixelFormat: .bgra32)
        let planar = try CVPixelBuffer(
            width: 4, height: 4, pixelFormat: .yCbCr420BiPlanarVideoRange)
        packed.lockBaseAddress(.readOnly)
        planar.lockBaseAddress(.readOnly)
        defer {
            packed.unlockBaseAddress(.readOnly)
            planar.unlockBaseAddress(.readOnly)
        }
        for (buffer, plane) in [(packed, 0), (planar, 2), (planar, -1), (planar, .max)] {
            #expect(buffer.width(ofPlane: plane) == 0)
            #expect(buffer.height(ofPlane: plane) == 0)
            #expect(buffer.bytesPerRow(ofPlane: plane) == 0)
            #expect(buffer.baseAddress(ofPlane: plane) == nil)
        }
        #expect(packed.baseAddress != nil)
    }

    @Test func `P-6 borrowed memory is released once, at the end`() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 400, alignment: 16)
        defer { memory.deallocate() }
        let released = Counter()
        do {
            let buffer = try CVPixelBuffer(
                width: 10, height: 10, pixelFormat: .bgra32, borrowing: memory, bytesPerRow: 40
            ) { released.increment() }
            buffer.lockBaseAddress()
            #expect(buffer.baseAddress == memory)
            buffer.unlockBaseAddress()
            #expect(buffer.bytesPerRow == 40)
            #expect(released.value == 0)
        }
        #expect(released.value == 1)
        do {
            let planes = [
                CVPixelBufferPlane(baseAddress: memory, width: 10, height: 10, bytesPerRow: 10),
                CVPixelBufferPlane(
                    baseAddress: memory + 200, width: 5, height: 5, bytesPerRow: 12),
            ]
            let buffer = try CVPixelBuffer(
                width: 10, height: 10, pixelFormat: .yCbCr420BiPlanarVideoRange, borrowing: planes
            ) { released.increment() }
            buffer.lockBaseAddress(.readOnly)
            #expect(buffer.baseAddress(ofPlane: 1) == memory + 200)
            #expect(buffer.bytesPerRow(ofPlane: 1) == 12)
            buffer.unlockBaseAddress(.readOnly)
        }
        #expect(released.value == 2)
    }

    @Test func `P-6 planes that do not fit are refused and not released`() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 400, alignment: 16)
        defer { memory.deallocate() }
        let released = Counter()
        #expect(throws: CVError.invalidArgument) {
            try CVPixelBuffer(
                width: 10, height: 10, pixelFormat: .bgra32, borrowing: memory, bytesPerRow: 39
            ) { released.increment() }
        }
        #expect(throws: CVError.invalidArgument) {
            try CVPixelBuffer(
                width: 10, height: 10, pixelFormat: .yCbCr420BiPlanarVideoRange,
                borrowing: memory, bytesPerRow: 40
            ) { released.increment() }
        }
        #expect(released.value == 0)
    }

    @Test func `P-7 an attachment has one value and one mode`() throws {
        let buffer = try CVPixelBuffer(width: 2, height: 2, pixelFormat: .bgra32)
        buffer.attachments["a"] = .shouldPropagate(1)
        buffer.attachments["a"] = .shouldNotPropagate("one")
        #expect(buffer.attachments.count == 1)
        #expect(buffer.attachments["a"]?.value as? String == "one")
        #expect(buffer.attachments["a"]?.mode == .shouldNotPropagate)
        buffer.attachments["a"] = nil
        #expect(buffer.attachments.isEmpty)
    }

    @Test func `P-7 only what should propagate propagates`() throws {
        let first = try CVPixelBuffer(width: 2, height: 2, pixelFormat: .bgra32)
        let second = try CVPixelBuffer(width: 2, height: 2, pixelFormat: .bgra32)
        first.attachments[.yCbCrMatrix] = .itu_R_709_2
        first.attachments["any"] = .shouldPropagate([1, 2])
        first.attachments.set(true, for: .damaged, mode: .shouldNotPropagate)
        second.attachments[.yCbCrMatrix] = .itu_R_601_4
        second.attachments["own"] = .shouldNotPropagate(3)
        first.propagateAttachments(to: second)
        #expect(second.attachments[.yCbCrMatrix] == .itu_R_709_2)
        #expect(second.attachments["any"]?.value as? [Int] == [1, 2])
        #expect(second.attachments[.damaged] == nil)
        #expect(second.attachments["own"] != nil)
        #expect(Set(second.attachments.propagated.keys) == ["CVImageBufferYCbCrMatrix", "any"])
        #expect(Set(second.attachments.nonPropagated.keys) == ["own"])
    }

    @Test func `P-10 sizes know clean aperture and pixel aspect`() throws {
        let buffer = try CVPixelBuffer(width: 720, height: 576, pixelFormat: .bgra32)
        #expect(buffer.displaySize == ImageSize(width: 720, height: 576))
        #expect(buffer.cleanRect == ImageRect(x: 0, y: 0, width: 720, height: 576))
        buffer.attachments[.pixelAspectRatio] = PixelAspectRatio(
            horizontalSpacing: 16, verticalSpacing: 11)
        buffer.attachments[.cleanAperture] = CleanAperture(
            width: 704, height: 570, horizontalOffset: 2, verticalOffset: -1)
        #expect(buffer.encodedSize == ImageSize(width: 720, height: 576))
        #expect(buffer.displaySize == ImageSize(width: 1024, height: 570))
        // The centre lies one row above the picture's: further from the bottom.
        #expect(buffer.cleanRect == ImageRect(x: 10, y: 4, width: 704, height: 570))
    }

    @Test func `extended pixels surround the picture and repeat its edge`() throws {
        var attributes = CVPixelBufferAttributes()
        attributes.extendedPixelsLeft = 3
        attributes.extendedPixelsRight = 5
        attributes.extendedPixelsTop = 2
        attributes.extendedPixelsBottom = 1
        let buffer = try CVPixelBuffer(
            width: 3, height: 3, pixelFormat: .oneComponent8, attributes: attributes)
        buffer.lockBaseAddress()
        defer { buffer.unlockBaseAddress() }
        let start = try #require(buffer.baseAddress)
        let stride = buffer.bytesPerRow
        for row in 0..<3 {
            for column in 0..<3 {
                start.storeBytes(
                    of: UInt8(10 * row + column), toByteOffset: row * stride + column,
                    as: UInt8.self)
            }
        }
        buffer.fillExtendedPixels()
        func sample(_ row: Int, _ column: Int) -> UInt8 {
            start.load(fromByteOffset: row * stride + column, as: UInt8.self)
        }
        for row in -2..<4 {
            for column in -3..<8 {
                let expected = 10 * min(max(row, 0), 2) + min(max(column, 0), 2)
                #expect(sample(row, column) == UInt8(expected))
            }
        }
    }
}
