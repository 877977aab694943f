/// The colours of sixel pictures: fitted, kept while they serve, and found fast.
final class SixelPalette {
    /// Changes with the colours.
    private(set) var generation = 0
    private let limit: Int
    private var colors: [UInt32] = []
    /// One row: of each column the pixel that the register in use was chosen for.
    private let heads = PlaneMemory()
    /// How far green may be from it; red half as much again, blue twice as much.
    private let greenLimit: UInt8 = 4
    /// The number of the nearest colour by the six high bits of red, green and blue; 255: not looked for yet.
    private var table = [UInt8](repeating: 255, count: 1 << 18)
    private var search = NearestColor()
    private var fitting = PaletteFitting()
    /// Mean squared error, the channels summed, when the palette was fitted.
    private var errorWhenFitted = 0.0

    init(limit: Int) {
        self.limit = min(max(limit, 2), 255)
    }

    /// Fits the palette anew if the picture is drawn worse by it than the one that it was fitted to.
    func serve(_ planes: RGBPlanes) {
        if generation > 0 {
            let error = sampledError(planes)
            if error <= errorWhenFitted * 1.15 + 3 { return }
        }
        fit(to: planes)
    }

    private func fit(to planes: RGBPlanes) {
        colors = fitting.fit(planes, count: limit)
        search.set(colors)
        for index in table.indices { table[index] = 255 }
        generation += 1
        errorWhenFitted = sampledError(planes)
    }

    /// The error of every 61st pixel: a prime, so that no column is preferred.
    private func sampledError(_ planes: RGBPlanes) -> Double {
        var sum = 0
        var count = 0
        var x = 0
        for y in 0..<planes.size.height {
            let row = y * planes.stride
            while x < planes.size.width {
                let red = Int(planes.red[row + x])
                let green = Int(planes.green[row + x])
                let blue = Int(planes.blue[row + x])
                let color = colors[Int(lookUp(red, green, blue))]
                let distance = (
                    red - Int(color >> 16 & 255), green - Int(color >> 8 & 255),
                    blue - Int(color & 255)
                )
                sum +=
                    distance.0 * distance.0 + distance.1 * distance.1 + distance.2 * distance.2
                count += 1
                x += 61
            }
            x -= planes.size.width
        }
        return Double(sum) / Double(max(count, 1))
    }

    @inline(__always)
    private func lookUp(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        let entry = (red >> 2) << 12 | (green >> 2) << 6 | blue >> 2
        let known = table[entry]
        return known != 255 ? known : learn(entry)
    }

    @inline(never)
    private func learn(_ entry: Int) -> UInt8 {
        let nearest = search.nearest(
            red: (entry >> 12) << 2 | 2, green: (entry >> 6 & 63) << 2 | 2,
            blue: (entry & 63) << 2 | 2)
        table[entry] = UInt8(nearest)
        return UInt8(nearest)
    }

    /// Writes each pixel's register.
    func map(_ planes: RGBPlanes, to indices: PlaneMemory, dither: Dither) {
        let size = planes.size
        if dither == .ordered || dither == .diffusion {
            mapDithered(planes, to: indices, diffuse: dither == .diffusion)
            return
        }
        heads.resize(to: PixelSize(width: size.width, height: 2))
        for y in 0..<size.height {
            let red = planes.red + y * planes.stride
            let green = planes.green + y * planes.stride
            let blue = planes.blue + y * planes.stride
            let out = indices.plane(0) + y * indices.stride
            table.withUnsafeMutableBufferPointer { table in
                for x in 0..<size.width {
                    let entry =
                        Int(red[x] >> 2) << 12 | Int(green[x] >> 2) << 6 | Int(blue[x] >> 2)
                    out[x] = table[entry]
                }
            }
            // A second look at what was not known: seldom anything after the first picture of a scene.
            for x in 0..<size.width where out[x] == 255 {
                out[x] = lookUp(Int(red[x]), Int(green[x]), Int(blue[x]))
            }
            if y % 6 == 0 {
                heads.plane(0).update(from: red, count: size.width)
                heads.plane(1).update(from: green, count: size.width)
                heads.plane(2).update(from: blue, count: size.width)
            } else {
                continueColumns(
                    red, green, blue, out, above: out - indices.stride, width: size.width)
            }
        }
    }

