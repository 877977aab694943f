import ElementaryStream
import H264

/// `--report frames`: one object an access unit, in presentation order, while the stream is read.
enum FramesReport {
    /// Writes the report of a stream.
    ///
    /// - Returns: Whether a picture that is shown was among it.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        var pictures = ReportedPictures(
            source, rate: options.pictureRate, decodes: options.hasDigests)
        var outcome = ReportOutcome()
        while !output.isClosed, let picture = try pictures.next() {
            outcome.count(picture.timed, isDamaged: picture.isDamaged)
            let range = ReportRange(options, rate: pictures.rate)
            if range.isBehind(picture.timed) { break }
            if range.contains(picture.timed) {
                output.append { line(picture, rate: pictures.rate, into: &$0) }
            }
            if options.isStrict, picture.isDamaged, picture.timed.isShown {
                outcome.isStoppedByDamage = true
                break
            }
        }
        outcome.nals = pictures.nalUnitCount
        return outcome
    }

    private static func line(
        _ picture: ReportedPicture, rate: PictureRate, into bytes: inout [UInt8]
    ) {
        let (timed, unit) = (picture.timed, picture.timed.accessUnit)
        var line = JSONLine(appendingTo: &bytes)
        line.field("frame", timed.presentationRank)
        line.field("decode", timed.decodeRank)
        line.field("pts", timed.presentationTicks)
        line.field("dts", timed.decodeTicks)
        line.field("duration", timed.durationTicks)
        line.field("timescale", rate.timescale)
        for (name, ticks) in [
            ("pts_time" as StaticString, timed.presentationTicks),
            ("dts_time", timed.decodeTicks), ("duration_time", timed.durationTicks),
        ] {
            line.seconds(name, ticks: ticks, timescale: rate.timescale)
        }
        line.field("shown", timed.isShown)
        line.field("type", unit.pictureType.name)
        line.field("idr", unit.isIDR)
        line.field("random_access", unit.randomAccess.reportName)
        line.field("poc", unit.pictureOrderCount.value)
        line.field("frame_num", unit.frameNum)
        line.field("ref", unit.referenceIDC != 0)
        line.field("offset", unit.byteRange.lowerBound)
        line.field("bytes", unit.byteRange.upperBound - unit.byteRange.lowerBound)
        line.field("nals", unit.nalUnits.lazy.map(\.header.type.rawValue))
        line.field("slices", unit.sliceCount)
        line.field("structure", unit.structure.reportName)
        if let picStruct = unit.pictureTiming?.pictureStructure {
            line.field("pic_struct", picStruct)
        }
        let size = unit.sequenceParameterSet.croppedSize
        line.field("width", size.width)
        line.field("height", size.height)
        line.field(
            "pix_fmt", picture.pixelFormat ?? unit.sequenceParameterSet.pixelFormatName)
        line.field("damaged", picture.isDamaged)
        if timed.isShown, let md5 = picture.md5 { line.field("md5", md5) }
        bytes = line.finished()
    }
}
