internal import CFFmpeg

/// One decoded picture, sole owner of the `AVFrame` behind it.
struct DecodedFrame: ~Copyable {
    private let frame: UnsafeMutablePointer<AVFrame>

    /// Takes over a frame.
    init(owning frame: UnsafeMutablePointer<AVFrame>) { self.frame = frame }

    /// An empty frame.
    init() throws(LibavError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory("av_frame_alloc") }
        self.frame = frame
    }

    deinit {
        var doomed: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&doomed)
    }

    /// The frame, for one call.
    var pointer: UnsafeMutablePointer<AVFrame> { frame }

    /// Which sample the picture belongs to.
    var tag: PacketTag { PacketTag(timeStamp: frame.pointee.pts) }

    /// Gives up ownership.
    consuming func release() -> UnsafeMutablePointer<AVFrame> {
        let released = frame
        discard self
        return released
    }
}

/// A decoded picture that is kept for later.
final class HeldFrame {
    private var frame: UnsafeMutablePointer<AVFrame>?

    init(_ picture: consuming DecodedFrame) { frame = picture.release() }

    deinit { av_frame_free(&frame) }

    /// Gives the picture; only once.
    func take() -> DecodedFrame? {
        guard let taken = frame else { return nil }
        frame = nil
        return DecodedFrame(owning: taken)
    }
}

/// What a packet carries through libavcodec as its time stamp: the sample it comes from, and how its buffer is marked.
struct PacketTag: Hashable {
    /// Counts samples in the order in which they were sent.
    var sample: Int64
    /// How buffers for the picture are marked, to find what is not decoded.
    var marks: DecodeMarks.Layout

    init(sample: Int64, marks: DecodeMarks.Layout) {
        self.sample = sample
        self.marks = marks
    }

    init(timeStamp: Int64) {
        sample = timeStamp >> 2
        marks = DecodeMarks.Layout(rawValue: Int(timeStamp & 3)) ?? .none
    }

    var timeStamp: Int64 { sample << 2 | Int64(marks.rawValue) }
}
