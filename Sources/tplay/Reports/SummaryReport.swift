import ElementaryStream
import H264

/// `--report summary`: one object on the whole stream.
enum SummaryReport {
    /// Writes the report of a stream.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        var sequence = AccessUnitSequence(source, rate: options.pictureRate)
        var outcome = ReportOutcome()
        var facts = Facts()
        while let timed = try sequence.next() {
            let range = ReportRange(options, rate: sequence.rate ?? .default)
            // Presentation order is not decoding order: a picture behind the end may come before one in the range.
            guard range.contains(timed) else { continue }
            outcome.count(timed, isDamaged: timed.isDamaged)
            facts.add(timed)
        }
        facts.nals = sequence.nalUnitCount
        facts.reorderDepth = sequence.reorderDepth
        facts.bytes = sequence.offset
        outcome.nals = facts.nals
        guard let first = facts.first else { return outcome }
        output.append {
            $0.append(
                contentsOf: line(
                    facts, first, outcome, rate: sequence.rate ?? .default))
        }
        return outcome
    }

    private struct Facts {
        var first: SequenceParameterSet?
        var firstTicks = Int64.max
        var endTicks = Int64.min
        var idr = 0
        var recoveryPoints = 0
        var progressive = 0
        var interlaced = 0
        var nals = 0
        var bytes: Int64 = 0
        var reorderDepth = 0

        mutating func add(_ timed: TimedAccessUnit) {
            let unit = timed.accessUnit
            if first == nil { first = unit.sequenceParameterSet }
            firstTicks = min(firstTicks, timed.presentationTicks)
            endTicks = max(endTicks, timed.presentationTicks + timed.durationTicks)
            if unit.isIDR { idr += 1 }
            if unit.recoveryPoint != nil { recoveryPoints += 1 }
            if unit.structure == .frame { progressive += 1 } else { interlaced += 1 }
        }
    }

    private static func line(
        _ facts: Facts, _ sps: SequenceParameterSet, _ outcome: ReportOutcome, rate: PictureRate
    ) -> [UInt8] {
        let ticks = max(0, facts.endTicks - facts.firstTicks)
        let fraction = rate.fraction
        var line = JSONLine()
        line.field("frames", outcome.frames)
        line.field("shown", outcome.shown)
        line.field("skipped", outcome.frames - outcome.shown)
        line.field("damaged", outcome.damaged)
        line.seconds("duration_time", ticks: ticks, timescale: rate.timescale)
        line.field("fps", "\(fraction.numerator)/\(fraction.denominator)")
        line.field("fps_source", rate.source.rawValue)
        let size = sps.croppedSize
        line.field("width", size.width)
        line.field("height", size.height)
        let ratio = sps.sampleAspectRatio ?? (1, 1)
        line.field("sar", "\(ratio.width):\(ratio.height)")
        line.field("profile", sps.profileName)
        line.field("level", sps.levelName)
        line.field("pix_fmt", sps.pixelFormatName)
        line.field(
            "structure",
            facts.interlaced == 0
                ? "progressive" : facts.progressive == 0 ? "interlaced" : "mixed")
        line.field("reorder_depth", facts.reorderDepth)
        line.field("idr", facts.idr)
        line.field("recovery_points", facts.recoveryPoints)
        line.field("nals", facts.nals)
        line.field("bytes", facts.bytes)
        let bits = Int128(facts.bytes) * 8 * Int128(rate.timescale)
        line.field("bit_rate", ticks > 0 ? Int64(clamping: bits / Int128(ticks)) : 0)
        return line.finished()
    }
}
