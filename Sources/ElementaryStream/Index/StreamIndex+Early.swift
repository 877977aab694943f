import H264
import MediaTime

/// Access units of a pipe that are indexed before the next one proves them complete.
extension StreamIndex.State {
    /// What an early entry is known by again.
    struct Early {
        /// Bytes of its slices: more of them come, and it was not complete.
        var sliceByteCount: Int
        /// Where its last NAL unit ends.
        var end: Int64

        init(_ unit: AccessUnit) {
            sliceByteCount = unit.nalUnits.reduce(0) {
                $1.type.isVCL ? $0 + $1.byteCount : $0
            }
            let last = unit.nalUnits.last
            end = last.map { $0.offset + Int64($0.byteCount) } ?? unit.byteRange.upperBound
        }
    }

    /// Takes certain entries, in the place of early ones, and early ones behind them.
    ///
    /// - Parameters:
    ///   - certain: Entries, and what they are known by.
    ///   - newEarly: Entries and what they are known by, where they are known anew; nil leaves those that are there.
    /// - Returns: Whether an early one is seen to have been incomplete.
    mutating func enter(
        _ certain: [(entry: IndexEntry, known: Early)],
        early newEarly: [(entry: IndexEntry, known: Early)]?
    ) -> Bool {
        let first = entries.count - early.count
        var isMistaken = false
        let fresh = certain.map(\.known) + (newEarly ?? []).map(\.known)
        for (index, (old, new)) in zip(early, fresh).enumerated() {
            let rank = first + index
            let isRefused = refusedRank == rank && index < certain.count
            if isRefused { refusedRank = nil }
            guard old.sliceByteCount != new.sliceByteCount || isRefused else { continue }
            isMistaken = isMistaken || !isRefused
            if rank < consumedRank { amendedRank = min(amendedRank ?? rank, rank) }
        }
        let keptEntries = newEarly == nil ? entries.dropFirst(first + certain.count) : []
        let kept = newEarly == nil ? early.dropFirst(certain.count) : []
        let tail = Array(keptEntries)
        entries.removeLast(early.count)
        for (entry, known) in certain {
            notePadding(before: entry.offset)
            entries.append(entry)
            certainLastRank = max(certainLastRank, Int(entry.presentationRank))
            frontier.add(Int(entry.presentationRank))
            lastEnd = known.end
        }
        early = Array(kept)
        entries.append(contentsOf: tail)
        for (entry, known) in newEarly ?? [] {
            entries.append(entry)
            early.append(known)
        }
        return isMistaken
    }

    /// Whether the player needs more than there is: it has taken all, or there is nothing yet to begin with.
    var isAwaited: Bool { shownCount == 0 || consumedRank >= entries.count }

    /// The padding that is not worth reading again.
    private static var longPadding: Int64 { 1 << 20 }

    private mutating func notePadding(before offset: Int64) {
        guard !entries.isEmpty, offset - lastEnd > Self.longPadding else { return }
        paddedEnds[entries.count - 1] = lastEnd
    }

    /// An offset before which the last NAL unit of an indexed access unit ends, and no other begins.
    func end(ofDecodeRank rank: Int) -> Int64 {
        let certain = entries.count - early.count
        if rank >= certain { return early[rank - certain].end }
        if let end = paddedEnds[rank] { return end }
        return rank + 1 < certain ? entries[rank + 1].offset : lastEnd
    }
}

extension StreamIndex {
    /// Whether the access unit may yet turn out to be incomplete.
    public func isEarly(decodeRank: Int) -> Bool {
        state.withLock { $0.entries.count - $0.early.count <= decodeRank }
    }

    /// Tells that an early access unit cannot be decoded as a whole: it is to be read again when it is certain.
    ///
    /// - Returns: False where it has become certain meanwhile.
    public func refuse(decodeRank: Int) -> Bool {
        state.withLock { state in
            guard state.entries.count - state.early.count <= decodeRank else { return false }
            state.refusedRank = decodeRank
            return true
        }
    }
}
