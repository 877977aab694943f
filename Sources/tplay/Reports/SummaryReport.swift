import ElementaryStream
import H264

/// `--report summary`: one object on the whole stream, or on a range of its pictures.
enum SummaryReport {
    /// Writes the report of a stream.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        let range = ReportRange(options)
        var sequence = AccessUnitSequence(source, rate: options.pictureRate, releases: true)
        var outcome = ReportOutcome()
        var facts = Facts()
        var firstRankBehind = Int.max
        while sequence.presented.rank < firstRankBehind, let timed = try sequence.next() {
            outcome.pictureCount += 1
            let rate = sequence.rate ?? .default
            if range.contains(timed, rate) {
                let isShown = timed.isShown || options.showsAll
                let picture = ReportedPicture.Facts(
                    rank: timed.presentationRank, isShown: isShown,
                    isDamaged: timed.isDamaged || isShown && !timed.isShown, hasPicture: false)
                outcome.count(picture)
                facts.add(timed)
                if options.isStrict, picture.isBad {
                    outcome.damagedRank = min(outcome.damagedRank ?? .max, picture.rank)
                    firstRankBehind = min(firstRankBehind, picture.rank)
                }
            } else if range.isBehind(timed, rate) {
                // Presentation order is not decoding order: some in the range may come yet.
                firstRankBehind = min(firstRankBehind, timed.presentationRank)
            }
        }
        outcome.nals = sequence.nalUnitCount
        if options.isStrict {
            outcome.undecodableOffset = sequence.undecodableByteRange?.lowerBound
        }
        if range.isWhole, firstRankBehind == .max {
            facts.addRest(nals: sequence.nalUnitCount, bytes: sequence.offset)
        }
        guard let first = facts.first else { return outcome }
        let rate = sequence.rate ?? .default
        output.append { $0.append(contentsOf: line(facts, first, outcome, rate: rate)) }
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
        /// What of them belongs to no picture: slices that nothing explains, with what stands around them.
        var strayNALs = 0
        var strayBytes: Int64 = 0
        /// The largest number of pictures of the range that are decoded before one and presented after it.
        var reorderDepth = 0

        mutating func add(_ timed: TimedAccessUnit) {
            let unit = timed.accessUnit
            if first == nil { first = unit.sequenceParameterSet }
            firstTicks = min(firstTicks, timed.presentationTicks)
            endTicks = max(endTicks, timed.presentationTicks + timed.durationTicks)
            if unit.isIDR { idr += 1 }
            if unit.recoveryPoint != nil { recoveryPoints += 1 }
            if unit.structure == .frame { progressive += 1 } else { interlaced += 1 }
            nals += unit.nalUnits.count
            bytes += unit.byteRange.upperBound - unit.byteRange.lowerBound
            reorderDepth = max(reorderDepth, timed.decodeRank - timed.presentationRank)
            guard unit.undecodableNALCount > 0 else { return }
            strayNALs += unit.undecodableNALCount
            strayBytes +=
                unit.nalUnits[unit.undecodableNALCount].startCodeOffset - unit.byteRange.lowerBound
        }

        /// Adds what is in no access unit, of a stream of so many NAL units and bytes.
        mutating func addRest(nals total: Int, bytes length: Int64) {
            strayNALs += total - nals
            strayBytes += length - bytes
            (nals, bytes) = (total, length)
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
        line.field("stray_nals", facts.strayNALs)
        line.field("stray_bytes", facts.strayBytes)
        return line.finished()
    }
}
