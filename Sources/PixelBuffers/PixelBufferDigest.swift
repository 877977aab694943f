import CFFmpeg

/// The MD5 of a picture, as ffmpeg's `framemd5` makes it: the visible samples of every plane, tightly packed.
public struct PixelBufferDigest: Hashable, Sendable {
    /// The sixteen bytes.
    public let bytes: [UInt8]

    /// Takes the digest of a picture.
    ///
    /// - Parameter pixelBuffer: The picture; it is only read.
    public init(of pixelBuffer: CVPixelBuffer) {
        guard let context = av_md5_alloc() else {
            // Nothing to tell apart by: as libav itself does, count this as the end.
            preconditionFailure("no memory for an MD5 context")
        }
        defer { av_free(UnsafeMutableRawPointer(context)) }
        av_md5_init(context)
        pixelBuffer.forEachRow { _, _, row in
            av_md5_update(
                context, row.baseAddress?.assumingMemoryBound(to: UInt8.self), row.count)
        }
        bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            av_md5_final(context, buffer.baseAddress)
            count = 16
        }
    }
}

extension PixelBufferDigest: CustomStringConvertible {
    /// The bytes in lower-case hexadecimal.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension CVPixelBuffer {
    /// The picture's MD5 in hexadecimal, as in ffmpeg's `framemd5`.
    public var md5: String { PixelBufferDigest(of: self).description }
}
