/// A picture as sixels, cut into chunks of whole bands and whole rows of cells that can be sent by themselves.
struct SixelImage {
    /// A few rows of cells.
    struct Chunk {
        /// Equal for equal chunks of one renderer, pixels and colours.
        var identity: UInt64 = 0
        /// Bands, with `-` between them.
        var bytes: [UInt8] = []
        /// The registers in use, a bit each.
        var registers: InlineArray<4, UInt64> = [0, 0, 0, 0]
        /// Pixel rows.
        var height = 0

        /// Becomes another chunk without giving up its memory.
        mutating func copy(_ other: Chunk) {
            identity = other.identity
            registers = other.registers
            height = other.height
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: other.bytes)
        }
    }

    var chunks: [Chunk] = []
    /// Those of `chunks` that are the picture's.
    var chunkCount = 0
    var rowsPerChunk = 1
    var width = 0
    /// Percentages of red, green and blue in bits 16, 8 and 0, by register.
    var palette = InlineArray<256, UInt32>(repeating: 0)

    /// Appends one image made of neighbouring chunks.
    func write(chunks range: Range<Int>, into sink: inout ByteSink) {
        var height = 0
        var byteCount = 0
        var registers: InlineArray<4, UInt64> = [0, 0, 0, 0]
        for index in range {
            height += chunks[index].height
            byteCount += chunks[index].bytes.count + 1
            for word in 0..<4 { registers[word] |= chunks[index].registers[word] }
        }
        sink.reserve(byteCount + 256 * 20 + 64)
        // 7: square pixels; 1: what no sixel sets stays as it is.
        sink.put("\u{1B}P7;1q\"1;1;")
        sink.put(decimal: width)
        sink.put(UInt8(ascii: ";"))
        sink.put(decimal: height)
        for register in 0..<256 where registers[register / 64] >> (register % 64) & 1 != 0 {
            sink.put(UInt8(ascii: "#"))
            sink.put(decimal: register)
            sink.put(";2;")
            sink.put(color: palette[register])
            // Without the last semicolon.
            sink.truncate(to: sink.count - 1)
        }
        for index in range {
            if index > range.lowerBound { sink.put(UInt8(ascii: "-")) }
            chunks[index].bytes.withUnsafeBufferPointer { sink.put($0) }
        }
        sink.put("\u{1B}\\")
    }
}
