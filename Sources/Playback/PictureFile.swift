import Glibc
import MediaTime
public import PixelBuffers
import VideoCodec

/// A picture kept as a PNG file.
public enum PictureFile {
    /// Why there is none: what failed, in words.
    public struct Failure: Error, Hashable, Sendable {
        /// One line without the file's name.
        public var text: String
    }

    /// Writes a picture, full size, in place of what stands at `path`.
    ///
    /// It is written beside it under another name and renamed: nobody sees half a file, and what was there stays where
    /// something fails.
    ///
    /// - Parameters:
    ///   - pixelBuffer: The picture; it is only read.
    ///   - path: Where it goes.
    /// - Throws: ``Failure``.
    public static func write(
        _ pixelBuffer: CVPixelBuffer, to path: String
    ) throws(Failure) {
        let bytes: [UInt8]
        do {
            bytes = try PNGEncoder.encode(pixelBuffer)
        } catch {
            throw Failure(text: "cannot be made a PNG: \(error.text)")
        }
        // A device or a pipe is written to; only a file is put in the place of a file.
        var facts = stat()
        if unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(text: reason(errno)) }
            let problem = write(bytes, to: descriptor)
            close(descriptor)
            if let problem { throw Failure(text: reason(problem)) }
            return
        }
        let temporary = "\(path).\(getpid()).part"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(text: reason(errno)) }
        var problem = write(bytes, to: descriptor)
        if close(descriptor) != 0, problem == nil { problem = errno }
        if problem == nil, unsafe rename(temporary, path) != 0 { problem = errno }
        guard let problem else { return }
        _ = unsafe unlink(temporary)
        throw Failure(text: reason(problem))
    }

    /// Returns nil, or the errno of what failed.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    descriptor, bytes.baseAddress! + written, bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return nil
    }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
