internal import Glibc

/// The nearest of a few colours, remembered by the six high bits of red, green and blue.
final class ColorLookup {
    /// Not looked for yet: one number less for colours makes the table half the size.
    static let unknown: UInt8 = 255

    private(set) var colors: [UInt32] = []
    private let table = ScratchMemory<UInt8>(capacity: 1 << 18)
    private var search = NearestColor()

    init(_ colors: [UInt32] = []) { set(colors) }

    /// Takes other colours, 255 at most.
    func set(_ newColors: [UInt32]) {
        precondition(newColors.count <= 255, "\(newColors.count) colours")
        colors = newColors
        search.set(newColors)
        table.start.update(repeating: Self.unknown, count: 1 << 18)
    }

    @inline(__always)
    func index(red: Int, green: Int, blue: Int) -> UInt8 {
        let entry = (red >> 2) << 12 | (green >> 2) << 6 | blue >> 2
        let known = table.start[entry]
        return known != Self.unknown ? known : learn(entry)
    }

    @inline(never)
    private func learn(_ entry: Int) -> UInt8 {
        let nearest = search.nearest(
            red: (entry >> 12) << 2 | 2, green: (entry >> 6 & 63) << 2 | 2,
            blue: (entry & 63) << 2 | 2)
        table.start[entry] = UInt8(nearest)
        return UInt8(nearest)
    }

    /// Writes the number of each pixel's colour.
    func map(_ planes: RGBPlanes, row y: Int, to out: UnsafeMutablePointer<UInt8>) {
        let width = planes.size.width
        let red = planes.red + y * planes.stride
        let green = planes.green + y * planes.stride
        let blue = planes.blue + y * planes.stride
        let table = table.start
        for x in 0..<width {
            out[x] = table[Int(red[x] >> 2) << 12 | Int(green[x] >> 2) << 6 | Int(blue[x] >> 2)]
        }
        // A second look at what was not known: seldom anything after the first picture of a scene.
        var rest = UnsafeMutableRawPointer(out)
        let end = rest + width
        while let found = memchr(rest, Int32(Self.unknown), end - rest) {
            let x = found - UnsafeMutableRawPointer(out)
            out[x] = index(red: Int(red[x]), green: Int(green[x]), blue: Int(blue[x]))
            rest = found + 1
        }
    }

    /// The same with ordered dither: each pixel moved by up to `strength` of 255 to either side.
    func mapOrdered(
        _ planes: RGBPlanes, row y: Int, strength: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let row = y * planes.stride
        for x in 0..<planes.size.width {
            let shift = OrderedDither.threshold(x, y) * strength / 126
            out[x] = index(
                red: OrderedDither.clamp(Int(planes.red[row + x]) + shift),
                green: OrderedDither.clamp(Int(planes.green[row + x]) + shift),
                blue: OrderedDither.clamp(Int(planes.blue[row + x]) + shift))
        }
    }

    /// The same with the error of each pixel handed on; rows from the top.
    func mapDiffused(
        _ planes: RGBPlanes, row y: Int, _ diffusion: inout ErrorDiffusion,
        to out: UnsafeMutablePointer<UInt8>
    ) {
        diffusion.beginRow()
        let row = y * planes.stride
        for x in 0..<planes.size.width {
            let color = diffusion.corrected(
                (Int(planes.red[row + x]), Int(planes.green[row + x]), Int(planes.blue[row + x])), x
            )
            let index = index(red: color.0, green: color.1, blue: color.2)
            out[x] = index
            let shown = colors[Int(index)]
            diffusion.spread(
                (
                    color.0 - Int(shown >> 16 & 255), color.1 - Int(shown >> 8 & 255),
                    color.2 - Int(shown & 255)
                ), x)
        }
    }
}