    /// Gives a pixel the register of the one above it in the band, where it differs little from the pixel that first got it.
    ///
    /// Sixels are columns of six: this takes a tenth of the bytes for 0.5 dB.
    private func continueColumns(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        _ out: UnsafeMutablePointer<UInt8>, above: UnsafePointer<UInt8>, width: Int
    ) {
        // Short loops over few pointers, one after another: a single one over all of them does not vectorise (5 ms against 0.5 ms).
        let same = heads.plane(0) + heads.stride
        Self.compare(green, heads.plane(1), limit: greenLimit, same, width, isFirst: true)
        Self.compare(red, heads.plane(0), limit: greenLimit + greenLimit / 2, same, width)
        Self.compare(blue, heads.plane(2), limit: greenLimit * 2, same, width)
        Self.select(above, out, same, width)
        Self.keep(heads.plane(0), red, same, width)
        Self.keep(heads.plane(1), green, same, width)
        Self.keep(heads.plane(2), blue, same, width)
    }

    /// Sets bytes to 255 where two rows differ by no more than the limit, and to 0 elsewhere.
    private static func compare(
        _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, limit: UInt8,
        _ same: UnsafeMutablePointer<UInt8>, _ width: Int, isFirst: Bool = false
    ) {
        for x in 0..<width {
            let distance = a[x] > b[x] ? a[x] &- b[x] : b[x] &- a[x]
            let isNear: UInt8 = distance <= limit ? 255 : 0
            same[x] = isFirst ? isNear : same[x] & isNear
        }
    }

    /// Takes `from` where the rows are the same.
    private static func select(
        _ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>,
        _ same: UnsafePointer<UInt8>, _ width: Int
    ) {
        for x in 0..<width { row[x] = from[x] & same[x] | row[x] & ~same[x] }
    }

    /// Takes `from` where the rows differ.
    private static func keep(
        _ row: UnsafeMutablePointer<UInt8>, _ from: UnsafePointer<UInt8>,
        _ same: UnsafePointer<UInt8>, _ width: Int
    ) {
        for x in 0..<width { row[x] = row[x] & same[x] | from[x] & ~same[x] }
    }

    private func mapDithered(_ planes: RGBPlanes, to indices: PlaneMemory, diffuse: Bool) {
        let size = planes.size
        var diffusion = ErrorDiffusion(width: size.width)
        for y in 0..<size.height {
            let row = y * planes.stride
            let out = indices.plane(0) + y * indices.stride
            diffusion.beginRow()
            for x in 0..<size.width {
                var color = (
                    Int(planes.red[row + x]), Int(planes.green[row + x]), Int(planes.blue[row + x])
                )
                if diffuse {
                    color = diffusion.corrected(color, x)
                } else {
                    // An eighth of the way to either side: about the distance of two colours of a fitted palette.
                    let shift = OrderedDither.threshold(x, y) / 8
                    color = (
                        OrderedDither.clamp(color.0 + shift), OrderedDither.clamp(color.1 + shift),
                        OrderedDither.clamp(color.2 + shift)
                    )
                }
                let index = lookUp(color.0, color.1, color.2)
                out[x] = index
                guard diffuse else { continue }
                let shown = colors[Int(index)]
                diffusion.spread(
                    (
                        color.0 - Int(shown >> 16 & 255), color.1 - Int(shown >> 8 & 255),
                        color.2 - Int(shown & 255)
                    ), x)
            }
        }
    }

    /// Writes the registers' colours in percent.
    func write(to registers: inout InlineArray<256, UInt32>) {
        for (index, color) in colors.enumerated() {
            registers[index] =
                percent(color >> 16 & 255) << 16 | percent(color >> 8 & 255) << 8
                | percent(color & 255)
        }
    }

    private func percent(_ value: UInt32) -> UInt32 { (value * 100 + 127) / 255 }
}
