import H264
import SampleBuffers

/// Reads access units one after another from a byte source, and packs their NAL units if asked.
struct AccessUnitReader: ~Copyable {
    /// An access unit as read, and its NAL units for a decoder.
    struct Unit {
        var accessUnit: AccessUnit
        var payload: AccessUnitPayload?
    }

    /// Bytes of one access unit that are kept at most; what is more is left out, and the picture damaged.
    static let maximumUnitByteCount: Int64 = 128 << 20

    private let source: any ByteSource
    private var window: ByteWindow
    private var scanner: ByteStreamScanner
    private var parser: AccessUnitParser
    private let packs: Bool
    /// Where the access unit begins that is being put together.
    private var unitStart: Int64
    private var isFinished = false

    /// NAL units read so far.
    private(set) var nalUnitCount = 0

    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - offset: Where to begin: 0, or the first byte of an access unit.
    ///   - parameterSets: Those in force at `offset`.
    ///   - packs: Whether units carry their payload.
    ///   - releases: Whether nobody else reads the source, and nothing need be kept of it.
    init(
        _ source: any ByteSource, from offset: Int64 = 0,
        parameterSets: ParameterSets = ParameterSets(), packs: Bool, releases: Bool = false
    ) {
        self.source = source
        window = ByteWindow(on: source, from: offset, releases: releases)
        scanner = ByteStreamScanner(offset: offset)
        parser = AccessUnitParser(parameterSets: parameterSets)
        self.packs = packs
        unitStart = offset
    }

    /// A place between two access units, with all that reading on from it takes.
    struct Place {
        fileprivate var scanner: ByteStreamScanner
        fileprivate var parser: AccessUnitParser
        fileprivate var unitStart: Int64
        fileprivate var nalUnitCount: Int
    }

    /// Where the reader is now.
    var place: Place {
        Place(
            scanner: scanner, parser: parser, unitStart: unitStart, nalUnitCount: nalUnitCount)
    }

    /// Whether decoding can begin with the next access unit, as far as its first slice tells.
    var isBeforeRandomAccess: Bool { parser.isRandomAccessUnderWay }

    /// Reads on from a place where another reader of the same bytes was.
    init(_ source: any ByteSource, from place: Place, packs: Bool) {
        self.source = source
        window = ByteWindow(on: source, from: place.unitStart)
        scanner = place.scanner
        parser = place.parser
        unitStart = place.unitStart
        nalUnitCount = place.nalUnitCount
        self.packs = packs
    }

    /// How far the stream has been read, in bytes.
    var offset: Int64 { window.endOffset }

    /// The next access unit, nil at the end of the stream.
    ///
    /// - Throws: What the source throws; the reader can be asked again.
    mutating func next() throws(StreamError) -> Unit? {
        // After a return to a place: its first slice has been looked at before, and is needed again.
        while window.endOffset < scanner.examinedOffset, !isFinished {
            try window.slide(keepingFrom: unitStart)
            if window.isAtEnd { isFinished = true }
        }
        while !isFinished {
            while let nal = scanner.next(
                in: window.bytes, windowOffset: window.offset, isEnd: window.isAtEnd)
            {
                nalUnitCount += 1
                guard let bytes = window.bytes(at: nal.offset, count: nal.byteCount) else {
                    continue
                }
                if let unit = parser.append(nal, bytes: bytes) { return packed(unit) }
            }
            if window.isAtEnd {
                isFinished = true
                guard let unit = parser.finish(endOffset: window.endOffset) else { break }
                return packed(unit)
            }
            var needed = scanner.neededOffset
            if packs {
                needed = min(needed, max(unitStart, window.endOffset - Self.maximumUnitByteCount))
            }
            // Zeros and the like before the first NAL unit are nobody's: a pipe need not keep them.
            if !packs, nalUnitCount == 0 { source.release(before: needed) }
            try window.slide(keepingFrom: needed)
        }
        return nil
    }

    private mutating func packed(_ unit: AccessUnit) -> Unit {
        unitStart = unit.byteRange.upperBound
        guard packs else { return Unit(accessUnit: unit, payload: nil) }
        return Unit(accessUnit: unit, payload: AccessUnitPayload(unit, in: window))
    }
}
