/// Gathers NAL units into access units, in decoding order.
///
/// The two fields of a complementary pair make one unit. Redundant and auxiliary pictures, data partitions and the NAL
/// units of other layers and views stay in the unit of their primary picture. NAL units with which nothing can be
/// decoded (before the first parameter sets, say) join the next unit.
///
/// A unit is returned when the first slice of the next one arrives, so that what the stream ends with joins the last.
///
/// Source: ITU-T H.264 (08/2021) 7.4.1.2.3, 7.4.1.2.4.
public struct AccessUnitParser: Sendable {
    /// The most NAL units kept of one access unit; no level allows nearly as many slices.
    public static let maximumNALUnitCount = 1 << 18
    /// The bytes of a slice that are read first: nearly every header fits.
    private static let sliceHeaderByteCount = 64
    /// The bytes of a slice that are read at most: no header is longer.
    private static let longestSliceHeaderByteCount = 4096
    /// The bytes of an SEI NAL unit that are searched for messages.
    private static let longestSEIByteCount = 64 << 10

    /// The parameter sets received so far.
    public private(set) var parameterSets: ParameterSets
    /// All slices so far whose header cannot be parsed.
    public private(set) var unparsableSliceCount = 0
    /// What ``finish(endOffset:)`` found behind the last picture that belongs to slices that cannot be parsed.
    public private(set) var undecodableByteRange: Range<Int64>?

    private var reader = BitReader()
    private var seiBytes: [UInt8] = []
    private var counter = PictureOrderCounter()
    private var tracker = FrameNumTracker()
    private var active: ActiveParameterSets?
    /// `parameterSets.generation` when `active` was made.
    private var activeTableGeneration = 0

    /// The NAL units of the unit under way, and from `boundary` on those that will be the next unit's.
    private var nalUnits: [NALUnit] = []
    private var startOffset: Int64?
    private var boundary: Boundary?
    /// An end of sequence or of stream came: the next slice begins a unit.
    private var isSequenceEnded = false
    private var unit = UnitUnderWay()
    /// SEI for the next picture.
    private var sei = PendingSEI()
    /// Changed parameter sets since the last slice, as indices.
    private var changedParameterSets: [Int] = []

    /// Starts with no NAL unit.
    ///
    /// - Parameter parameterSets: Sets received earlier: those known where a stream is entered in the middle.
    public init(parameterSets: ParameterSets = ParameterSets()) {
        self.parameterSets = parameterSets
    }

    /// Whether decoding can begin with the unit whose NAL units are arriving, as far as its first slice tells.
    public var isRandomAccessUnderWay: Bool {
        guard let first = unit.first else { return false }
        return first.header.isIDR || unit.recoveryPoint != nil
    }

    /// Takes the next NAL unit and returns the access unit that it shows to be complete.
    ///
    /// - Parameters:
    ///   - nal: The NAL unit as the scanner found it.
    ///   - bytes: Its bytes, header byte first; nothing of them is kept but parameter sets.
    /// - Returns: The unit before the one that `nal` belongs to, or nil.
    public mutating func append(_ nal: NALUnit, bytes: UnsafeRawBufferPointer) -> AccessUnit? {
        if startOffset == nil { startOffset = nal.startCodeOffset }
        switch nal.type.rawValue {
        case 1, 2, 5:
            return unsafe appendSlice(nal, bytes)
        case 7, 8:
            noteBoundary(nal)
            let insertion = unsafe parameterSets.insert(bytes)
            if insertion == .changed && unit.first != nil
                && nalUnits.count < Self.maximumNALUnitCount
            {
                changedParameterSets.append(nalUnits.count)
            }
            push(nal)
        case 13:
            unsafe parameterSets.insert(bytes)
            push(nal)
        case 6:
            noteBoundary(nal)
            unsafe readSEI(bytes)
            push(nal)
        case 9:
            noteBoundary(nal)
            boundary?.hasDelimiter = true
            push(nal)
        case 15...18:
            noteBoundary(nal)
            push(nal)
        case 14:
            noteBoundary(nal, isFirm: false)
            push(nal)
        case 10, 11:
            isSequenceEnded = true
            push(nal)
        case 20, 21:
            // They follow the base view's slices of their own unit, so what precedes them was no boundary. Streams
            // with the second view's parameter sets in the middle of the unit break the rule, and exist.
            if boundary?.hasDelimiter == false { forgetBoundary() }
            push(nal)
        default:
            push(nal)
        }
        return nil
    }

