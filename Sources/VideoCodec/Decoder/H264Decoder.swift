internal import CFFmpeg
internal import CFFmpegShims
internal import Glibc

/// libavcodec's H.264 decoder behind one owner.
///
/// One caller at a time.
///
/// Packets go in with `send`; after each, everything that `receive` has must be taken before the next.
final class H264Decoder {
    /// The order in which pictures come out.
    enum OutputOrder {
        /// Each as soon as its last packet was sent, from `BufferSupply.newestPicture`. One thread, or slice threads.
        case decode
        /// As they are shown, from `receive`, after a delay. Frame threads.
        case presentation
    }

    /// How to decode.
    ///
    /// Fixed for the decoder's life, but for what its methods change.
    struct Configuration {
        var outputOrder: OutputOrder
        var threadCount: Int
        /// Whether what is not decoded is to be the same each time; with several threads what is concealed is not.
        var isReproducible: Bool
        /// The `avcC` record.
        var parameterSets: [UInt8]
        /// Pictures to hold back in presentation order.
        var reorderDepth: Int
        /// Larger pictures are refused by libavcodec before it allocates them.
        var maximumPixelCount: Int64
    }

    /// What `receive` has.
    enum Output: ~Copyable {
        case picture(DecodedFrame)
        /// A packet that was sent some time ago failed; go on receiving.
        case failure(LibavError)
        case needsInput
        case end
    }

    let outputOrder: OutputOrder
    let supply: BufferSupply
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: CompressedPacket

    init(_ configuration: Configuration) throws(LibavError) {
        _ = LibavLog.isSilenced
        cff_set_concealment_hook(supplyPictureBuffer, noteConcealment)
        guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264) else {
            throw LibavError(code: CFF_AVERROR_INVALIDDATA, function: "avcodec_find_decoder")
        }
        packet = try CompressedPacket()
        outputOrder = configuration.outputOrder
        supply = BufferSupply(
            outputOrder: outputOrder, isReproducible: configuration.isReproducible)
        guard let context = avcodec_alloc_context3(codec) else {
            throw .outOfMemory("avcodec_alloc_context3")
        }
        self.context = context
        context.pointee.opaque = Unmanaged.passUnretained(supply).toOpaque()
        context.pointee.get_buffer2 = supplyPictureBuffer
        cff_allow_buffers_from_threads(context)
        context.pointee.thread_count = Int32(configuration.threadCount)
        context.pointee.thread_type = outputOrder == .decode ? FF_THREAD_SLICE : FF_THREAD_FRAME
        // Every picture, whether libavcodec trusts it or not; and cropped to the sample.
        context.pointee.flags |= cff_flag_output_corrupt | Int32(AV_CODEC_FLAG_UNALIGNED)
        context.pointee.max_pixels = configuration.maximumPixelCount
        if outputOrder == .presentation {
            supply.raiseReorderDepth(to: configuration.reorderDepth)
            context.pointee.has_b_frames = Int32(supply.reorderDepth)
        }
        try setParameterSets(configuration.parameterSets)
        try libav("avcodec_open2") { avcodec_open2(context, codec, nil) }
    }

    deinit {
        // Ends the threads, so that nobody calls `supply` any more.
        var doomed: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&doomed)
    }

    private func setParameterSets(_ record: [UInt8]) throws(LibavError) {
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let memory = av_mallocz(record.count + padding) else {
            throw .outOfMemory("av_mallocz")
        }
        record.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { memcpy(memory, start, bytes.count) }
        }
        context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        context.pointee.extradata_size = Int32(record.count)
    }

    /// How buffers must be marked, so that what is not decoded is found.
    ///
    /// libavcodec does not conceal errors in fields, nor in frames with slice threads.
    func marks(forField isField: Bool) -> DecodeMarks.Layout {
        if isField { return .fields }
        return outputOrder == .decode && context.pointee.thread_count > 1 ? .frame : .none
    }

    /// Sends AVCC bytes.
    ///
    /// - Parameters:
    ///   - tag: Comes back with the picture.
    ///   - parameterSets: A record that holds from here on, or nil.
    ///   - prepare: Gives the packet its bytes.
    /// - Throws: What libavcodec said. Without frame threads it is about this packet.
    func send(
        tag: PacketTag, parameterSets: [UInt8]?,
        _ prepare: (borrowing CompressedPacket) throws(LibavError) -> Void
    ) throws(LibavError) {
        defer { packet.clear() }
        try prepare(packet)
        packet.pointer.pointee.pts = tag.timeStamp
        if let parameterSets { try packet.attachParameterSets(parameterSets) }
        try libav("avcodec_send_packet") { avcodec_send_packet(context, packet.pointer) }
    }

    /// Says that nothing more comes.
    ///
    /// `receive` then gives all that was held back, and `.end`.
    func sendEnd() {
        // Can only fail when it was said before.
        _ = avcodec_send_packet(context, nil)
    }

    /// Takes what is ready.
    func receive() -> Output {
        guard let frame = av_frame_alloc() else { return .failure(.outOfMemory("av_frame_alloc")) }
        let owned = DecodedFrame(owning: frame)
        let code = avcodec_receive_frame(context, frame)
        switch code {
        case 0...: return .picture(owned)
        case CFF_AVERROR_EAGAIN: return .needsInput
        case CFF_AVERROR_EOF: return .end
        default: return .failure(LibavError(code: code, function: "avcodec_receive_frame"))
        }
    }

    /// Forgets everything but the parameter sets: pictures held back, references, and an end that was said.
    func reset() {
        avcodec_flush_buffers(context)
        supply.dropCaptures()
    }
}
