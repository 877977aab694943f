import Testing
import TerminalGraphics

@Suite("Picture scaler")
struct PictureScalerTests {
    /// Red and blue weights of a matrix.
    private func weights(_ matrix: ColorMatrix) -> (red: Double, blue: Double) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        case .smpte240: (0.212, 0.087)
        }
    }

    /// Codes of a colour, by the formulas of the standard.
    private func code(
        _ color: (Double, Double, Double), _ matrix: ColorMatrix, _ range: ColorRange
    ) -> (y: UInt8, cb: UInt8, cr: UInt8) {
        let (red, blue) = weights(matrix)
        let y = red * color.0 + (1 - red - blue) * color.1 + blue * color.2
        let cb = (color.2 - y) / (2 * (1 - blue))
        let cr = (color.0 - y) / (2 * (1 - red))
        let (lumaScale, chromaScale, black) =
            range == .full ? (255.0, 255.0, 0.0) : (219.0, 224.0, 16.0)
        func clamped(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        return (
            clamped(y * lumaScale + black), clamped(cb * chromaScale + 128),
            clamped(cr * chromaScale + 128)
        )
    }

    static let bars: [(Double, Double, Double)] = [
        (0.75, 0.75, 0.75), (0.75, 0.75, 0), (0, 0.75, 0.75), (0, 0.75, 0), (0.75, 0, 0.75),
        (0.75, 0, 0), (0, 0, 0.75), (0, 0, 0), (1, 1, 1), (0.5, 0.2, 0.1), (0.9, 0.7, 0.6),
    ]

    @Test(
        "colour bars come out right", arguments: ColorMatrix.allCases,
        [PictureScaler.Precision.exact, .stable])
    func bars(matrix: ColorMatrix, precision: PictureScaler.Precision) throws {
        for range in ColorRange.allCases {
            for format in TestPicture.Format.allCases where format != .gray {
                let picture = TestPicture(Self.bars.count * 16, 64, format) { x, _ in
                    code(Self.bars[x / 16], matrix, range)
                }
                picture.matrix = matrix
                picture.range = range
                let planes = RGBPlanes()
                planes.resize(to: PixelSize(width: Self.bars.count * 4, height: 16))
                let scaler = PictureScaler(precision: precision)
                try picture.withSource { try scaler.scale($0, into: planes) }
                for (index, bar) in Self.bars.enumerated() {
                    // The bar's second column: beside it chroma of the next one may mix in.
                    let at = 8 * planes.stride + index * 4 + 1
                    let got = [planes.red[at], planes.green[at], planes.blue[at]].map(Double.init)
                    let wanted = [bar.0 * 255, bar.1 * 255, bar.2 * 255]
                    for (one, other) in zip(got, wanted) {
                        #expect(abs(one - other) <= 2, "\(matrix) \(range) \(format) \(bar) \(got)")
                    }
                }
            }
        }
    }

    @Test("shrinking is the mean of the area")
    func area() throws {
        var random = Random(seed: 4)
        var luma: [[UInt8]] = []
        for _ in 0..<48 {
            luma.append((0..<48).map { _ in UInt8.random(in: 16...235, using: &random) })
        }
        let picture = TestPicture(48, 48) { (luma[$1][$0], 128, 128) }
        let planes = RGBPlanes()
        planes.resize(to: PixelSize(width: 4, height: 4))
        try picture.withSource { try PictureScaler().scale($0, into: planes) }
        for y in 0..<4 {
            for x in 0..<4 {
                var sum = 0.0
                for row in 0..<12 {
                    for column in 0..<12 { sum += Double(luma[y * 12 + row][x * 12 + column]) }
                }
                let wanted = (sum / 144 - 16) * 255 / 219
                #expect(abs(Double(planes.green[y * planes.stride + x]) - wanted) <= 1)
            }
        }
    }

    @Test("a crop and a field are the rows and columns they name")
    func parts() throws {
        let picture = TestPicture(64, 32, .yuv420p) { x, y in
            (x < 32 ? (y % 2 == 0 ? 40 : 200) : 100, 128, 128)
        }
        let planes = RGBPlanes()
        planes.resize(to: PixelSize(width: 8, height: 8))
        let scaler = PictureScaler()
        for (field, crop, code) in [
            (Field.top, 0, 40), (.bottom, 0, 200), (.top, 32, 100),
        ] as [(Field, Int, Int)] {
            try picture.withSource {
                try scaler.scale(
                    $0, crop: PixelRectangle(x: crop, y: 4, width: 32, height: 16), field: field,
                    into: planes)
            }
            let wanted = Double(code - 16) * 255 / 219
            #expect(abs(Double(planes.red[3 * planes.stride + 3]) - wanted) <= 2)
        }
    }

    @Test("noise below half a code does not move a stable picture")
    func stable() throws {
        let scaler = PictureScaler(precision: .stable)
        let planes = RGBPlanes()
        planes.resize(to: PixelSize(width: 16, height: 16))
        var first: [UInt8] = []
        for seed in 0..<8 {
            var random = Random(seed: UInt64(seed + 1))
            let picture = TestPicture(192, 192) { x, y in
                let flip: UInt8 = UInt64.random(in: 0..<10, using: &random) == 0 ? 1 : 0
                return (UInt8(40 + (x + y) / 3) + flip, 100 + flip, 150)
            }
            try picture.withSource { try scaler.scale($0, into: planes) }
            let now = (0..<16).flatMap { y in (0..<16).map { planes.green[y * planes.stride + $0] }
            }
            if first.isEmpty { first = now }
            #expect(now == first)
        }
    }

    @Test("a format that libswscale does not read is named")
    func unsupported() throws {
        let picture = TestPicture(16, 16) { _, _ in (16, 128, 128) }
        let planes = RGBPlanes()
        planes.resize(to: PixelSize(width: 4, height: 4))
        #expect(throws: RenderError.self) {
            try picture.withSource { source in
                var source = source
                source.pixelFormat = 100_000
                try PictureScaler().scale(source, into: planes)
            }
        }
    }
}
