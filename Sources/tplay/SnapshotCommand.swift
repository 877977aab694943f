import ElementaryStream
import Playback
import PixelBuffers

/// `--snapshot`: one picture of a stream as a PNG file.
enum SnapshotCommand {
    /// - Returns: The exit status.
    static func run(_ options: Options, to path: String) -> Int32 {
        let file = options.files.first ?? ""
        do throws(StreamError) {
            let source = try openByteSource(
                path: file, retainedByteLimit: ReportCommand.retainedByteLimit)
            try ForeignFormat.refuse(source)
            return try write(source, options, to: path)
        } catch {
            Output.complain("\(Printable.text(file)): \(Failure.text(error, file: file))")
            return 1
        }
    }

    private static func write(
        _ source: any ByteSource, _ options: Options, to path: String
    ) throws(StreamError) -> Int32 {
        let file = options.files.first ?? ""
        func fail(_ text: String) { Output.complain("\(Printable.text(file)): \(text)") }
        func complain(_ problem: PlaybackFailure) { fail(Failure.text(problem, file: file)) }
        var request = ReportedPictures.Request(options)
        request.decoding = .images
        request.isInDecodeOrder = false
        var start = RandomAccessTrail.DecodingStart.startOfStream
        if options.start != nil, source.byteCount != nil {
            start = try ReportStart.find(source, request)
        }
        var pictures = ReportedPictures(source, request, from: start)
        var (skipped, undecodable) = (0, 0)
        while let picture = try pictures.next() {
            guard picture.isShown, let image = picture.decoded?.image else {
                // Without a place it is the first picture that can be had.
                if options.start == nil {
                    if picture.isShown { undecodable += 1 } else { skipped += 1 }
                    continue
                }
                let rank = picture.timed.presentationRank
                let reason =
                    picture.isShown
                    ? "cannot be decoded"
                    : "comes before the first random access point is complete; --from-any shows it"
                fail("picture \(rank) \(reason)")
                return 1
            }
            do {
                try PictureFile.write(image, to: path)
            } catch {
                Output.complain("--snapshot \(Printable.text(path)): \(error.text)")
                return 1
            }
            return 0
        }
        if pictures.pictureCount == 0 {
            let nals = pictures.nalUnitCount
            complain(
                .nothingShown(nals == 0 ? .noNALUnits : .noParameterSets(nalUnits: nals)))
        } else if undecodable > 0 {
            complain(.nothingShown(.undecodable(pictures: undecodable)))
        } else if skipped > 0 {
            complain(.nothingShown(.noRandomAccessPoint(pictures: skipped)))
        } else {
            complain(.startBehindEnd(pictures: pictures.pictureCount))
        }
        return 1
    }
}
