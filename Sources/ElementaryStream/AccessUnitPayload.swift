package import H264
package import SampleBuffers

/// The NAL units of an access unit that a decoder needs, each behind a 4-byte length (ISO/IEC 14496-15).
///
/// The one copy of the compressed bytes on their way from the file to libavcodec.
package struct AccessUnitPayload {
    /// Nil where nothing of the unit is left to decode.
    package var blockBuffer: CMBlockBuffer?
    /// Where the second field's NAL units begin, in bytes; nil for a frame or a lone field.
    package var fieldBoundary: Int?
    /// Whether the window no longer held some of it.
    package var isIncomplete = false

    /// Packs `unit`, whose bytes stand in `window`.
    package init(_ unit: AccessUnit, in window: borrowing ByteWindow) {
        let bytes = window.bytes
        let start = window.offset
        let secondField = unit.second?.nalIndices.lowerBound ?? .max
        var byteCount = 0
        for index in unit.nalUnits.indices where Self.keeps(index, of: unit) {
            let nal = unit.nalUnits[index]
            guard nal.offset >= start, nal.offset - start + Int64(nal.byteCount) <= bytes.count
            else {
                isIncomplete = true
                continue
            }
            if index >= secondField, fieldBoundary == nil { fieldBoundary = byteCount }
            byteCount += 4 + nal.byteCount
        }
        guard byteCount > 0 else { return }
        blockBuffer = try? CMBlockBuffer(byteCount: byteCount) { destination in
            var rest = destination
            for index in unit.nalUnits.indices where Self.keeps(index, of: unit) {
                let nal = unit.nalUnits[index]
                guard nal.offset >= start, nal.offset - start + Int64(nal.byteCount) <= bytes.count
                else { continue }
                let first = Int(nal.offset - start)
                rest.storeBytes(of: UInt32(nal.byteCount).bigEndian, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: rest[4...])
                    .copyMemory(from: .init(rebasing: bytes[first..<first + nal.byteCount]))
                rest = .init(rebasing: rest[(4 + nal.byteCount)...])
            }
        }
    }

    /// What 5.4 of the contract keeps: pictures, SEI, and parameter sets that change between two fields.
    ///
    /// Not slices in front that nothing explained: by the picture's own parameter sets they would be decoded into it.
    private static func keeps(_ index: Int, of unit: AccessUnit) -> Bool {
        if index < unit.undecodableNALCount { return false }
        return switch unit.nalUnits[index].header.type {
        case .sps, .pps, .spsExtension: unit.inBandParameterSetIndices.contains(index)
        case .accessUnitDelimiter, .endOfSequence, .endOfStream, .fillerData, .prefix, .subsetSPS,
            .auxiliarySlice, .sliceExtension, .depthSliceExtension:
            false
        default: true
        }
    }
}
