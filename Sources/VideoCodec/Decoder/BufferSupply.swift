internal import CFFmpeg
internal import Synchronization

/// What libavcodec asks for picture memory (`get_buffer2`), on its own threads too.
///
/// The memory is that of libavcodec's pools. This is the place where every picture is seen first: in decode order, as
/// soon as it is begun. What libavcodec offers no other place for is done or noted here.
final class BufferSupply: @unchecked Sendable {
    // SAFETY: everything mutable is behind `state`'s mutex.

    /// A picture's buffers, as a reference of our own, and the frame of libavcodec that it was taken from.
    private struct Capture: @unchecked Sendable {
        // SAFETY: reached only through `state`.
        let frame: UnsafeMutablePointer<AVFrame>
        let source: UnsafeMutablePointer<AVFrame>
        var tag: PacketTag { PacketTag(timeStamp: frame.pointee.pts) }
        func free() {
            var doomed: UnsafeMutablePointer<AVFrame>? = frame
            av_frame_free(&doomed)
        }
    }

    private struct State {
        var reorderDepth: Int32 = 0
        /// Samples whose pictures were begun or had errors concealed, until `takeFacts` asks.
        var begun: Set<Int64> = []
        var concealed: Set<Int64> = []
        /// In decode order the newest picture; in presentation order the marked pictures that are not judged yet.
        var captures: [Capture] = []
        /// Picture memory of this shape that has been seen, by address: what is new to it holds no picture yet.
        var seen: Set<UInt> = []
        var seenShape: (width: Int32, height: Int32, format: Int32) = (0, 0, 0)
        /// What each of libavcodec's threads (by the address of its context) works on.
        var current: [UInt: Int64] = [:]
        /// There was no memory for a picture.
        var isShort = false
    }

    private let state = Mutex(State())
    private let outputOrder: H264Decoder.OutputOrder
    /// Whether what is not decoded is to be the same each time.
    private let isReproducible: Bool

    init(outputOrder: H264Decoder.OutputOrder, isReproducible: Bool) {
        self.outputOrder = outputOrder
        self.isReproducible = isReproducible
    }

    deinit { dropCaptures() }

    // MARK: On libavcodec's threads

    /// Serves `get_buffer2`.
    func supply(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>,
        _ flags: Int32
    ) -> Int32 {
        let code = avcodec_default_get_buffer2(context, frame, flags)
        guard code >= 0 else {
            // libavcodec goes on with the next slice as if the data were broken.
            if code == CFF_AVERROR_ENOMEM { state.withLock { $0.isShort = true } }
            return code
        }
        frame.pointee.opaque = nil
        let tag = PacketTag(timeStamp: frame.pointee.pts)
        if isReproducible || tag.marks != .none || isNew(frame) { GreyPicture.fill(frame) }
        DecodeMarks.place(in: frame, layout: tag.marks)
        // SAFETY: the pictures are touched only under the lock.
        nonisolated(unsafe) let (context, frame) = (context, frame)
        return state.withLock { state in
            if context.pointee.has_b_frames < state.reorderDepth {
                context.pointee.has_b_frames = state.reorderDepth
            }
            state.begun.insert(tag.sample)
            state.current[UInt(bitPattern: context)] = tag.sample
            guard outputOrder == .decode || tag.marks != .none else { return 0 }
            guard let reference = av_frame_clone(frame) else {
                state.isShort = true
                return CFF_AVERROR_ENOMEM
            }
            // Gaps in frame_num are filled with pictures too: the last one is the sample's own.
            state.captures.removeAll { capture in
                guard outputOrder == .decode || capture.tag.sample == tag.sample else {
                    return false
                }
                capture.free()
                return true
            }
            state.captures.append(Capture(frame: reference, source: frame))
            return 0
        }
    }

    /// Whether the memory comes from the system: zeros, which look green.
    private func isNew(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        let address = UInt(bitPattern: frame.pointee.data.0)
        let shape = (
            width: frame.pointee.width, height: frame.pointee.height, format: frame.pointee.format
        )
        return state.withLock { state in
            if state.seenShape != shape {
                state.seenShape = shape
                state.seen.removeAll()
            }
            return state.seen.insert(address).inserted
        }
    }

