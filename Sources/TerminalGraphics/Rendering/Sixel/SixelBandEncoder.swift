/// Writes bands of six pixel rows as sixels.
///
/// A band is cut into segments: stretches of one colour without a long gap. Segments that do not overlap follow one another from left to right
/// in one pass; the next pass begins again at the left (`$`).
struct SixelBandEncoder {
    /// A stretch of one colour.
    private struct Segment {
        var register: UInt8
        var start: Int32
        /// The column behind the last one.
        var end: Int32
        var firstEntry: Int32
    }

    /// Columns without the colour that end a segment: at 8 the bytes are fewest.
    private static let longestGap: Int32 = 8

    /// Of each column and colour: column, sixel bits, and the segment's next entry.
    private var columns: [Int32] = []
    private var bits: [UInt8] = []
    private var next: [Int32] = []
    private var segments: [Segment] = []
    /// By register: the open segment and its last entry; -1: none.
    private var open = InlineArray<256, Int32>(repeating: -1)
    private var lastEntry = InlineArray<256, Int32>(repeating: -1)
    private var sink = SixelBytes()

    /// Writes rows of registers into a chunk.
    mutating func encode(_ indices: PlaneMemory, rows: Range<Int>, into chunk: inout SixelImage.Chunk) {
        let width = indices.size.width
        if columns.count < width * 6 {
            columns = [Int32](repeating: 0, count: width * 6)
            bits = [UInt8](repeating: 0, count: width * 6)
            next = [Int32](repeating: 0, count: width * 6)
            segments.reserveCapacity(width * 6)
        }
        sink.removeAll()
        chunk.registers = .init(repeating: 0)
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 6) {
            if top > rows.lowerBound { sink.put(UInt8(ascii: "-")) }
            collect(
                indices.plane(0) + top * indices.stride, stride: indices.stride,
                height: min(6, rows.upperBound - top), width: width)
            for segment in segments {
                chunk.registers[Int(segment.register >> 6)] |= 1 << UInt64(segment.register & 63)
            }
            write()
        }
        chunk.bytes.removeAll(keepingCapacity: true)
        chunk.bytes.append(contentsOf: sink.written)
    }

    /// Finds the segments of a band, in the order of their beginnings.
    private mutating func collect(
        _ pixels: UnsafePointer<UInt8>, stride: Int, height: Int, width: Int
    ) {
        segments.removeAll(keepingCapacity: true)
        for register in 0..<256 { open[register] = -1 }
        var entryCount: Int32 = 0
        let everyRow = UInt8(truncatingIfNeeded: 1 << height - 1)
        columns.withUnsafeMutableBufferPointer { columns in
            bits.withUnsafeMutableBufferPointer { bits in
                next.withUnsafeMutableBufferPointer { next in
                    for x in 0..<width {
                        var left = everyRow
                        while left != 0 {
                            // All rows that have the colour of the first one left.
                            let first = left.trailingZeroBitCount
                            let register = pixels[x + first * stride]
                            var mask: UInt8 = 0
                            for row in 0..<height {
                                mask |= (pixels[x + row * stride] == register ? 1 : 0) &<< UInt8(row)
                            }
                            left &= ~mask

                            let entry = entryCount
                            entryCount &+= 1
                            columns[Int(entry)] = Int32(x)
                            bits[Int(entry)] = mask
                            next[Int(entry)] = -1
                            let current = open[Int(register)]
                            if current >= 0, Int32(x) &- segments[Int(current)].end <= Self.longestGap {
                                next[Int(lastEntry[Int(register)])] = entry
                                segments[Int(current)].end = Int32(x) &+ 1
                            } else {
                                open[Int(register)] = Int32(segments.count)
                                segments.append(
                                    Segment(
                                        register: register, start: Int32(x), end: Int32(x) &+ 1,
                                        firstEntry: entry))
                            }
                            lastEntry[Int(register)] = entry
                        }
                    }
                }
            }
        }
    }

    /// Writes the segments, each pass taking those that fit behind one another.
    private mutating func write() {
        var left = segments.count
        var isFirstPass = true
        while left > 0 {
            if !isFirstPass { sink.put(UInt8(ascii: "$")) }
            isFirstPass = false
            var x: Int32 = 0
            var register = -1
            var kept = 0
            for index in 0..<left {
                let segment = segments[index]
                guard segment.start >= x else {
                    segments[kept] = segment
                    kept += 1
                    continue
                }
                sink.reserve(Int(segment.end - segment.start) * 2 + 32)
                if Int(segment.register) != register {
                    register = Int(segment.register)
                    sink.put(register: segment.register)
                }
                sink.put(run: segment.start - x, of: UInt8(ascii: "?"))
                write(segment)
                x = segment.end
            }
            left = kept
        }
    }

    private mutating func write(_ segment: Segment) {
        var x = segment.start
        var entry = segment.firstEntry
        var run: Int32 = 0
        var sixel: UInt8 = 0
        while entry >= 0 {
            let column = columns[Int(entry)]
            let mask = bits[Int(entry)]
            if column == x, mask == sixel {
                run &+= 1
            } else {
                sink.put(run: run, of: sixel &+ 63)
                sink.put(run: column &- x, of: UInt8(ascii: "?"))
                run = 1
                sixel = mask
            }
            x = column &+ 1
            entry = next[Int(entry)]
        }
        sink.put(run: run, of: sixel &+ 63)
    }
}