    /// Ends the stream.
    ///
    /// - Parameter endOffset: The offset of the stream's end.
    /// - Returns: The last access unit, to which all that is left belongs; nil where there is no picture.
    public mutating func finish(endOffset: Int64) -> AccessUnit? {
        forgetBoundary()
        defer { reset() }
        guard unit.first != nil else {
            undecodableByteRange = startOffset.map { $0..<max($0, endOffset) }
            return nil
        }
        return complete(nextOffset: endOffset)
    }

    /// Ends the unit under way although the next one has not begun; the stream goes on.
    ///
    /// - Parameter takesAll: Whether NAL units that by their type begin the next unit belong to this one all the same.
    /// - Returns: The unit, which ends with its last NAL unit; nil where there is no picture yet.
    public mutating func cut(takesAll: Bool) -> AccessUnit? {
        guard unit.first != nil, let last = nalUnits.last else { return nil }
        if takesAll { forgetBoundary() }
        return complete(nextOffset: last.offset + Int64(last.byteCount))
    }

    /// What is known of the unit under way, where it has a picture: what ``cut(takesAll:)`` would be told by.
    public var pictureUnderWay: (sliceCount: Int, isFirstField: Bool, isFollowed: Bool)? {
        guard let first = unit.first else { return nil }
        return (
            first.sliceCount + (unit.second?.sliceCount ?? 0),
            first.header.isField && unit.second == nil, boundary?.isFirm == true
        )
    }

    /// Forgets the unit under way and what was before it, but not the parameter sets: for going on elsewhere.
    public mutating func reset() {
        counter = PictureOrderCounter()
        tracker = FrameNumTracker()
        nalUnits.removeAll(keepingCapacity: true)
        startOffset = nil
        boundary = nil
        isSequenceEnded = false
        unit = UnitUnderWay()
        sei = PendingSEI()
        changedParameterSets.removeAll()
    }
}

extension AccessUnitParser {
    // MARK: NAL units

    private mutating func push(_ nal: NALUnit) {
        if nalUnits.count >= Self.maximumNALUnitCount {
            unit.damage.insert(.tooManyNALUnits)
            guard unit.first == nil else { return }
            nalUnits.removeAll(keepingCapacity: true)
            unit.undecodableNALCount = 0
        }
        nalUnits.append(nal)
    }

    private mutating func noteBoundary(_ nal: NALUnit, isFirm: Bool = true) {
        guard unit.first != nil else { return }
        if boundary == nil {
            boundary = Boundary(
                index: nalUnits.count, offset: nal.startCodeOffset, isFirm: isFirm)
        } else if isFirm {
            boundary?.isFirm = true
        }
    }

    private mutating func forgetBoundary() {
        guard boundary != nil else { return }
        boundary = nil
        sei = PendingSEI()
        changedParameterSets.removeAll(keepingCapacity: true)
    }

