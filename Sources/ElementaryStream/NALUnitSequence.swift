public import H264

/// A whole stream as NAL units, each with its bytes, and as the access units they make.
public struct NALUnitSequence: ~Copyable {
    /// What comes next in the stream.
    public enum Element {
        /// A NAL unit; the bytes are lent for the call.
        case nalUnit(NALUnit, UnsafeRawBufferPointer)
        /// An access unit is complete; its NAL units have come before.
        case accessUnit(AccessUnit)
    }

    private var window: ByteWindow
    private var scanner = ByteStreamScanner()
    private var parser = AccessUnitParser()

    /// Begins at the start of `source`.
    public init(_ source: any ByteSource) {
        window = ByteWindow(on: source, from: 0)
    }

    /// How far the stream has been read, in bytes.
    public var offset: Int64 { window.endOffset }

    /// Reads the stream to its end.
    ///
    /// - Parameter body: Takes each element; an access unit comes before the NAL unit that shows it to be complete.
    ///   False ends the reading.
    /// - Throws: What the source throws.
    public mutating func forEach(_ body: (Element) -> Bool) throws(StreamError) {
        while true {
            while let nal = scanner.next(
                in: window.bytes, windowOffset: window.offset, isEnd: window.isAtEnd)
            {
                guard let bytes = window.bytes(at: nal.offset, count: nal.byteCount) else {
                    continue
                }
                if let unit = parser.append(nal, bytes: bytes), !body(.accessUnit(unit)) { return }
                guard body(.nalUnit(nal, bytes)) else { return }
            }
            if window.isAtEnd {
                if let unit = parser.finish(endOffset: window.endOffset) {
                    _ = body(.accessUnit(unit))
                }
                return
            }
            try window.slide(keepingFrom: scanner.neededOffset)
        }
    }
}