    /// Notes that libavcodec conceals errors in the picture that a thread works on.
    ///
    /// `decode_error_flags` would say so, but with frame threads a picture that is held back for reordering reaches
    /// the client as another thread's copy of the frame, made before the errors were found.
    func noteConcealment(by context: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: context)
        state.withLock { state in
            if let sample = state.current[address] { state.concealed.insert(sample) }
        }
    }

    // MARK: On the decoder's thread

    /// Pictures that libavcodec must hold back before it hands one out.
    ///
    /// Never shrinks.
    ///
    /// `has_b_frames` of the context that the client holds does not reach frame threads. The context that a thread
    /// passes to `get_buffer2` is its own, and from there the value is handed on from thread to thread.
    func raiseReorderDepth(to depth: Int) {
        state.withLock { $0.reorderDepth = max($0.reorderDepth, Int32(min(max(depth, 0), 16))) }
    }

    /// Whether there was no memory for a picture.
    var isShort: Bool { state.withLock { $0.isShort } }

    /// The depth asked for so far.
    var reorderDepth: Int { state.withLock { Int($0.reorderDepth) } }

    /// What is known of a sample whose packets libavcodec has finished; forgets it.
    ///
    /// - Parameters:
    ///   - sample: Its number.
    ///   - fields: The fields that it codes: bit 0 top, bit 1 bottom.
    /// - Returns: Whether its picture was begun, and whether libavcodec left some of it undecoded.
    func takeFacts(ofSample sample: Int64, fields: Int) -> (wasBegun: Bool, isBroken: Bool) {
        state.withLock { state in
            let wasBegun = state.begun.remove(sample) != nil
            var isBroken = state.concealed.remove(sample) != nil
            guard outputOrder == .presentation else { return (wasBegun, isBroken) }
            while let index = state.captures.firstIndex(where: { $0.tag.sample == sample }) {
                let capture = state.captures.remove(at: index)
                isBroken = DecodeMarks.remain(in: capture.frame, fields: fields) || isBroken
                capture.free()
            }
            return (wasBegun, isBroken)
        }
    }

    /// A new reference to the picture of a field that is alone in its sample, cropped; nil when there is none.
    ///
    /// libavcodec gives no picture of a field whose pair never comes. Before `takeFacts`, in presentation order, and
    /// only when libavcodec has finished the sample.
    func loneField(ofSample sample: Int64, isBottom: Bool) -> DecodedFrame? {
        state.withLock { (state) -> DecodedFrame? in
            guard let capture = state.captures.last(where: { $0.tag.sample == sample }),
                let clone = av_frame_clone(capture.frame)
            else { return nil }
            clone.pointee.interlaced_frame = 1
            clone.pointee.top_field_first = isBottom ? 0 : 1
            av_frame_apply_cropping(clone, Int32(AV_FRAME_CROP_UNALIGNED))
            return DecodedFrame(owning: clone)
        }
    }

    /// A new reference to the newest picture, cropped, or nil when there is none.
    ///
    /// Only in decode order, between packets, when nothing decodes.
    func newestPicture() -> DecodedFrame? {
        state.withLock { (state) -> DecodedFrame? in
            guard let capture = state.captures.last, let clone = av_frame_clone(capture.frame)
            else { return nil }
            // What became known while decoding. libavcodec 59 and 60 keep the frames of their picture table as
            // long as the context; memory and time stamp show whether it still is the same picture.
            let source = capture.source
            if source.pointee.pts == clone.pointee.pts,
                source.pointee.data.0 == clone.pointee.data.0
            {
                clone.pointee.key_frame = source.pointee.key_frame
                clone.pointee.interlaced_frame = source.pointee.interlaced_frame
                clone.pointee.top_field_first = source.pointee.top_field_first
            }
            av_frame_apply_cropping(clone, Int32(AV_FRAME_CROP_UNALIGNED))
            return DecodedFrame(owning: clone)
        }
    }

    /// Lets go of all pictures and forgets what is known of samples.
    func dropCaptures() {
        state.withLock { state in
            for capture in state.captures { capture.free() }
            state.captures.removeAll()
            state.begun.removeAll()
            state.concealed.removeAll()
        }
    }
}

/// `AVCodecContext.get_buffer2`: finds the supply behind `opaque`.
func supplyPictureBuffer(
    _ context: UnsafeMutablePointer<AVCodecContext>?, _ frame: UnsafeMutablePointer<AVFrame>?,
    _ flags: Int32
) -> Int32 {
    guard let context, let frame, let opaque = context.pointee.opaque else {
        return CFF_AVERROR_INVALIDDATA
    }
    return Unmanaged<BufferSupply>.fromOpaque(opaque).takeUnretainedValue()
        .supply(context, frame, flags)
}

/// The concealment hook: `context` is one whose `get_buffer2` is ours.
func noteConcealment(_ context: UnsafeMutableRawPointer?) {
    guard let context,
        let opaque = context.assumingMemoryBound(to: AVCodecContext.self).pointee.opaque
    else { return }
    Unmanaged<BufferSupply>.fromOpaque(opaque).takeUnretainedValue().noteConcealment(by: context)
}
