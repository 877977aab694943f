public import H264

/// A whole stream as NAL units, each with its bytes, and as the access units they make.
public struct NALUnitSequence: ~Copyable {
    /// What comes next in the stream.
    public enum Element {
        /// A NAL unit; the bytes are lent for the call.
        case nalUnit(NALUnit, UnsafeRawBufferPointer)
        /// An access unit is complete; its NAL units have come before.
        case accessUnit(AccessUnit)
        /// The place in the presentation of the oldest access unit that had none; some later than the unit itself.
        case timing(TimedAccessUnit)
    }

    private var window: ByteWindow
    private var scanner = ByteStreamScanner()
    private var parser = AccessUnitParser()
    private var timer: AccessUnitTimer?

    /// Begins at the start of `source`, of which nothing behind the reading is kept.
    ///
    /// - Parameters:
    ///   - source: The stream.
    ///   - isTimed: Whether ``Element/timing(_:)`` is wanted.
    ///   - rate: The picture rate, in place of the stream's.
    public init(_ source: any ByteSource, isTimed: Bool = false, rate: PictureRate? = nil) {
        window = ByteWindow(on: source, from: 0, releases: true)
        if isTimed { timer = AccessUnitTimer(rate: rate, lookahead: 96) }
    }

    /// How far the stream has been read, in bytes.
    public var offset: Int64 { window.endOffset }

    /// Behind the last access unit, slices that nothing explains; known at the end of the stream.
    public var undecodableByteRange: Range<Int64>? { parser.undecodableByteRange }

    /// The picture rate, known with the first timing.
    public var rate: PictureRate? { timer?.rate }

    /// Reads the stream to its end.
    ///
    /// - Parameter body: Takes each element, and the picture rate as far as known; an access unit comes before the NAL
    ///   unit that shows it to be complete. False ends the reading.
    /// - Throws: What the source throws.
    public mutating func forEach(_ body: (Element, PictureRate?) -> Bool) throws(StreamError) {
        while true {
            while let nal = scanner.next(
                in: window.bytes, windowOffset: window.offset, isEnd: window.isAtEnd)
            {
                guard let bytes = window.bytes(at: nal.offset, count: nal.byteCount) else {
                    continue
                }
                if let unit = parser.append(nal, bytes: bytes), !give(unit, body) { return }
                guard body(.nalUnit(nal, bytes), rate) else { return }
            }
            if window.isAtEnd {
                if let unit = parser.finish(endOffset: window.endOffset) {
                    guard give(unit, body) else { return }
                }
                timer?.finish()
                _ = giveTimings(body)
                return
            }
            try window.slide(keepingFrom: scanner.neededOffset)
        }
    }

    private mutating func give(
        _ unit: AccessUnit, _ body: (Element, PictureRate?) -> Bool
    ) -> Bool {
        guard body(.accessUnit(unit), rate) else { return false }
        timer?.append(AccessUnitReader.Unit(accessUnit: unit, payload: nil))
        return giveTimings(body)
    }

    private mutating func giveTimings(_ body: (Element, PictureRate?) -> Bool) -> Bool {
        while let timed = timer?.next() {
            guard body(.timing(timed), rate) else { return false }
        }
        return true
    }
}
