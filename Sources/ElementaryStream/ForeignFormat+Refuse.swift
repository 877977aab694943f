extension ForeignFormat {
    /// Refuses a source whose first bytes are surely something else than an H.264 byte stream.
    ///
    /// - Throws: ``StreamError/notH264(_:)``, ``StreamError/empty``, or what reading throws.
    public static func refuse(_ source: any ByteSource) throws(StreamError) {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { head.deallocate() }
        var filled = 0
        var isWhole = false
        // A pipe may give a few bytes at a time; what decides is mostly in the first ones.
        while filled < head.count, !isWhole {
            let count = try source.read(into: .init(rebasing: head[filled...]), at: Int64(filled))
            filled += count
            isWhole = count == 0
            if source.byteCount == nil, filled >= 4096 { break }
        }
        if filled == 0 { throw .empty }
        if let format = identify(.init(rebasing: head[..<filled]), isWhole: isWhole) {
            throw .notH264(format)
        }
    }
}
