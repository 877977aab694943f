import Glibc
import VideoCodec

/// The command: what the options ask for, done.
enum Command {
    /// - Returns: The exit status.
    /// - Throws: ``UsageError`` where an option cannot be obeyed.
    static func run(_ options: Options) throws(UsageError) -> Int32 {
        if options.wantsHelp || options.wantsVersion {
            var output = Output(descriptor: STDOUT_FILENO)
            output.append(options.wantsHelp ? Help.text : Version.text)
            output.flush()
            if let code = output.failure {
                Output.complain(writing: code)
                return 1
            }
            return 0
        }
        if options.probesTerminal || options.wantsTestPattern {
            let status = options.probesTerminal ? ProbeCommand.run(options) : 0
            return status == 0 && options.wantsTestPattern
                ? TestPatternCommand.run(options) : status
        }
        let files = options.files
        // Of what is typed nothing would come; another terminal line, as a camera's, is not that of the session.
        if files.contains("-"), tcgetpgrp(STDIN_FILENO) >= 0 {
            throw UsageError(
                text: "-: the standard input is the terminal; pipe a stream into tplay")
        }
        try WrittenFile.refuse(options.logPath, of: "--log", among: files)
        try WrittenFile.refuse(options.snapshotPath, of: "--snapshot", among: files)
        if let path = options.logPath { try LogFile.open(path) }
        if let path = options.snapshotPath { return SnapshotCommand.run(options, to: path) }
        if let report = options.report { return ReportCommand.run(options, report) }
        return PlayCommand.run(options)
    }
}
