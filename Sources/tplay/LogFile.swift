import Glibc
import VideoCodec

/// Where libav's messages go with `--log`: a line each, as they come.
enum LogFile {
    /// Opens the file, emptied, and sends the messages there.
    ///
    /// - Throws: ``UsageError`` where it cannot be written.
    static func open(_ path: String) throws(UsageError) {
        let descriptor = unsafe Glibc.open(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw UsageError(text: "--log \(Printable.text(path)): \(reason)")
        }
        LibavLog.setSink(level: .info) { level, line in
            let name =
                level <= .error ? "error" : level == .warning ? "warning" : "info"
            var text = "\(name): \(Printable.text(line))\n"
            // One write a line: lines of several threads do not mix.
            text.withUTF8 { bytes in
                _ = unsafe write(descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }
}
