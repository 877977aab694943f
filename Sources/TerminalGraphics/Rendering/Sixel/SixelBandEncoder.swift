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

    /// Equal columns of a segment, side by side.
    private struct Entry: BitwiseCopyable {
        /// The segment's next one; -1: none.
        var next: Int32
        var column: Int16
        var run: Int16
        var sixel: UInt8
    }

    /// Columns without the colour that end a segment: at 8 the bytes are fewest.
    private static let longestGap: Int32 = 10

    private let entries = ScratchMemory<Entry>(capacity: 6 * 1280)
    private let segments = ScratchMemory<Segment>(capacity: 6 * 1280)
    private var segmentCount = 0
    /// By register: the last segment, its end and its last entry.
    private let lastSegment = ScratchMemory<Int32>(capacity: 256)
    private let lastEnd = ScratchMemory<Int32>(capacity: 256)
    private let lastEntry = ScratchMemory<Int32>(capacity: 256)
    /// By column: not zero where a band differs from the column before.
    private let differences = ScratchMemory<UInt8>(capacity: 1280)
    /// The columns that differ from the one before, and the width.
    private let starts = ScratchMemory<Int32>(capacity: 1280 + 1)
    private let texts = SixelTexts()
    private var output = SixelOutput()

    /// Writes rows of registers into a chunk.
    mutating func encode(
        _ indices: PlaneMemory, rows: Range<Int>, into chunk: inout SixelImage.Chunk
    ) {
        let width = indices.size.width
        entries.reserve(width * 6)
        segments.reserve(width * 6)
        differences.reserve(width)
        starts.reserve(width + 1)
        texts.reserve(width)
        output.removeAll()
        chunk.registers = .init(repeating: 0)
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 6) {
            collect(
                indices.plane(0) + top * indices.stride, stride: indices.stride,
                height: min(6, rows.upperBound - top), width: width)
            for index in 0..<segmentCount {
                let register = segments.start[index].register
                chunk.registers[Int(register >> 6)] |= 1 << UInt64(register & 63)
            }
            var cursor = output.cursor(reserving: byteLimit)
            if top > rows.lowerBound { cursor.put(UInt8(ascii: "-")) }
            write(to: &cursor)
            output.end(cursor)
        }
        chunk.bytes.removeAll(keepingCapacity: true)
        chunk.bytes.append(contentsOf: output.written)
    }

    /// Finds the segments of a band, in the order of their beginnings.
    private mutating func collect(
        _ pixels: UnsafePointer<UInt8>, stride: Int, height: Int, width: Int
    ) {
        let lastSegment = lastSegment.start
        let lastEnd = lastEnd.start
        let lastEntry = lastEntry.start
        let entries = entries.start
        let segments = segments.start
        lastEnd.update(repeating: Int32.min / 2, count: 256)
        var entryCount: Int32 = 0
        var segmentCount: Int32 = 0
        // Rows that the band lacks repeat the last one, and are masked out.
        let rows: InlineArray<6, UnsafePointer<UInt8>> = .init {
            pixels + min($0, height - 1) * stride
        }
        let everyRow = UInt64(1 << height - 1)
        let startCount = findStarts(pixels, stride: stride, height: height, width: width)
        for index in 0..<startCount {
            let x = starts.start[index]
            let end = starts.start[index &+ 1]
            let place = Int(x)
            let upper =
                UInt64(rows[0][place]) | UInt64(rows[1][place]) &<< 8
                | UInt64(rows[2][place]) &<< 16
            let lower =
                UInt64(rows[3][place]) | UInt64(rows[4][place]) &<< 8
                | UInt64(rows[5][place]) &<< 16
            let column = upper | lower &<< 24
            // A bit where a row differs from the one above, and one behind the last row: where runs of a colour end.
            let difference = (column ^ column &>> 8) & 0xFF_FFFF_FFFF
            let isOther = ((difference & 0x7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F) | difference
            let bits = isOther &>> 7 & 0x01_0101_0101
            var ends = ((bits &* 0x0102_0408_1020) &>> 39) & everyRow & ~1 | (everyRow &+ 1)
            var top: UInt64 = 0
            repeat {
                let bottom = UInt64(truncatingIfNeeded: ends.trailingZeroBitCount)
                ends &= ends &- 1
                let sixel = UInt8(truncatingIfNeeded: 1 &<< bottom &- 1 &<< top)
                let index = Int(column &>> (top &* 8) & 255)
                top = bottom
                if lastEnd[index] == end {
                    // The colour of a row further up.
                    entries[Int(lastEntry[index])].sixel |= sixel
                    continue
                }
                let entry = entryCount
                entryCount &+= 1
                entries[Int(entry)] = Entry(
                    next: -1, column: Int16(truncatingIfNeeded: x),
                    run: Int16(truncatingIfNeeded: end &- x), sixel: sixel)
                if x &- lastEnd[index] <= Self.longestGap {
                    entries[Int(lastEntry[index])].next = entry
                    segments[Int(lastSegment[index])].end = end
                } else {
                    lastSegment[index] = segmentCount
                    segments[Int(segmentCount)] = Segment(
                        start: x, end: end, firstEntry: entry,
                        register: Int32(truncatingIfNeeded: index))
                    segmentCount &+= 1
                }
                lastEnd[index] = end
                lastEntry[index] = entry
            } while ends != 0
        }
        self.segmentCount = Int(segmentCount)
    }

    /// Finds the columns of a band that differ from the one before; what equals it makes its run longer, and costs no more.
    private func findStarts(
        _ pixels: UnsafePointer<UInt8>, stride: Int, height: Int, width: Int
    ) -> Int {
        let differences = differences.start
        differences.update(repeating: 0, count: width)
        for y in 0..<height {
            let row = pixels + y * stride
            for x in 1..<max(width, 1) { differences[x] |= row[x] ^ row[x &- 1] }
        }
        differences[0] = 1
        let starts = starts.start
        var count = 0
        for x in 0..<width {
            starts[count] = Int32(truncatingIfNeeded: x)
            count &+= differences[x] != 0 ? 1 : 0
        }
        starts[count] = Int32(truncatingIfNeeded: width)
        return count
    }

    /// What the segments come to at most: each a colour of 4 bytes, a gap of 5 and at most a byte a column; a byte a pass.
    private var byteLimit: Int {
        var limit = 16
        for index in 0..<segmentCount {
            limit &+= Int(segments.start[index].end &- segments.start[index].start) &+ 10
        }
        return limit
    }

    /// Writes the segments, each pass taking those that fit behind one another.
    private func write(to output: inout SixelCursor) {
        var cursor = output
        defer { output = cursor }
        let segments = segments.start
        var left = segmentCount
        var isFirstPass = true
        while left > 0 {
            if !isFirstPass { cursor.put(UInt8(ascii: "$")) }
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
                let isChosen = segment.register == register
                cursor.put(texts.selection(of: segment.register), unless: isChosen)
                register = segment.register
                cursor.put(texts.run(segment.start &- x, of: UInt8(ascii: "?")))
                write(segment, to: &cursor)
                x = segment.end
            }
            left = kept
        }
    }

    @inline(__always)
    private func write(_ segment: Segment, to cursor: inout SixelCursor) {
        let entries = entries.start
        var x = segment.start
        var index = segment.firstEntry
        var run: Int32 = 0
        var sixel: UInt8 = 0
        repeat {
            // Whether an entry goes on as the one before is an even chance: no branch hangs on it.
            let entry = entries[Int(index)]
            let column = Int32(entry.column)
            let isSame = column == x && entry.sixel == sixel
            cursor.put(texts.run(run, of: sixel &+ 63), unless: isSame)
            cursor.put(texts.run(column &- x, of: UInt8(ascii: "?")))
            run = (isSame ? run : 0) &+ Int32(entry.run)
            sixel = entry.sixel
            x = column &+ Int32(entry.run)
            index = entry.next
        } while index >= 0
        cursor.put(texts.run(run, of: sixel &+ 63))
    }
}
