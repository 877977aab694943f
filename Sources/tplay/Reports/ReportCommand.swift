import ElementaryStream
import Glibc
import Playback

/// `--report`: what is written in place of playing, and the status it ends with.
enum ReportCommand {
    /// Compressed bytes that are kept of a pipe: nobody goes back in it.
    static let retainedByteLimit = 1 << 20

    /// Reports on each file, one after another.
    ///
    /// - Returns: The exit status.
    static func run(_ options: Options, _ report: Options.Report) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var status: Int32 = 0
        var output = Output(descriptor: STDOUT_FILENO)
        for file in options.files {
            do throws(StreamError) {
                let source = try openByteSource(path: file, retainedByteLimit: retainedByteLimit)
                try ForeignFormat.refuse(source)
                if options.isBackwards, source.byteCount == nil {
                    Output.complain(
                        "\(Printable.text(file)): backwards needs a file that can be read at any"
                            + " place; save it first")
                    status = 1
                    continue
                }
                let outcome: ReportOutcome
                switch report {
                case .summary:
                    outcome = try SummaryReport.write(source, options: options, to: &output)
                case .frames:
                    outcome = try FramesReport.write(source, options: options, to: &output)
                case .nals: outcome = try NALsReport.write(source, options: options, to: &output)
                }
                output.flush()
                if let problem = problem(outcome, report, options) {
                    Output.complain("\(Printable.text(file)): \(Failure.text(problem, file: file))")
                    status = 1
                }
            } catch {
                output.flush()
                Output.complain("\(Printable.text(file)): \(Failure.text(error, file: file))")
                status = 1
            }
            // Nobody reads any more: a quiet end.
            if output.isClosed { break }
        }
        if let code = output.failure {
            Output.complain(writing: code)
            return 1
        }
        return status
    }

    private static func problem(
        _ outcome: ReportOutcome, _ report: Options.Report, _ options: Options
    ) -> PlaybackFailure? {
        if let rank = outcome.damagedRank { return .damage(picture: rank) }
        // Without any picture more is to be said than that.
        if let offset = outcome.undecodableOffset, outcome.pictureCount > 0 {
            return .undecodableEnd(offset: offset)
        }
        if report == .nals { return outcome.nals == 0 ? .nothingShown(.noNALUnits) : nil }
        if outcome.pictureCount == 0 {
            return .nothingShown(
                outcome.nals == 0 ? .noNALUnits : .noParameterSets(nalUnits: outcome.nals))
        }
        if outcome.frames == 0 {
            // Where the end is in front of the first picture all the same.
            guard options.start != nil else { return nil }
            return options.until == nil
                ? .startBehindEnd(pictures: outcome.pictureCount) : .emptyRange
        }
        if options.hasDigests, outcome.shown > 0, outcome.decoded == 0 {
            return .nothingShown(.undecodable(pictures: outcome.shown))
        }
        if outcome.shown == 0, options.start == nil, options.until == nil {
            return .nothingShown(.noRandomAccessPoint(pictures: outcome.frames))
        }
        return nil
    }
}
