import TerminalGraphics

/// A picture in memory that scalers and renderers can be given: planes of 8 or 16 bits.
final class TestPicture {
    let size: PixelSize
    private let pixelFormat: Int32
    private var planes: [[UInt8]]
    private let strides: [Int]
    var matrix = ColorMatrix.bt709
    var range = ColorRange.limited

    /// FFmpeg's numbers of `yuv420p`, `yuv444p`, `nv12`, `gray`, `yuv420p10le`.
    enum Format: Int32, CaseIterable {
        case yuv420p = 0
        case yuv422p = 4
        case yuv444p = 5
        case gray = 8
        case nv12 = 23
        case yuv420p10 = 62
    }

    /// Makes a picture from luma, Cb and Cr of 8 bits by place (luma's coordinates).
    init(
        _ width: Int, _ height: Int, _ format: Format = .yuv444p,
        _ code: (_ x: Int, _ y: Int) -> (y: UInt8, cb: UInt8, cr: UInt8)
    ) {
        size = PixelSize(width: width, height: height)
        pixelFormat = format.rawValue
        let across = format == .yuv444p || format == .gray ? 0 : 1
        let down = format == .yuv444p || format == .gray || format == .yuv422p ? 0 : 1
        let chromaWidth = (width + across) >> across
        let chromaHeight = (height + down) >> down
        var luma: [UInt8] = []
        var cb: [UInt8] = []
        var cr: [UInt8] = []
        for y in 0..<height { for x in 0..<width { luma.append(code(x, y).y) } }
        for y in 0..<chromaHeight {
            for x in 0..<chromaWidth {
                let sample = code(min(x << across, width - 1), min(y << down, height - 1))
                cb.append(sample.cb)
                cr.append(sample.cr)
            }
        }
        switch format {
        case .gray:
            planes = [luma]
            strides = [width]
        case .nv12:
            planes = [luma, zip(cb, cr).flatMap { [$0, $1] }]
            strides = [width, chromaWidth * 2]
        case .yuv420p10:
            func wide(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 << 2, $0 >> 6] } }
            planes = [wide(luma), wide(cb), wide(cr)]
            strides = [width * 2, chromaWidth * 2, chromaWidth * 2]
        default:
            planes = [luma, cb, cr]
            strides = [width, chromaWidth, chromaWidth]
        }
        // What libswscale may read behind the last row.
        for plane in planes.indices { planes[plane] += [UInt8](repeating: 0, count: 64) }
    }

    /// Noise that depends on the seed alone.
    static func noise(_ width: Int, _ height: Int, seed: UInt64) -> TestPicture {
        var random = Random(seed: seed)
        return TestPicture(width, height) { _, _ in
            (
                UInt8.random(in: 16...235, using: &random),
                UInt8.random(in: 60...200, using: &random),
                UInt8.random(in: 60...200, using: &random)
            )
        }
    }

    func withSource<R>(_ body: (SourcePicture) throws -> R) throws -> R {
        try withPointers([]) { pointers in
            var source = SourcePicture(
                pixelFormat: pixelFormat, size: size,
                planes: .init { $0 < pointers.count ? pointers[$0] : nil },
                strides: .init { $0 < self.strides.count ? Int32(self.strides[$0]) : 0 },
                matrix: matrix, range: range)
            source.chromaSiting = .center
            return try body(source)
        }
    }

    private func withPointers<R>(
        _ pointers: [UnsafePointer<UInt8>], _ body: ([UnsafePointer<UInt8>]) throws -> R
    ) throws -> R {
        guard pointers.count < planes.count else { return try body(pointers) }
        return try planes[pointers.count].withUnsafeBufferPointer {
            try withPointers(pointers + [$0.baseAddress!], body)
        }
    }

    /// Changes one pixel's luma, of 8 bits.
    func invert(x: Int, y: Int) { planes[0][y * strides[0] + x] ^= 0x60 }

    /// Draws it.
    func rendered(by renderer: any SourceRenderer) throws -> RenderedPicture {
        try withSource { try renderer.render($0, sampleAspectRatio: .square) }
    }
}

/// A small generator whose numbers are the same everywhere.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
