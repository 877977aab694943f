import ElementaryStream
import H264

/// `--report nals`: one object a NAL unit, in the order of the stream.
struct NALsReport: ~Copyable {
    /// Bytes of a parameter set, SEI or slice header that are looked at.
    private static let maximumByteCount = 64 << 10

    /// Lines whose access unit is not known yet: what stands before `decode` in them, and behind.
    private var pending: [(head: [UInt8], tail: [UInt8])] = []
    private var parameterSets = ParameterSets()
    private var outcome = ReportOutcome()
    private var decodeRank = 0
    private let report: ReportRange

    /// Writes the report of a stream.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        var report = NALsReport(report: ReportRange(options, rate: options.pictureRate ?? .default))
        var sequence = NALUnitSequence(source)
        try sequence.forEach { element in
            switch element {
            case .nalUnit(let nal, let bytes):
                unsafe report.add(nal, bytes)
                // Leading NAL units that begin no picture are not kept without end.
                if report.pending.count > 1 << 16 {
                    report.write(1 << 15, decode: nil, to: &output)
                }
            case .accessUnit(let unit): report.finish(unit, to: &output)
            }
            return !output.isClosed
        }
        report.write(report.pending.count, decode: nil, to: &output)
        return report.outcome
    }

    private init(report: ReportRange) { self.report = report }

    private mutating func finish(_ unit: AccessUnit, to output: inout Output) {
        write(min(unit.undecodableNALCount, pending.count), decode: nil, to: &output)
        write(pending.count, decode: decodeRank, to: &output)
        decodeRank += 1
        outcome.frames += 1
    }

    private mutating func write(_ count: Int, decode: Int?, to output: inout Output) {
        for line in pending[..<count] {
            output.append { bytes in
                bytes.append(contentsOf: line.head)
                bytes.append(contentsOf: ",\"decode\":".utf8)
                bytes.append(contentsOf: (decode.map(String.init) ?? "null").utf8)
                bytes.append(contentsOf: line.tail)
            }
        }
        pending.removeFirst(count)
    }

    private mutating func add(_ nal: NALUnit, _ bytes: UnsafeRawBufferPointer) {
        var head = JSONLine()
        head.field("nal", outcome.nals)
        head.field("offset", nal.startCodeOffset)
        head.field("start_code", nal.startCodeLength)
        head.field("bytes", nal.byteCount)
        head.field("type", nal.header.type.rawValue)
        head.field("name", nal.header.type.name)
        head.field("ref_idc", nal.header.referenceIDC)
        if nal.header.forbiddenZeroBit { head.field("forbidden_zero_bit", 1) }
        outcome.nals += 1
        var tail = JSONLine(continuing: ())
        let beginning = unsafe Array(bytes.prefix(Self.maximumByteCount))
        switch nal.header.type {
        case .sps:
            parameterSets.insert(beginning)
            if let sps = try? SequenceParameterSet(nalUnit: beginning) { tail.fields(of: sps) }
        case .pps:
            parameterSets.insert(beginning)
            if let (id, _) = try? PictureParameterSet.identifiers(nalUnit: beginning),
                let pps = parameterSets.pictureParameterSet(id)
            {
                tail.fields(of: pps)
            }
        case .sei:
            if let messages = try? SEIMessage.messages(nalUnit: beginning) {
                tail.fields(of: messages, parameterSets)
            }
        case .sliceNonIDR, .sliceIDR, .sliceDataPartitionA, .auxiliarySlice:
            var sets = parameterSets
            if let slice = try? SliceHeader(
                nalUnit: beginning, pictureParameterSet: { sets.pictureParameterSet($0) })
            {
                parameterSets = sets
                if slice.isIDR { parameterSets.activate(slice.sequenceParameterSet.id) }
                tail.fields(of: slice)
            }
        default: break
        }
        pending.append((head.unfinished(), tail.finished()))
    }
}
