internal import CFFmpeg
internal import H264
internal import MediaTime
internal import PixelBuffers

/// libavcodec's libx264 behind one owner.
///
/// One caller at a time.
final class H264Encoder {
    /// What `receive` has.
    enum Output: ~Copyable {
        case picture(EncodedPicture)
        case needsInput
        case end
        case failure(LibavError)
    }

    /// Ticks a second of the time stamps that libx264 gets: a multiple of all usual picture rates, so that times are
    /// exact.
    static let timescale: Int32 = 705_600_000

    /// libavcodec's name of the encoder.
    static let name = "libx264"
    /// 2^30: libx264's word for "never by itself".
    private static let infiniteInterval: Int32 = 1 << 30

    let plan: EncoderPlan
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: CompressedPacket
    private let frame: UnsafeMutablePointer<AVFrame>
    private(set) var rates: EncoderPlan.Rates
    /// How much longer pictures last than the frame rate says, where libx264 does not look at their times.
    private var stretch = 1.0
    /// How much more is to be spent than was asked for, to come to the average.
    private var correction = 1.0

    /// What is missing, nil where libavcodec has the encoder.
    static func fault(named name: String = H264Encoder.name) -> String? {
        guard avcodec_find_encoder_by_name(name) == nil else { return nil }
        return "\(LibavVersions.text) has no encoder \(name) for H.264: it was built without"
            + " --enable-libx264; Debian's package libavcodec59 (or newer) has it"
    }

