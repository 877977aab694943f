import ElementaryStream
import H264

/// `--report nals`: one object a NAL unit, in the order of the stream.
struct NALsReport: ~Copyable {
    /// Bytes of a parameter set or SEI that are looked at.
    private static let maximumByteCount = 64 << 10
    /// Bytes of a slice in which nearly every header ends, and that no header is longer than.
    private static let sliceByteCounts = [128, 4096]
    /// NAL units that begin no picture are not kept without end.
    private static let maximumPendingCount = 1 << 16

    /// A line but for `,"decode":` and its value, which go in at `place`.
    private struct Line {
        /// Where the NAL unit's start code begins.
        var offset: Int64
        var bytes: [UInt8]
        var place: Int
    }

    /// Lines whose access unit is not known yet.
    private var pending: [Line] = []
    /// With a range, in decoding order: the lines of access units of which is not known yet whether they are in it.
    private var untimed: [[UInt8]] = []
    private var parameterSets = ParameterSets()
    private var outcome = ReportOutcome()
    private let range: ReportRange
    private let isStrict: Bool
    private let showsAll: Bool
    private var firstRankBehind = Int.max
    private var presented = RankFrontier()

    /// Writes the report of a stream.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        var report = NALsReport(options)
        var sequence = NALUnitSequence(
            source, isTimed: report.isTimed, rate: options.pictureRate)
        try sequence.forEach { element, rate in
            switch element {
            case .nalUnit(let nal, let bytes):
                unsafe report.add(nal, bytes)
                if report.pending.count > maximumPendingCount {
                    report.write(maximumPendingCount / 2, decode: nil, to: &output)
                }
            case .accessUnit(let unit): report.finish(unit, to: &output)
            case .timing(let timed):
                guard report.place(timed, rate ?? .default, &output) else { return false }
            }
            return !output.isClosed
        }
        if report.outcome.damagedRank == nil {
            report.write(report.pending.count, decode: nil, to: &output)
        }
        if options.isStrict {
            report.outcome.undecodableOffset = sequence.undecodableByteRange?.lowerBound
        }
        return report.outcome
    }

    private init(_ options: Options) {
        range = ReportRange(options)
        isStrict = options.isStrict
        showsAll = options.showsAll
    }

    /// Whether lines wait until more is known of their pictures.
    private var isTimed: Bool { !range.isWhole || isStrict }

    private mutating func finish(_ unit: AccessUnit, to output: inout Output) {
        let decodeRank = outcome.pictureCount
        outcome.pictureCount += 1
        // Delimiters, parameter sets and SEI of the next unit have come already.
        let end = unit.byteRange.upperBound
        let count = pending.firstIndex { $0.offset >= end } ?? pending.count
        let leading = min(unit.undecodableNALCount, count)
        guard !isTimed else {
            var bytes: [UInt8] = []
            for (index, line) in pending[..<count].enumerated() {
                Self.append(line, decode: index < leading ? nil : decodeRank, to: &bytes)
            }
            pending.removeFirst(count)
            untimed.append(bytes)
            return
        }
        write(leading, decode: nil, to: &output)
        write(count - leading, decode: decodeRank, to: &output)
    }

    /// Writes the access unit's lines if it is in the range.
    ///
    /// - Returns: False when nothing more can be in it.
    private mutating func place(
        _ timed: TimedAccessUnit, _ rate: PictureRate, _ output: inout Output
    ) -> Bool {
        presented.add(timed.presentationRank)
        let lines = untimed.removeFirst()
        if range.contains(timed, rate) {
            outcome.frames += 1
            output.append { $0.append(contentsOf: lines) }
            if isStrict, timed.isShown ? timed.isDamaged : showsAll {
                outcome.damagedRank = min(outcome.damagedRank ?? .max, timed.presentationRank)
                firstRankBehind = min(firstRankBehind, timed.presentationRank)
            }
        } else if range.isBehind(timed, rate) {
            firstRankBehind = min(firstRankBehind, timed.presentationRank)
        }
        return presented.rank < firstRankBehind
    }

    private mutating func write(_ count: Int, decode: Int?, to output: inout Output) {
        // What belongs to no picture is in no range of pictures.
        if range.isWhole {
            for line in pending[..<count] {
                output.append { Self.append(line, decode: decode, to: &$0) }
            }
        }
        pending.removeFirst(count)
    }

    private static func append(_ line: Line, decode: Int?, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: line.bytes[..<line.place])
        bytes.append(contentsOf: ",\"decode\":".utf8)
        if let decode {
            Decimal.append(Int64(decode), to: &bytes)
        } else {
            bytes.append(contentsOf: "null".utf8)
        }
        bytes.append(contentsOf: line.bytes[line.place...])
    }

    private mutating func add(_ nal: NALUnit, _ bytes: UnsafeRawBufferPointer) {
        var line = JSONLine()
        line.field("nal", outcome.nals)
        line.field("offset", nal.startCodeOffset)
        line.field("start_code", nal.startCodeLength)
        line.field("bytes", nal.byteCount)
        line.field("type", nal.header.type.rawValue)
        line.field("name", nal.header.type.name)
        line.field("ref_idc", nal.header.referenceIDC)
        if nal.header.forbiddenZeroBit { line.field("forbidden_zero_bit", 1) }
        let place = line.byteCount
        outcome.nals += 1
        unsafe addFields(nal, bytes, to: &line)
        pending.append(
            Line(offset: nal.startCodeOffset, bytes: line.finished(), place: place))
    }

    private mutating func addFields(
        _ nal: NALUnit, _ bytes: UnsafeRawBufferPointer, to line: inout JSONLine
    ) {
        switch nal.header.type {
        case .sps:
            let whole = unsafe Array(bytes.prefix(Self.maximumByteCount))
            parameterSets.insert(whole)
            do throws(BitstreamError) {
                line.fields(of: try SequenceParameterSet(nalUnit: whole))
            } catch {
                line.field("error", error.description)
            }
        case .pps:
            let whole = unsafe Array(bytes.prefix(Self.maximumByteCount))
            parameterSets.insert(whole)
            do throws(BitstreamError) {
                let (id, sequence) = try PictureParameterSet.identifiers(nalUnit: whole)
                if let pps = parameterSets.pictureParameterSet(id) {
                    line.fields(of: pps)
                } else {
                    line.field("pic_parameter_set_id", id)
                    line.field("seq_parameter_set_id", sequence)
                    line.field("error", "its sequence parameter set is not there, or it is broken")
                }
            } catch {
                line.field("error", error.description)
            }
        case .sei:
            let whole = unsafe Array(bytes.prefix(Self.maximumByteCount))
            if let messages = try? SEIMessage.messages(nalUnit: whole) {
                line.fields(of: messages, parameterSets)
            }
        case .sliceNonIDR, .sliceIDR, .sliceDataPartitionA, .auxiliarySlice:
            var sets = parameterSets
            for count in Self.sliceByteCounts {
                let beginning = unsafe Array(bytes.prefix(count))
                guard
                    let slice = try? SliceHeader(
                        nalUnit: beginning, pictureParameterSet: { sets.pictureParameterSet($0) })
                else { continue }
                parameterSets = sets
                if slice.isIDR { parameterSets.activate(slice.sequenceParameterSet.id) }
                line.fields(of: slice)
                break
            }
        default: break
        }
    }
}
