extension ForeignFormat {
    /// Refuses a source whose first bytes are surely something else than an H.264 byte stream.
    ///
    /// - Throws: ``StreamError/notH264(_:)``, ``StreamError/empty``, or what reading throws.
    public static func refuse(_ source: any ByteSource) throws(StreamError) {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { head.deallocate() }
        var filled = 0
        var isWhole = false
        var isTried = false
        // A pipe may give a few bytes at a time; what decides is mostly in the first ones.
        while filled < head.count, !isWhole {
            let room = UnsafeMutableRawBufferPointer(rebasing: head[filled...])
            let count: Int
            if let silence = source.silence, filled > 0 {
                guard
                    let read = try source.read(
                        into: room, at: Int64(filled), patience: isTried ? 1 << 40 : silence)
                else {
                    // A small picture is not held up for the sake of an odd format.
                    if hasStartCode(.init(rebasing: head[..<filled])) { break }
                    isTried = true
                    continue
                }
                isTried = false
                count = read
            } else {
                count = try source.read(into: room, at: Int64(filled))
            }
            filled += count
            isWhole = count == 0
            if source.byteCount == nil, filled >= 4096 { break }
        }
        if filled == 0 { throw .empty }
        if let format = identify(.init(rebasing: head[..<filled]), isWhole: isWhole) {
            throw .notH264(format)
        }
    }

    private static func hasStartCode(_ head: UnsafeRawBufferPointer) -> Bool {
        head.indices.dropLast(3).contains { index in
            head[index] == 0 && head[index + 1] == 0 && head[index + 2] == 1
        }
    }
}
