/// Writes bands of six pixel rows as sixels.
///
/// A band is cut into segments: stretches of one colour without a long gap. Segments that do not overlap follow one another from left to right
/// in one pass; the next pass begins again at the left (`$`).
struct SixelBandEncoder {
    /// A stretch of one colour.
    private struct Segment: BitwiseCopyable {
        var start: Int32
        /// The column behind the last one.
        var end: Int32
        var firstEntry: Int32
        var register: Int32
    }

    /// One column of a segment.
    private struct Entry: BitwiseCopyable {
        /// The segment's next one; -1: none.
        var next: Int32
        var column: Int16
        var sixel: UInt8
    }

    /// Columns without the colour that end a segment: at 8 the bytes are fewest.
    private static let longestGap: Int32 = 10

    private let entries = ScratchMemory<Entry>(capacity: 6 * 1280)
    private let segments = ScratchMemory<Segment>(capacity: 6 * 1280)
    private var segmentCount = 0
    /// By register: the open segment, -1 for none, and its last entry.
    private let open = ScratchMemory<Int32>(capacity: 256)
    private let lastEntry = ScratchMemory<Int32>(capacity: 256)
    private var output = SixelOutput()

    /// Writes rows of registers into a chunk.
    mutating func encode(
        _ indices: PlaneMemory, rows: Range<Int>, into chunk: inout SixelImage.Chunk
    ) {
        let width = indices.size.width
        entries.reserve(width * 6)
        segments.reserve(width * 6)
        output.removeAll()
        chunk.registers = .init(repeating: 0)
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 6) {
            if top > rows.lowerBound { output.put(UInt8(ascii: "-")) }
            collect(
                indices.plane(0) + top * indices.stride, stride: indices.stride,
                height: min(6, rows.upperBound - top), width: width)
            for index in 0..<segmentCount {
                let register = segments.start[index].register
                chunk.registers[Int(register >> 6)] |= 1 << UInt64(register & 63)
            }
            write()
        }
        chunk.bytes.removeAll(keepingCapacity: true)
        chunk.bytes.append(contentsOf: output.written)
    }

    /// Finds the segments of a band, in the order of their beginnings.
    private mutating func collect(
        _ pixels: UnsafePointer<UInt8>, stride: Int, height: Int, width: Int
    ) {
        let open = open.start
        let lastEntry = lastEntry.start
        let entries = entries.start
        let segments = segments.start
        open.update(repeating: -1, count: 256)
        var entryCount: Int32 = 0
        var segmentCount: Int32 = 0
        // Rows that the band lacks repeat the last one, and are masked out.
        let rows: InlineArray<6, UnsafePointer<UInt8>> = .init {
            pixels + min($0, height - 1) * stride
        }
        let everyRow = UInt64(1 << height - 1)
        for x in 0..<width {
            let upper = UInt64(rows[0][x]) | UInt64(rows[1][x]) &<< 8 | UInt64(rows[2][x]) &<< 16
            let lower = UInt64(rows[3][x]) | UInt64(rows[4][x]) &<< 8 | UInt64(rows[5][x]) &<< 16
            let column = upper | lower &<< 24
            var left = everyRow
            repeat {
                // All rows that have the colour of the first one left: the zero bytes of the difference, a bit each.
                let register = column &>> UInt64(left.trailingZeroBitCount &* 8) & 255
                let difference = column ^ register &* 0x0101_0101_0101
                let low = (difference & 0x7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F
                let zeros = ~(low | difference) & 0x8080_8080_8080
                let mask = ((zeros &>> 7 &* 0x0102_0408_1020) &>> 40) & everyRow
                left &= ~mask

                let index = Int(register)
                let entry = entryCount
                entryCount &+= 1
                entries[Int(entry)] = Entry(
                    next: -1, column: Int16(truncatingIfNeeded: x),
                    sixel: UInt8(truncatingIfNeeded: mask))
                let current = open[index]
                if current >= 0,
                    Int32(truncatingIfNeeded: x) &- segments[Int(current)].end <= Self.longestGap
                {
                    entries[Int(lastEntry[index])].next = entry
                    segments[Int(current)].end = Int32(truncatingIfNeeded: x) &+ 1
                } else {
                    open[index] = segmentCount
                    segments[Int(segmentCount)] = Segment(
                        start: Int32(truncatingIfNeeded: x),
                        end: Int32(truncatingIfNeeded: x) &+ 1, firstEntry: entry,
                        register: Int32(truncatingIfNeeded: index))
                    segmentCount &+= 1
                }
                lastEntry[index] = entry
            } while left != 0
        }
        self.segmentCount = Int(segmentCount)
    }

    /// Writes the segments, each pass taking those that fit behind one another.
    private mutating func write() {
        let segments = segments.start
        var left = segmentCount
        var isFirstPass = true
        while left > 0 {
            if !isFirstPass { output.put(UInt8(ascii: "$")) }
            isFirstPass = false
            var x: Int32 = 0
            var register: Int32 = -1
            var kept = 0
            for index in 0..<left {
                let segment = segments[index]
                guard segment.start >= x else {
                    segments[kept] = segment
                    kept &+= 1
                    continue
                }
                // A colour of 4 bytes, a gap of 5, and at most a byte a column.
                output.reserve(Int(segment.end &- segment.start) &+ 16)
                if segment.register != register {
                    register = segment.register
                    output.put(UInt8(ascii: "#"))
                    output.put(decimal: register)
                }
                output.put(run: segment.start &- x, of: UInt8(ascii: "?"))
                write(segment)
                x = segment.end
            }
            left = kept
        }
    }

    @inline(__always)
    private mutating func write(_ segment: Segment) {
        let entries = entries.start
        var x = segment.start
        var index = segment.firstEntry
        var run: Int32 = 0
        var sixel: UInt8 = 0
        repeat {
            let entry = entries[Int(index)]
            let column = Int32(entry.column)
            if column == x, entry.sixel == sixel {
                run &+= 1
            } else {
                output.put(run: run, of: sixel &+ 63)
                output.put(run: column &- x, of: UInt8(ascii: "?"))
                run = 1
                sixel = entry.sixel
            }
            x = column &+ 1
            index = entry.next
        } while index >= 0
        output.put(run: run, of: sixel &+ 63)
    }
}
