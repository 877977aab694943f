/// A decoder of one sixel image, from the parameters to before the terminator.
struct Sixels {
    private(set) var width = 0
    private(set) var height = 0
    /// Red, green and blue; nil where nothing was drawn.
    private(set) var pixels: [UInt32?] = []
    private(set) var complaints: [String] = []
    private(set) var registers: [Int: UInt32] = [:]

    init(_ bytes: [UInt8]) {
        guard let start = bytes.firstIndex(of: UInt8(ascii: "q")) else {
            complaints.append("no q")
            return
        }
        let parameters = String(decoding: bytes[..<start], as: UTF8.self).split(separator: ";")
        if parameters.count < 2 || parameters[1] != "1" { complaints.append("not transparent") }
        var at = start + 1
        var x = 0
        var top = 0
        var register = -1

        func number() -> Int {
            var value = 0
            while at < bytes.count, (0x30...0x39).contains(bytes[at]) {
                value = value * 10 + Int(bytes[at] - 0x30)
                at += 1
            }
            return value
        }
        func numbers() -> [Int] {
            var values = [number()]
            while at < bytes.count, bytes[at] == UInt8(ascii: ";") {
                at += 1
                values.append(number())
            }
            return values
        }

        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                let raster = numbers()
                if raster.count != 4 || raster[0] != raster[1] {
                    complaints.append("raster \(raster)")
                }
                width = raster[2]
                height = raster[3]
                pixels = Array(repeating: nil, count: width * ((height + 5) / 6 * 6))
            case UInt8(ascii: "#"):
                let values = numbers()
                register = values[0]
                if values.count == 5 {
                    if values[1] != 2 || values[2...].contains(where: { $0 > 100 }) {
                        complaints.append("colour \(values)")
                    }
                    registers[register] = values[2...].reduce(0) {
                        $0 << 8 | UInt32(($1 * 255 + 50) / 100)
                    }
                } else if registers[register] == nil {
                    complaints.append("undefined register \(register)")
                }
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"):
                x = 0
                top += 6
            case UInt8(ascii: "!"), 0x3F...0x7E:
                let count = byte == UInt8(ascii: "!") ? number() : 1
                let sixel = byte == UInt8(ascii: "!") ? bytes[at] : byte
                if byte == UInt8(ascii: "!") { at += 1 }
                for _ in 0..<count {
                    for row in 0..<6 where (sixel - 63) >> row & 1 != 0 {
                        let index = (top + row) * width + x
                        if x >= width || top + row >= height {
                            complaints.append("pixel \(x),\(top + row) outside")
                        } else if pixels[index] != nil {
                            complaints.append("pixel \(x),\(top + row) twice")
                        } else {
                            pixels[index] = registers[register]
                        }
                    }
                    x += 1
                }
            default: complaints.append("byte \(byte)")
            }
        }
        pixels.removeLast(pixels.count - width * height)
    }
}
