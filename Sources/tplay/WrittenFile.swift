import Glibc

/// A file that an option has written.
enum WrittenFile {
    /// Refuses to write over what is to be read: nothing of a clip is ever lost.
    ///
    /// - Throws: ``UsageError`` where `path` is one of the files to play, by whatever name.
    static func refuse(
        _ path: String?, of option: String, among files: [String]
    ) throws(UsageError) {
        guard let path, let written = facts(path) else { return }
        for file in files {
            // `-` is the standard input.
            guard let read = file == "-" ? facts(STDIN_FILENO) : facts(file),
                read.st_mode & S_IFMT == S_IFREG,
                read.st_dev == written.st_dev, read.st_ino == written.st_ino
            else { continue }
            throw UsageError(
                text: "\(option) \(Printable.text(path)): would write over the file to be played")
        }
    }

    /// Nil where there is no such file.
    private static func facts(_ path: String) -> stat? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts : nil
    }

    private static func facts(_ descriptor: Int32) -> stat? {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 ? facts : nil
    }
}
