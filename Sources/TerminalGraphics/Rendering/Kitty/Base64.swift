/// Base64, two characters at a time.
struct Base64 {
    /// By 12 bits: two characters, the first in the low byte.
    private let pairs = ScratchMemory<UInt16>(capacity: 4096)
    private let buffer = ScratchMemory<UInt8>(capacity: KittyRenderer.chunkLength + 8)

    init() {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for value in 0..<4096 {
            pairs.start[value] = UInt16(alphabet[value >> 6]) | UInt16(alphabet[value & 63]) << 8
        }
    }

    /// Appends at most a chunk's bytes.
    func append(_ bytes: UnsafePointer<UInt8>, _ count: Int, to output: inout [UInt8]) {
        buffer.reserve(count / 3 * 4 + 8)
        let out = UnsafeMutableRawPointer(buffer.start)
        var written = 0
        var at = 0
        while at &+ 3 <= count {
            let word = Int(bytes[at]) << 16 | Int(bytes[at &+ 1]) << 8 | Int(bytes[at &+ 2])
            let packed = UInt32(pairs.start[word >> 12]) | UInt32(pairs.start[word & 4095]) << 16
            out.storeBytes(of: packed, toByteOffset: written, as: UInt32.self)
            written &+= 4
            at &+= 3
        }
        if at < count {
            let second = at + 1 < count ? Int(bytes[at + 1]) : 0
            let word = Int(bytes[at]) << 16 | second << 8
            let packed = UInt32(pairs.start[word >> 12]) | UInt32(pairs.start[word & 4095]) << 16
            out.storeBytes(of: packed, toByteOffset: written, as: UInt32.self)
            buffer.start[written + 3] = UInt8(ascii: "=")
            if at + 1 == count { buffer.start[written + 2] = UInt8(ascii: "=") }
            written += 4
        }
        output.append(contentsOf: UnsafeBufferPointer(start: buffer.start, count: written))
    }
}
