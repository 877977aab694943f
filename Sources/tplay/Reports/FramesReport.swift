import ElementaryStream
import H264
import PixelBuffers

/// `--report frames`: one object an access unit, in the order asked for, while the stream is read.
enum FramesReport {
    /// Writes the report of a stream.
    ///
    /// - Returns: What was learnt of the stream.
    static func write(
        _ source: any ByteSource, options: Options, to output: inout Output
    ) throws(StreamError) -> ReportOutcome {
        let request = ReportedPictures.Request(options)
        if options.isBackwards {
            return try BackwardFramesReport.write(source, request, options, to: &output)
        }
        var start = RandomAccessTrail.DecodingStart.startOfStream
        // A pipe cannot be gone back in: it is decoded as it comes.
        if options.start != nil, request.decoding != .none, source.byteCount != nil {
            start = try ReportStart.find(source, request)
        }
        var pictures = ReportedPictures(source, request, from: start)
        var outcome = ReportOutcome()
        while !output.isClosed, let picture = try pictures.next() {
            outcome.count(picture)
            output.append { line(picture, rate: pictures.rate, into: &$0) }
            if options.isStrict, picture.facts.isBad {
                outcome.damagedRank = picture.facts.rank
                break
            }
        }
        outcome.nals = pictures.nalUnitCount
        outcome.pictureCount = pictures.pictureCount
        if options.isStrict { outcome.undecodableOffset = pictures.undecodableOffset }
        return outcome
    }

    /// Appends a picture's line.
    static func line(
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
        line.seconds("pts_time", ticks: timed.presentationTicks, timescale: rate.timescale)
        line.seconds("dts_time", ticks: timed.decodeTicks, timescale: rate.timescale)
        line.seconds("duration_time", ticks: timed.durationTicks, timescale: rate.timescale)
        line.field("shown", picture.isShown)
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
            "pix_fmt",
            picture.decoded?.pixelFormat?.name ?? unit.sequenceParameterSet.pixelFormatName)
        line.field("damaged", picture.isDamaged)
        if picture.isShown, let digest = picture.decoded?.digest { line.field("md5", digest) }
        bytes = line.finished()
    }
}
