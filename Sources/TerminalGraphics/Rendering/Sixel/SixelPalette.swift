/// The colours of sixel pictures: fitted, kept while they serve, and found fast.
final class SixelPalette {
    /// Changes with the colours.
    private(set) var generation = 0
    private let limit: Int
    private let lookup = ColorLookup()
    /// One row: of each column the pixel that the register in use was chosen for.
    private let heads = PlaneMemory()
    /// How far green may be from it; red half as much again, blue twice as much.
    private let greenLimit: UInt8 = 4
    private var fitting = PaletteFitting()
    private var diffusion = ErrorDiffusion()
    /// Mean squared error, the channels summed, when the palette was fitted.
    private var errorWhenFitted = 0.0
    private var isForgotten = true

    init(limit: Int) {
        self.limit = min(max(limit, 2), 255)
    }

    /// Has the palette fitted to the next picture, however well it would serve.
    func forget() { isForgotten = true }

    /// Fits the palette anew if the picture is drawn worse by it than the one that it was fitted to.
    func serve(_ planes: RGBPlanes) {
        if !isForgotten {
            let error = sampledError(planes)
            if error <= errorWhenFitted * 1.15 + 3 { return }
        }
        fit(to: planes)
    }

    private func fit(to planes: RGBPlanes) {
        lookup.set(fitting.fit(planes, count: limit))
        generation += 1
        isForgotten = false
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
                let index = lookup.index(red: red, green: green, blue: blue)
                let color = lookup.colors[Int(index)]
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
            lookup.map(planes, row: y, to: out)
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
        if diffuse { diffusion.beginPicture(width: planes.size.width) }
        for y in 0..<planes.size.height {
            let out = indices.plane(0) + y * indices.stride
            if diffuse {
                lookup.mapDiffused(planes, row: y, &diffusion, to: out)
            } else {
                // About the distance of two colours of a fitted palette.
                lookup.mapOrdered(planes, row: y, strength: 16, to: out)
            }
        }
    }

    /// Writes the registers' colours in percent.
    func write(to registers: inout InlineArray<256, UInt32>) {
        for (index, color) in lookup.colors.enumerated() {
            registers[index] =
                percent(color >> 16 & 255) << 16 | percent(color >> 8 & 255) << 8
                | percent(color & 255)
        }
    }

    private func percent(_ value: UInt32) -> UInt32 { (value * 100 + 127) / 255 }
}
