internal import CFFmpeg
internal import PixelBuffers

/// Lends pictures to libavcodec without a copy.
enum FrameLoan {
    /// Makes a frame refer to a picture's planes and keep the picture alive.
    ///
    /// - Parameters:
    ///   - picture: Of a format that libavutil knows.
    ///   - frame: An empty frame.
    /// - Throws: When memory is short.
    static func lend(
        _ picture: CVPixelBuffer, to frame: UnsafeMutablePointer<AVFrame>
    ) throws(LibavError) {
        let planes = picture.withPlanes { $0 }
        let retained = Unmanaged.passRetained(picture)
        // One reference for the whole picture: what counts is who frees it. libavcodec only reads.
        let buffer = av_buffer_create(
            planes.addresses[0], picture.dataSize, releaseLentPicture, retained.toOpaque(),
            Int32(AV_BUFFER_FLAG_READONLY))
        guard let buffer else {
            retained.release()
            throw .outOfMemory("av_buffer_create")
        }
        frame.pointee.buf.0 = buffer
        frame.pointee.data.0 = planes.addresses[0]
        frame.pointee.data.1 = planes.addresses[1]
        frame.pointee.data.2 = planes.addresses[2]
        frame.pointee.linesize.0 = planes.bytesPerRow[0]
        frame.pointee.linesize.1 = planes.bytesPerRow[1]
        frame.pointee.linesize.2 = planes.bytesPerRow[2]
        frame.pointee.width = Int32(picture.width)
        frame.pointee.height = Int32(picture.height)
        frame.pointee.format = picture.pixelFormat.avPixelFormat.rawValue
    }
}

/// `av_buffer_create`'s free function.
private func releaseLentPicture(
    _ opaque: UnsafeMutableRawPointer?, _ data: UnsafeMutablePointer<UInt8>?
) {
    if let opaque { Unmanaged<CVPixelBuffer>.fromOpaque(opaque).release() }
}
