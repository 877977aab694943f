/// Writes sequence parameter sets of chosen properties: what real streams rarely combine.
struct SPS {
    struct VUI {
        /// `aspect_ratio_idc` and, for 255, the ratio.
        var aspect: (idc: UInt, width: UInt, height: UInt)?
        var isFullRange: Bool?
        var colour: (primaries: UInt, transfer: UInt, matrix: UInt)?
        var chroma: (top: UInt, bottom: UInt)?
    }

    /// A picture parameter set of x264's.
    static let pps: [UInt8] = [0x68, 0xEE, 0x3C, 0x80]

    var profile: UInt8 = 100
    var chromaFormat: UInt = 1
    var widthInMacroblocks: UInt = 4
    var heightInMapUnits: UInt = 4
    var isInterlaced = false
    /// Left, right, top, bottom, in crop units.
    var crop: (UInt, UInt, UInt, UInt)?
    var vui: VUI?

    var bytes: [UInt8] {
        var writer = Writer()
        writer.ue(0)
        if [100, 110, 122, 244].contains(profile) {
            writer.ue(chromaFormat)
            if chromaFormat == 3 { writer.u(0, 1) }
            writer.ue(0)
            writer.ue(0)
            writer.u(0, 2)
        }
        writer.ue(0)
        writer.ue(2)
        writer.ue(1)
        writer.u(0, 1)
        writer.ue(widthInMacroblocks - 1)
        writer.ue(heightInMapUnits - 1)
        writer.u(isInterlaced ? 0 : 1, 1)
        if isInterlaced { writer.u(0, 1) }
        writer.u(1, 1)
        writer.u(crop == nil ? 0 : 1, 1)
        if let crop { for offset in [crop.0, crop.1, crop.2, crop.3] { writer.ue(offset) } }
        writer.u(vui == nil ? 0 : 1, 1)
        if let vui { write(vui, to: &writer) }
        writer.u(1, 1)
        return Self.withEmulationPrevention([0x67, profile, 0, 31] + writer.bytes)
    }

    private func write(_ vui: VUI, to writer: inout Writer) {
        writer.u(vui.aspect == nil ? 0 : 1, 1)
        if let aspect = vui.aspect {
            writer.u(aspect.idc, 8)
            if aspect.idc == 255 {
                writer.u(aspect.width, 16)
                writer.u(aspect.height, 16)
            }
        }
        writer.u(0, 1)
        let hasSignal = vui.isFullRange != nil || vui.colour != nil
        writer.u(hasSignal ? 1 : 0, 1)
        if hasSignal {
            writer.u(5, 3)
            writer.u(vui.isFullRange == true ? 1 : 0, 1)
            writer.u(vui.colour == nil ? 0 : 1, 1)
            if let colour = vui.colour {
                for code in [colour.primaries, colour.transfer, colour.matrix] { writer.u(code, 8) }
            }
        }
        writer.u(vui.chroma == nil ? 0 : 1, 1)
        if let chroma = vui.chroma {
            writer.ue(chroma.top)
            writer.ue(chroma.bottom)
        }
        // No timing, no HRD twice, no pic_struct, no restriction.
        writer.u(0, 5)
    }

    private static func withEmulationPrevention(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if byte <= 3, result.suffix(2) == [0, 0] { result.append(3) }
            result.append(byte)
        }
        return result
    }

    private struct Writer {
        private(set) var bytes: [UInt8] = []
        private var free = 0

        mutating func u(_ value: UInt, _ count: Int) {
            for bit in (0..<count).reversed() {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                free -= 1
                bytes[bytes.count - 1] |= UInt8(value >> UInt(bit) & 1) << UInt8(free)
            }
        }

        mutating func ue(_ value: UInt) {
            let length = UInt.bitWidth - (value + 1).leadingZeroBitCount
            u(0, length - 1)
            u(value + 1, length)
        }
    }
}
