internal import CFFmpeg

/// Fills the lines of a field that is not coded with those of the other, as libavcodec does when it gives such a frame.
enum FieldRepetition {
    /// - Parameters:
    ///   - frame: Planar, its memory not shared.
    ///   - fromBottom: Whether the bottom field is the one that is there.
    static func fill(_ frame: UnsafeMutablePointer<AVFrame>, fromBottom: Bool) {
        guard let descriptor = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format))
        else { return }
        let data = frame.pointee.data
        let strides = frame.pointee.linesize
        let planes = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)]
        for (index, (plane, stride)) in planes.enumerated() {
            guard let plane else { continue }
            let shift = index == 0 ? 0 : Int32(descriptor.pointee.log2_chroma_h)
            let height = -((-frame.pointee.height) >> shift)
            let isWide = descriptor.pointee.comp.0.depth > 8
            let widthShift = index == 0 ? 0 : Int32(descriptor.pointee.log2_chroma_w)
            let width = -((-frame.pointee.width) >> widthShift) * (isWide ? 2 : 1)
            let line = Int(stride)
            av_image_copy_plane(
                plane + (fromBottom ? 0 : line), 2 * stride, plane + (fromBottom ? line : 0),
                2 * stride, width, height / 2)
        }
    }
}
