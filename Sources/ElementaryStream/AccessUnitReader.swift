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
    /// Whether nothing has come since silence was told of.
    private var hasToldSilence = false
    /// Whether it has not been told yet that something follows this unit.
    private var isPauseOpen = true
    /// Up to where padding has been told.
    private var toldOffset: Int64 = 0

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

    /// Behind the last access unit, slices that nothing explains; known at the end of the stream.
    var undecodableByteRange: Range<Int64>? { parser.undecodableByteRange }

    /// What ``step(patience:)`` found.
    enum Step {
        /// The next access unit.
        case unit(Unit)
        /// Nothing more has come for a while, or what has come begins the next unit: ``unitsUnderWay(sliceCount:)`` may
        /// be complete.
        case pause
        case end
    }

    /// The next access unit, nil at the end of the stream.
    ///
    /// - Throws: What the source throws; the reader can be asked again.
    mutating func next() throws(StreamError) -> Unit? {
        while true {
            switch try step(patience: nil) {
            case .unit(let unit): return unit
            case .end: return nil
            case .pause: continue
            }
        }
    }

    /// The next access unit, unless the source gives nothing for `patience` nanoseconds; nil waits for ever.
    mutating func step(patience: UInt64?) throws(StreamError) -> Step {
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
                if let unit = parser.append(nal, bytes: bytes) { return .unit(packed(unit)) }
            }
            if window.isAtEnd {
                isFinished = true
                guard let unit = parser.finish(endOffset: window.endOffset) else { break }
                return .unit(packed(unit))
            }
            if patience != nil, hasReason() { return .pause }
            var needed = scanner.neededOffset
            if packs {
                needed = min(needed, max(unitStart, window.endOffset - Self.maximumUnitByteCount))
            }
            // Zeros and the like before the first NAL unit are nobody's: a pipe need not keep them.
            if !packs, nalUnitCount == 0 { source.release(before: needed) }
            hasToldSilence =
                try !window.slide(keepingFrom: needed, patience: hasToldSilence ? nil : patience)
            if hasToldSilence { return .pause }
        }
        return .end
    }

    /// Whether there is news of the unit under way although bytes keep coming: something follows that begins another, or
    /// padding, of which each piece is told.
    private mutating func hasReason() -> Bool {
        if isInPadding {
            guard scanner.examinedOffset - toldOffset >= Self.skippedByteCount else { return false }
            toldOffset = scanner.examinedOffset
            return true
        }
        guard isPauseOpen, parser.pictureUnderWay?.isFollowed ?? false else { return false }
        isPauseOpen = false
        return true
    }

    /// Whether what comes belongs to no NAL unit.
    var isInPadding: Bool { nalUnitCount > 0 && scanner.isBetweenNALUnits }

    /// The access units that are there if the stream stops here; nothing of the reader changes.
    ///
    /// All but the last are certain. The last is left out where it is certain to be incomplete.
    ///
    /// - Parameter sliceCount: Slices that a picture has at least; 0 takes a first field for whole too.
    /// - Returns: In decoding order; they carry nothing to decode.
    func unitsUnderWay(sliceCount: Int) -> [Unit] {
        var (scanner, parser) = (scanner, parser)
        var units: [Unit] = []
        if let nal = scanner.next(in: window.bytes, windowOffset: window.offset, isEnd: true),
            let bytes = window.bytes(at: nal.offset, count: nal.byteCount),
            let unit = parser.append(nal, bytes: bytes)
        {
            units.append(Unit(accessUnit: unit, payload: nil))
        }
        // Of a first field the second may come a field's time later.
        if let picture = parser.pictureUnderWay,
            picture.isFollowed
                || picture.sliceCount >= sliceCount && (!picture.isFirstField || sliceCount == 0),
            let unit = parser.cut(takesAll: false)
        {
            units.append(Unit(accessUnit: unit, payload: nil))
        }
        return units
    }

    /// The next access unit, of which an index knows that its last NAL unit ends before `end`, where the next one may not
    /// have begun.
    mutating func next(endingBefore end: Int64) throws(StreamError) -> Unit? {
        guard scanner.examinedOffset <= end else { return try next() }
        while window.endOffset < end, !window.isAtEnd {
            try window.slide(keepingFrom: min(unitStart, scanner.neededOffset))
        }
        let count = Int(min(end, window.endOffset) - window.offset)
        while let nal = scanner.next(
            in: .init(rebasing: window.bytes[..<count]), windowOffset: window.offset, isEnd: true)
        {
            guard let bytes = window.bytes(at: nal.offset, count: nal.byteCount) else { continue }
            if let unit = parser.append(nal, bytes: bytes) { return packed(unit) }
        }
        if let unit = parser.cut(takesAll: true) { return packed(unit) }
        return try next()
    }

    /// Leaves out what stands before `offset`, where an access unit begins: padding without end must not be read again.
    mutating func skip(to offset: Int64) {
        guard offset - window.endOffset > Self.skippedByteCount else { return }
        scanner = ByteStreamScanner(offset: offset)
        window = ByteWindow(on: source, from: offset)
        unitStart = offset
    }

    /// More padding than this is worth a new window.
    private static let skippedByteCount: Int64 = 1 << 20

    private mutating func packed(_ unit: AccessUnit) -> Unit {
        isPauseOpen = true
        unitStart = unit.byteRange.upperBound
        guard packs else { return Unit(accessUnit: unit, payload: nil) }
        return Unit(accessUnit: unit, payload: AccessUnitPayload(unit, in: window))
    }
}