    private mutating func readSEI(_ bytes: UnsafeRawBufferPointer) {
        // Out of `self`, so that the closure may write there; the memory is used again.
        var rbsp: [UInt8] = []
        swap(&rbsp, &seiBytes)
        defer { swap(&rbsp, &seiBytes) }
        rbsp.removeAll(keepingCapacity: true)
        unsafe EmulationPrevention.remove(
            from: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), into: &rbsp,
            limit: Self.longestSEIByteCount)
        SEIMessage.forEach(in: rbsp) { type, range in
            switch type {
            case SEIMessage.recoveryPoint:
                if let message = try? RecoveryPointSEI(payload: Array(rbsp[range])) {
                    sei.recoveryPoint = message
                }
            case SEIMessage.pictureTiming:
                // Two delays and pic_struct take 68 bits.
                sei.pictureTiming = Array(rbsp[range].prefix(16))
            default: break
            }
        }
    }

    // MARK: Slices

    private mutating func appendSlice(
        _ nal: NALUnit, _ bytes: UnsafeRawBufferPointer
    ) -> AccessUnit? {
        var start: SliceHeader.Start?
        var isWhole = true
        guard let header = unsafe readHeader(nal, bytes, &start, &isWhole) else {
            return appendUnparsableSlice(nal, start)
        }
        if !isWhole { unparsableSliceCount += 1 }
        guard header.redundantPictureCount == 0 else {
            if unit.second != nil {
                unit.second?.redundantSliceCount += 1
            } else {
                unit.first?.redundantSliceCount += 1
            }
            push(nal)
            return nil
        }

        var completed: AccessUnit?
        if let current = unit.current {
            if boundary?.isFirm != true, !isSequenceEnded,
                !header.beginsNewPicture(after: current.header),
                header.firstMacroblock != current.header.firstMacroblock
                    || header.colourPlaneID != current.header.colourPlaneID
            {
                boundary = nil
            } else {
                if !isSecondField(header) {
                    completed = complete(nextOffset: nal.startCodeOffset)
                }
                begin(header)
            }
        } else {
            begin(header)
        }
        count(header, isWhole: isWhole)
        push(nal)
        return completed
    }

    /// Returns what tells the picture; `isWhole` is false where the rest of the header is broken.
    private mutating func readHeader(
        _ nal: NALUnit, _ bytes: UnsafeRawBufferPointer, _ start: inout SliceHeader.Start?,
        _ isWhole: inout Bool
    ) -> SliceHeader? {
        unsafe reader.load(nalUnit: bytes, limit: Self.sliceHeaderByteCount)
        guard let read = try? SliceHeader.Start(&reader) else { return nil }
        start = read
        activateWaitingSet(nal, read)
        guard let set = parameterSets.pictureParameterSet(read.pictureParameterSetID),
            var header = try? SliceHeader(nal.header, read, set, &reader)
        else { return nil }
        do throws(BitstreamError) {
            try header.readRest(&reader)
            return header
        } catch {
            guard reader.isPartial, case .truncated = error else {
                isWhole = false
                return header
            }
        }
        unsafe reader.load(nalUnit: bytes, limit: Self.longestSliceHeaderByteCount)
        guard let read = try? SliceHeader.Start(&reader),
            var long = try? SliceHeader(nal.header, read, set, &reader)
        else { return nil }
        isWhole = (try? long.readRest(&reader)) != nil
        return long
    }

    /// Puts a changed sequence parameter set in force, where the slice begins a sequence.
    ///
    /// That is an IDR picture. Streams spliced at a recovery point or an intra
    /// picture would go on with the wrong set for ever, so these count too.
    private mutating func activateWaitingSet(_ nal: NALUnit, _ start: SliceHeader.Start) {
        guard
            let id = parameterSets.sequenceParameterSetID(
                ofPictureParameterSet: start.pictureParameterSetID), parameterSets.isWaiting(id)
        else { return }
        let isIntra = start.sliceTypeCode % 5 == 2 || start.sliceTypeCode % 5 == 4
        let isFirst = unit.first == nil || boundary?.isFirm == true
        if nal.type == .sliceIDR || isFirst && (isIntra || sei.recoveryPoint != nil) {
            parameterSets.activate(id)
        }
    }

    /// The slice cannot be compared with others: only what it says itself tells where it belongs.
    private mutating func appendUnparsableSlice(
        _ nal: NALUnit, _ start: SliceHeader.Start?
    ) -> AccessUnit? {
        unparsableSliceCount += 1
        var completed: AccessUnit?
        if let current = unit.current {
            let header = current.header.nalUnitHeader
            if boundary?.isFirm == true || isSequenceEnded || start?.firstMacroblock == 0
                || (nal.type == .sliceIDR) != current.header.isIDR
                || (nal.header.referenceIDC == 0) != (header.referenceIDC == 0)
            {
                completed = complete(nextOffset: nal.startCodeOffset)
            } else {
                boundary = nil
            }
        }
        push(nal)
        unit.unparsableSliceCount += 1
        if unit.first == nil {
            // Not this picture's: who joins a stream in the middle finds the rest of one, before the parameter sets.
            unit.undecodableNALCount = nalUnits.count
            sei = PendingSEI()
            isSequenceEnded = false
        } else {
            unit.damage.insert(.unparsableSlice)
        }
        return completed
    }

    /// Whether a picture with the header makes a complementary field pair with the one under way.
    ///
    /// Source: ITU-T H.264 (08/2021) 3.30, 3.31.
    private func isSecondField(_ header: SliceHeader) -> Bool {
        guard let first = unit.first, unit.second == nil, !isSequenceEnded else { return false }
        let marking = first.header.referenceMarking
        return first.header.isField && header.isField
            && first.header.isBottomField != header.isBottomField
            && header.frameNum == (marking?.hasUnmarkAll == true ? 0 : first.header.frameNum)
            && !header.isIDR
            && !(first.header.isIDR && header.nalUnitHeader.referenceIDC == 0)
            && header.referenceMarking?.hasUnmarkAll != true
            && header.sequenceParameterSet === first.header.sequenceParameterSet
    }

    /// Begins the unit's first picture, or its second where there is a first.
    private mutating func begin(_ header: SliceHeader) {
        let sequence = header.sequenceParameterSet
        let isSecond = unit.first != nil
        let gap = tracker.next(header, isSecondField: isSecond)
        let picture = PictureUnderWay(
            header: header,
            start: isSecond ? boundary?.index ?? nalUnits.count : unit.undecodableNALCount,
            order: counter.next(header),
            timing: sei.pictureTiming.isEmpty
                ? nil
                : try? PictureTimingSEI(
                    payload: sei.pictureTiming, sequenceParameterSet: sequence),
            type: header.sliceType)
        unit.recoveryPoint = unit.recoveryPoint ?? sei.recoveryPoint
        if isSecond {
            unit.second = picture
            unit.inBandParameterSets = changedParameterSets
        } else {
            parameterSets.noteActive(sequence.id)
            unit.first = picture
            unit.gap = gap
            unit.active = activeSets(sequence)
        }
        boundary = nil
        isSequenceEnded = false
        sei = PendingSEI()
        changedParameterSets.removeAll(keepingCapacity: true)
    }

    private mutating func count(_ header: SliceHeader, isWhole: Bool) {
        if !isWhole {
            unit.unparsableSliceCount += 1
            unit.damage.insert(.unparsableSlice)
        }
        if unit.second != nil {
            unit.second?.add(header)
        } else {
            unit.first?.add(header)
        }
    }

    private mutating func activeSets(_ sequence: SequenceParameterSet) -> ActiveParameterSets {
        if let active, activeTableGeneration == parameterSets.generation,
            active.sequenceParameterSet === sequence
        {
            return active
        }
        activeTableGeneration = parameterSets.generation
        let pictureSets = parameterSets.pictureParameterSets(of: sequence)
        let extended = parameterSets.sequenceParameterSetExtension(sequence.id)
        if let active, active.hasSameContent(sequence, pictureSets, extended),
            active.sequenceParameterSet === sequence
        {
            return active
        }
        let isSame = active?.hasSameContent(sequence, pictureSets, extended) == true
        let generation = (active?.generation ?? 0) &+ (isSame ? 0 : 1)
        let made = ActiveParameterSets(sequence, pictureSets, extended, generation: generation)
        active = made
        return made
    }

    /// Returns the unit under way and begins the next with the NAL units behind the boundary.
    private mutating func complete(nextOffset: Int64) -> AccessUnit? {
        let end = min(boundary?.index ?? nalUnits.count, nalUnits.count)
        let endOffset = boundary?.offset ?? nextOffset
        var rest: [NALUnit] = []
        rest.reserveCapacity(min(max(end, nalUnits.count - end + 1), 64))
        rest.append(contentsOf: nalUnits[end...])
        nalUnits.removeSubrange(end...)
        let completed = unit
        let range = min(startOffset ?? endOffset, endOffset)..<endOffset
        swap(&nalUnits, &rest)

        unit = UnitUnderWay()
        startOffset = endOffset
        boundary = nil
        // Indices of the old unit; of the new one's first picture nobody asks.
        changedParameterSets.removeAll(keepingCapacity: true)

        guard let first = completed.first, let active = completed.active else { return nil }
        var damage = completed.damage
        for nal in rest {
            if nal.isTruncated { damage.insert(.truncatedNALUnit) }
            if nal.header.forbiddenZeroBit && nal.type.isVCL { damage.insert(.forbiddenBit) }
        }
        if !first.hasFirstMacroblock || completed.second?.hasFirstMacroblock == false {
            damage.insert(.missingFirstSlice)
        }
        return AccessUnit(
            nalUnits: rest, byteRange: range, parameterSets: active,
            first: first.coded(end: completed.second?.start ?? end),
            second: completed.second?.coded(end: end), recoveryPoint: completed.recoveryPoint,
            undecodableNALCount: completed.undecodableNALCount,
            unparsableSliceCount: completed.unparsableSliceCount,
            inBandParameterSetIndices: completed.inBandParameterSets,
            frameNumGap: completed.gap, damage: damage)
    }
}
