internal import H264
internal import MediaTime

/// What the NAL units of one sample say, before it is decoded.
struct SampleContents {
    /// Where the second field's NAL units begin; nil where one packet holds the sample.
    var fieldBoundary: Int?
    /// Whether there is anything to decode.
    var hasSlices = false
    /// Whether the sample itself carries parameter sets.
    var hasParameterSets = false
    /// The fields that are coded: bit 0 top, bit 1 bottom; both for a frame.
    var fields = 0
    /// Whether the picture is coded as fields.
    var isField = false
    /// Whether a slice's NAL unit header says that the picture is a reference.
    var isReference = false
    /// Nil where no slice header can be read.
    var facts: DamageTracker.Facts?
    var pictureType: VTDecodedFrame.PictureType?
    var sequenceParameterSet: SequenceParameterSet?
}

/// Reads the slice headers of samples in AVCC form.
struct SampleInspector {
    private var parameterSets = ParameterSets()
    private let lengthSize: Int
    /// A slice header's bytes, used again.
    ///
    /// Long ones, with all prediction weights, take some 700.
    private var scratch: [UInt8] = []
    private static let headerLimit = 1024

    /// - Parameters:
    ///   - sets: The NAL units of the format description.
    ///   - lengthSize: Bytes of each length field: 1, 2 or 4.
    init(parameterSets sets: [[UInt8]], lengthSize: Int) {
        self.lengthSize = lengthSize
        replaceParameterSets(with: sets)
    }

    /// Takes the sets of another format description.
    mutating func replaceParameterSets(with sets: [[UInt8]]) {
        for set in sets { parameterSets.insert(set) }
    }

    /// Reads a sample.
    ///
    /// - Parameters:
    ///   - bytes: The sample.
    ///   - presentationTimeStamp: Of the sample.
    ///   - boundary: Where its attachment says that the second field begins.
    /// - Returns: Nil where lengths do not add up to the sample or one of them is 0.
    mutating func inspect(
        _ bytes: UnsafeRawBufferPointer, presentationTimeStamp: CMTime, boundary: Int?
    ) -> SampleContents? {
        guard !bytes.isEmpty else { return nil }
        var contents = SampleContents()
        var first: SliceHeader?
        var isBroken = false
        var coversStart = true
        var previousParity: Bool?
        var endOfSlices = 0
        var recoveryFrameCount: Int?
        var position = 0
        while position < bytes.count {
            guard let length = length(in: bytes, at: position) else { return nil }
            let unit = UnsafeRawBufferPointer(
                rebasing: bytes[position + lengthSize..<position + lengthSize + length])
            let header = NALUnitHeader(byte: unit[0])
            let next = position + lengthSize + length
            switch header.type {
            case .sps, .pps, .spsExtension:
                parameterSets.insert(unit)
                contents.hasParameterSets = true
            case .sei:
                recoveryFrameCount = recoveryFrameCount ?? Self.recoveryFrameCount(unit)
            case _ where header.type.isVCL:
                contents.hasSlices = true
                contents.isReference = contents.isReference || header.referenceIDC != 0
                if header.forbiddenZeroBit { isBroken = true }
                if header.type.hasSliceHeader {
                    if let slice = sliceHeader(unit) {
                        guard slice.redundantPictureCount == 0 else { break }
                        if first == nil { first = slice }
                        if slice.isField, let parity = previousParity,
                            parity != slice.isBottomField, contents.fieldBoundary == nil
                        {
                            contents.fieldBoundary = endOfSlices
                            isBroken = isBroken || !coversStart
                            coversStart = false
                        } else if previousParity == nil {
                            coversStart = false
                        }
                        previousParity = slice.isBottomField
                        if slice.firstMacroblock == 0 { coversStart = true }
                        note(slice, in: &contents)
                    } else {
                        isBroken = true
                    }
                }
                endOfSlices = next
            default: break
            }
            position = next
        }
        if let boundary, boundary > 0, boundary < bytes.count, isUnitStart(boundary, in: bytes) {
            contents.fieldBoundary = boundary
        }
        guard let first else { return contents }
        contents.sequenceParameterSet = first.sequenceParameterSet
        contents.isField = first.isField
        contents.facts?.isIDR = first.isIDR
        contents.facts?.frameNum = first.frameNum
        contents.facts?.maximumFrameNum = first.sequenceParameterSet.maximumFrameNum
        contents.facts?.areGapsAllowed = first.sequenceParameterSet.isFrameNumGapAllowed
        contents.facts?.recoveryFrameCount = recoveryFrameCount
        contents.facts?.isBroken = isBroken || !coversStart
        contents.facts?.presentationTimeStamp = presentationTimeStamp
        return contents
    }

    /// The length field at a position, nil where it or what it announces does not fit, or announces nothing.
    private func length(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        guard bytes.count - position > lengthSize else { return nil }
        var length = 0
        for index in 0..<lengthSize { length = length << 8 | Int(bytes[position + index]) }
        guard length > 0, length <= bytes.count - position - lengthSize else { return nil }
        return length
    }

    private func isUnitStart(_ boundary: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < boundary, let length = length(in: bytes, at: position) {
            position += lengthSize + length
        }
        return position == boundary
    }

    private mutating func sliceHeader(_ unit: UnsafeRawBufferPointer) -> SliceHeader? {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: unit.prefix(Self.headerLimit))
        return try? SliceHeader(nalUnit: scratch) { parameterSets.pictureParameterSet($0) }
    }

    private func note(_ slice: SliceHeader, in contents: inout SampleContents) {
        contents.fields |= !slice.isField ? 3 : slice.isBottomField ? 2 : 1
        var facts =
            contents.facts
            ?? DamageTracker.Facts(
                isIDR: false, isReference: false, isIntra: true, frameNum: 0, maximumFrameNum: 16,
                areGapsAllowed: false, recoveryFrameCount: nil, resetsFrameNum: false,
                isBroken: false, presentationTimeStamp: .invalid)
        facts.isReference = facts.isReference || slice.nalUnitHeader.referenceIDC != 0
        facts.isIntra = facts.isIntra && slice.sliceType.isIntra
        facts.resetsFrameNum =
            facts.resetsFrameNum || slice.referenceMarking?.hasUnmarkAll ?? false
        contents.facts = facts
        switch slice.sliceType {
        case .b: contents.pictureType = .b
        case .p, .sp: if contents.pictureType != .b { contents.pictureType = .p }
        case .i, .si: contents.pictureType = contents.pictureType ?? .i
        }
    }

    private static func recoveryFrameCount(_ unit: UnsafeRawBufferPointer) -> Int? {
        // Most SEI NAL units are one message: its type is the second byte.
        guard let messages = try? SEIMessage.messages(nalUnit: Array(unit)) else { return nil }
        for message in messages {
            if case .recoveryPoint(let point) = message.content { return point.recoveryFrameCount }
        }
        return nil
    }
}
