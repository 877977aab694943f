import PixelBuffers

/// One object of a JSON Lines report, written straight into bytes.
struct JSONLine {
    private var bytes: [UInt8]
    private var isEmpty = true

    /// Begins an object behind what `storage` holds, which comes back with ``finished()``.
    init(appendingTo storage: inout [UInt8]) {
        // Moved, not copied.
        bytes = []
        swap(&bytes, &storage)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Begins an object of its own.
    init() {
        bytes = [UInt8(ascii: "{")]
    }

    /// How much is written so far.
    var byteCount: Int { bytes.count }

    /// Ends the object and the line, and gives all that is written.
    mutating func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        // Moved out: with a copy left behind the next byte would copy a whole output buffer.
        var written: [UInt8] = []
        swap(&written, &bytes)
        return written
    }

    private mutating func name(_ name: StaticString) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func field(_ label: StaticString, _ value: some BinaryInteger) {
        name(label)
        Decimal.append(Int64(clamping: value), to: &bytes)
    }

    mutating func field(_ label: StaticString, _ value: Bool) {
        name(label)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func field(_ label: StaticString, _ value: String) {
        name(label)
        quote(value)
    }

    /// A digest in lower-case hexadecimal.
    mutating func field(_ label: StaticString, _ digest: PixelBufferDigest) {
        name(label)
        bytes.append(UInt8(ascii: "\""))
        for byte in digest.bytes {
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func null(_ label: StaticString) {
        name(label)
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func field(_ label: StaticString, _ values: some Sequence<some BinaryInteger>) {
        name(label)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            Decimal.append(Int64(clamping: value), to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Seconds, rounded half away from zero to 6 places.
    mutating func seconds(_ label: StaticString, ticks: Int64, timescale: Int32) {
        name(label)
        // Nearly always all of it fits 64 bits.
        guard ticks.magnitude < 1 << 42, timescale > 0 else {
            bytes.append(
                contentsOf: Seconds.text(ticks: ticks, timescale: timescale, places: 6).utf8)
            return
        }
        let divisor = Int64(timescale)
        let millionths = (Int64(ticks.magnitude) * 2_000_000 + divisor) / (divisor * 2)
        if ticks < 0, millionths > 0 { bytes.append(UInt8(ascii: "-")) }
        Decimal.append(millionths / 1_000_000, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        Decimal.append(millionths % 1_000_000, width: 6, to: &bytes)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