    init(_ plan: EncoderPlan) throws(LibavError) {
        _ = LibavLog.isSilenced
        guard let codec = avcodec_find_encoder_by_name(Self.name) else {
            throw LibavError(code: CFF_AVERROR_INVALIDDATA, function: "avcodec_find_encoder")
        }
        packet = try CompressedPacket()
        guard let context = avcodec_alloc_context3(codec) else {
            throw .outOfMemory("avcodec_alloc_context3")
        }
        guard let frame = av_frame_alloc() else {
            var doomed: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&doomed)
            throw .outOfMemory("av_frame_alloc")
        }
        self.plan = plan
        self.context = context
        self.frame = frame
        rates = plan.rates
        configure(plan.fixed)
        try libav("avcodec_open2") { avcodec_open2(context, codec, nil) }
    }

    deinit {
        var doomedFrame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&doomedFrame)
        var doomed: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&doomed)
    }

    // MARK: Setting up

    private func configure(_ fixed: EncoderPlan.Fixed) {
        let rate = fixed.frameRate ?? .assumed
        context.pointee.width = Int32(fixed.width)
        context.pointee.height = Int32(fixed.height)
        context.pointee.pix_fmt = fixed.source.pixelFormat.avPixelFormat
        context.pointee.color_range = fixed.source.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        context.pointee.framerate = AVRational(num: rate.numerator, den: rate.denominator)
        context.pointee.time_base =
            fixed.hasNoDelay
            ? AVRational(num: rate.denominator, den: rate.numerator)
            : AVRational(num: 1, den: Self.timescale)
        context.pointee.flags |= Int32(AV_CODEC_FLAG_GLOBAL_HEADER)
        context.pointee.flags |= Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
        // Key frames are the session's to choose; libx264 puts intra pictures where the scene changes.
        context.pointee.gop_size = fixed.isIntraOnly ? 1 : Self.infiniteInterval
        context.pointee.keyint_min = fixed.isIntraOnly ? 1 : Self.infiniteInterval / 2
        context.pointee.max_b_frames = Int32(fixed.bFrameCount)
        context.pointee.thread_count = Int32(fixed.threadCount ?? 0)
        context.pointee.thread_type = fixed.slicesThreads ? FF_THREAD_SLICE : FF_THREAD_FRAME
        if let level = fixed.level, let refs = Self.maximumReferences(level, fixed) {
            context.pointee.refs = Int32(refs)
        }
        describeColours(fixed.source)
        applyRates()
        set("preset", fixed.isFast ? "veryfast" : "medium")
        if let profile = fixed.profile { set("profile", profile.encoderName) }
        if let level = fixed.level { set("level", "\(level / 10).\(level % 10)") }
        if let mode = fixed.entropyMode { set("coder", mode == .cabac ? "cabac" : "cavlc") }
        if fixed.maxSliceBytes > 0 { set("slice-max-size", "\(fixed.maxSliceBytes)") }
        set("forced-idr", "1")
        // Lengths in place of start codes.
        var parameters = ["annexb=0"]
        if fixed.bFrameCount > 0 { parameters.append("b-pyramid=\(fixed.isPyramid ? 2 : 0)") }
        if let lookahead = fixed.lookahead {
            parameters += ["rc-lookahead=\(lookahead)", "sync-lookahead=0"]
            if lookahead == 0 { parameters.append("mbtree=0") }
        }
        if fixed.hasNoDelay { parameters.append("force-cfr=1") }
        set("x264-params", parameters.joined(separator: ":"))
    }

    /// What a level leaves of the three references of libx264's presets.
    private static func maximumReferences(_ level: Int, _ fixed: EncoderPlan.Fixed) -> Int? {
        let macroblocks = (fixed.width + 15) / 16 * ((fixed.height + 15) / 16)
        let limits: [Int: Int] = [
            13: 2376, 30: 8100, 31: 18000, 32: 20480, 40: 32768, 41: 32768, 42: 34816, 50: 110_400,
            51: 184_320, 52: 184_320,
        ]
        guard let limit = limits[level] else { return nil }
        let frames = max(limit / macroblocks, 1)
        return frames < (fixed.isFast ? 2 : 3) ? frames : nil
    }

    private func describeColours(_ source: SourceFacts) {
        if let primaries = source.colorPrimaries {
            context.pointee.color_primaries = AVColorPrimaries(UInt32(primaries.codePoint))
        }
        if let transfer = source.transferFunction {
            context.pointee.color_trc = AVColorTransferCharacteristic(UInt32(transfer.codePoint))
        }
        if let matrix = source.yCbCrMatrix {
            context.pointee.colorspace = AVColorSpace(UInt32(matrix.codePoint))
        }
        if let aspect = source.pixelAspectRatio, aspect.horizontalSpacing > 0,
            aspect.verticalSpacing > 0
        {
            var ratio = AVRational()
            av_reduce(
                &ratio.num, &ratio.den, Int64(aspect.horizontalSpacing),
                Int64(aspect.verticalSpacing), 65535)
            context.pointee.sample_aspect_ratio = ratio
        }
    }

    private func set(_ option: String, _ value: String) {
        // All are options of every libx264 in libavcodec; the values are made above.
        av_opt_set(context.pointee.priv_data, option, value, 0)
    }

    /// The parameter sets, with the timing that is meant in place of libx264's clock.
    func parameterSets() -> [[UInt8]]? {
        let count = Int(context.pointee.extradata_size)
        guard let start = context.pointee.extradata, count > 0 else { return nil }
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        let profile = plan.fixed.profile
        return Self.nalUnits(ofHeader: bytes)?.compactMap { unit in
            guard let byte = unit.first else { return nil }
            switch NALUnitHeader(byte: byte).type {
            case .sps:
                guard let set = try? SequenceParameterSet(nalUnit: unit) else { return unit }
                return set.rewritten(
                    profileIDC: profile?.namedProfileIDC,
                    constraintFlags: profile?.constraintFlags ?? 0,
                    timing: plan.fixed.frameRate?.timing)
            case .pps, .spsExtension: return unit
            default: return nil
            }
        }
    }

    /// NAL units behind lengths; newer versions of libavcodec make a record of them.
    private static func nalUnits(ofHeader bytes: [UInt8]) -> [[UInt8]]? {
        if bytes.first == 1, let record = try? AVCDecoderConfigurationRecord(bytes: bytes) {
            return record.sequenceParameterSets + record.pictureParameterSets
        }
        if let ranges = try? AVCC.nalUnitRanges(in: bytes) {
            return ranges.map { Array(bytes[$0]) }
        }
        return AVCC.nalUnits(annexB: bytes).map { unit in
            Array(bytes[Int(unit.offset)..<Int(unit.offset) + unit.byteCount])
        }
    }

    // MARK: Rates

    /// Takes on other rates with the next picture.
    func setRates(_ rates: EncoderPlan.Rates) {
        guard rates != self.rates else { return }
        self.rates = rates
        applyRates()
    }

    /// Says how the rates given to libx264 differ from those that were asked for.
    ///
    /// - Parameters:
    ///   - stretch: How much longer pictures last than the frame rate has it, for an encoder that does not look at times.
    ///   - correction: How much more or less is to be spent.
    func adapt(stretch: Double, correction: Double) {
        guard
            abs(stretch / self.stretch - 1) > 0.02 || abs(correction / self.correction - 1) > 0.02
        else { return }
        self.stretch = stretch
        self.correction = correction
        applyRates()
    }

    private func applyRates() {
        func bounded(_ bits: Double) -> Int64 { Int64(min(max(bits, 1000), 2_000_000_000)) }
        if plan.fixed.hasBitRate {
            let rate = min(Double(rates.bitRate) * correction, Double(rates.ceiling))
            context.pointee.bit_rate = bounded(rate * stretch)
            context.pointee.rc_max_rate = context.pointee.bit_rate
        } else {
            context.pointee.bit_rate = 0
            context.pointee.rc_max_rate =
                plan.fixed.isRateCapped ? bounded(Double(rates.maximumBitRate) * stretch) : 0
            set("crf", "\(rates.rateFactor)")
        }
        if plan.fixed.isRateCapped { context.pointee.rc_buffer_size = Int32(rates.bufferSize) }
    }

    // MARK: Pictures

    /// Sends a picture.
    ///
    /// libx264 has a copy of its own when this returns.
    ///
    /// - Parameters:
    ///   - picture: Of the plan's size and format.
    ///   - time: Ticks of ``timescale``, or of the frame rate without delay; each greater than the last.
    ///   - isKeyFrame: Whether it must be an IDR picture.
    /// - Throws: What libavcodec said.
    func send(_ picture: CVPixelBuffer, time: Int64, isKeyFrame: Bool) throws(LibavError) {
        defer { av_frame_unref(frame) }
        try FrameLoan.lend(picture, to: frame)
        frame.pointee.pts = time
        frame.pointee.pict_type = isKeyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        frame.pointee.color_range = context.pointee.color_range
        frame.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
        try libav("avcodec_send_frame") { avcodec_send_frame(context, frame) }
    }

    /// Says that nothing more comes.
    func sendEnd() {
        // Can only fail when it was said before.
        _ = avcodec_send_frame(context, nil)
    }

    /// Takes what is ready.
    func receive() -> Output {
        packet.clear()
        let code = avcodec_receive_packet(context, packet.pointer)
        switch code {
        case 0...:
            let bytes = UnsafeRawBufferPointer(
                start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
            guard let picture = EncodedPicture(bytes, time: packet.pointer.pointee.pts) else {
                return .failure(
                    LibavError(code: CFF_AVERROR_INVALIDDATA, function: "avcodec_receive_packet"))
            }
            return .picture(picture)
        case CFF_AVERROR_EAGAIN: return .needsInput
        case CFF_AVERROR_EOF: return .end
        default: return .failure(LibavError(code: code, function: "avcodec_receive_packet"))
        }
    }
}
