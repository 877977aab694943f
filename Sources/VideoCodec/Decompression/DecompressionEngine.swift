internal import CFFmpeg
internal import H264
internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers

/// What a decompression session does on its queue.
///
/// One caller at a time; callbacks may come back in.
///
/// Nothing is called back while libavcodec or this state is in the middle of something: answers wait in `answers` until
/// a place where it is safe, and a call that comes in from a callback first gives what waits.
final class DecompressionEngine {
    /// A sample to decode and what to do with it.
    struct Job {
        var sample: CompressedSample
        var format: CMFormatDescription
        var request: Request
    }

    /// How to answer a sample.
    ///
    /// All that is kept of it once it was sent.
    struct Request {
        var flags: VTDecodeFrameFlags
        var answer: VTDecompressionSession.FrameHandler
        var frame: VTDecodedFrame
    }

    struct Pending {
        let number: Int64
        let request: Request
        let contents: SampleContents
        /// Whether it is the other field to that of the sample before.
        let mayBeSecondField: Bool
        var verdict: DamageTracker.Verdict?
        var isAnswered = false
        /// A field without its pair, in presentation order.
        var loneField: HeldFrame?
    }

    struct Answer {
        let frame: VTDecodedFrame
        let handler: VTDecompressionSession.FrameHandler
    }

    let shared: DecompressionShared
    var renderer: PictureOutput
    private var format: CMFormatDescription
    private var inspector: SampleInspector
    var tracker = DamageTracker()
    var reorderDepth: ReorderDepth
    var decoder: H264Decoder?
    var isDraining = false
    /// The codec failed, and not for the data: nothing is decoded any more (D-9).
    var hasFailed = false
    private var isClosed = false
    /// A record that the next packet must carry.
    private var newParameterSets: [UInt8]?
    var nextNumber: Int64 = 0
    /// In decode order: samples that libavcodec has and that are not answered.
    var pending: [Pending] = []
    var answers: [Answer] = []
    var nextAnswer = 0
    /// The last sample that was sent: a second field may come as a sample of its own.
    var lastContents: SampleContents?

    init(shared: DecompressionShared, format: CMFormatDescription, output: PictureOutput) {
        self.shared = shared
        self.format = format
        renderer = output
        inspector = SampleInspector(
            parameterSets: format.parameterSets, lengthSize: format.nalUnitHeaderLength ?? 4)
        reorderDepth = ReorderDepth(
            depth: format.h264SequenceParameterSet?.maximumReorderDepth ?? 16)
    }

    // MARK: Calls of the session

    /// Decodes one sample.
    ///
    /// - Returns: Whether its callback has run.
    func decode(_ job: Job) -> Bool {
        guard !isClosed else { return true }
        let number = take(job)
        // Whatever became of the sample: what is known of it is said before the call returns (D-2).
        giveAnswers()
        return number.map { number in !pending.contains { $0.number == number } } ?? true
    }

    /// Sends a sample to libavcodec and takes what comes of it.
    ///
    /// - Returns: The number under which it may be pending, nil where its answer is settled.
    private func take(_ job: Job) -> Int64? {
        if isDraining { drain() }
        adopt(job.format)
        guard
            let contents = job.sample.withBytes({ bytes in
                inspector.inspect(
                    bytes, presentationTimeStamp: job.request.frame.presentationTimeStamp,
                    boundary: job.sample.fieldBoundary)
            })
        else {
            answer(job.request, status: VTError.badData.status)
            return nil
        }
        switchOrder(job, contents)
        let number = nextNumber
        nextNumber += 1
        guard let decoder = openDecoder(job, contents) else {
            answer(job.request, status: VTError.decoderMalfunction.status)
            return nil
        }
        takeTimes(job, contents, decoder)
        let error = send(job, contents, number, to: decoder)
        if error?.isShortage ?? false || decoder.supply.isShort {
            breakDown()
            answer(job.request, status: VTError.decoderMalfunction.status)
            return nil
        }
        guard contents.hasSlices else {
            answer(job.request, flags: .frameDropped)
            return nil
        }
        pending.append(
            Pending(
                number: number, request: job.request, contents: contents,
                mayBeSecondField: isSecondField(contents)))
        lastContents = contents
        switch decoder.outputOrder {
        case .decode: finishInDecodeOrder(number, error, decoder)
        case .presentation:
            takeAllReady(decoder)
            if !job.request.flags.contains(.enableTemporalProcessing),
                pending.contains(where: { $0.number == number })
            {
                // D-2 before all: the callback runs before the call returns. libavcodec loses its references by
                // this; pictures up to the next random access point are marked as damaged.
                drain()
            }
        }
        return number
    }

    /// Gives everything that is delayed.
    func finish() {
        guard let decoder, decoder.outputOrder == .presentation, !pending.isEmpty || isDraining
        else { return }
        drain()
    }

    /// Answers everything that is delayed as dropped, and forgets what was decoded.
    func discard() {
        guard let decoder else { return }
        decoder.reset()
        isDraining = false
        forget()
        for entry in pending { answer(entry.request, flags: .frameDropped) }
        pending.removeAll(keepingCapacity: true)
        giveAnswers()
    }

    /// How many buffers a new pool keeps; the next picture makes it.
    func setPoolMinimum(_ count: Int) { renderer.setPoolMinimum(count) }

    /// Ends everything without callbacks.
    func close() {
        isClosed = true
        decoder = nil
        isDraining = false
        pending.removeAll()
        answers.removeAll()
        nextAnswer = 0
    }

    // MARK: Formats and the decoder

    private func adopt(_ other: CMFormatDescription) {
        guard other !== format else { return }
        defer { format = other }
        guard other != format else { return }
        if other.nalUnitHeaderLength != format.nalUnitHeaderLength {
            inspector = SampleInspector(
                parameterSets: other.parameterSets,
                lengthSize: other.nalUnitHeaderLength ?? 4)
        } else {
            inspector.replaceParameterSets(with: other.parameterSets)
        }
        renderer.describe(by: other)
        if let depth = other.h264SequenceParameterSet?.maximumReorderDepth {
            reorderDepth.raise(to: depth)
        }
        // Before the decoder is open its extradata are enough.
        if decoder != nil { newParameterSets = other.avcDecoderConfiguration }
    }

    /// Changes between decode and presentation order, where nothing is predicted across.
    private func switchOrder(_ job: Job, _ contents: SampleContents) {
        guard let decoder, contents.facts?.isIDR == true else { return }
        let isTemporal = job.request.flags.contains(.enableTemporalProcessing)
        guard isTemporal != (decoder.outputOrder == .presentation) else { return }
        finish()
        self.decoder = nil
    }

    private func openDecoder(_ job: Job, _ contents: SampleContents) -> H264Decoder? {
        if let decoder { return decoder }
        guard !hasFailed, !isClosed else { return nil }
        let isTemporal = job.request.flags.contains(.enableTemporalProcessing)
        let limits = shared.limits
        if let set = contents.sequenceParameterSet {
            reorderDepth.raise(to: set.maximumReorderDepth)
        }
        decoder = try? H264Decoder(
            .init(
                outputOrder: isTemporal ? .presentation : .decode,
                // With slice threads libavcodec conceals nothing: only where they were asked for.
                threadCount: limits.threadCount
                    ?? (isTemporal ? DecompressionShared.defaultThreadCount : 1),
                isReproducible: limits.threadCount == 1,
                parameterSets: format.avcDecoderConfiguration ?? [],
                reorderDepth: reorderDepth.depth, maximumPixelCount: Int64(limits.pixelCount)))
        newParameterSets = nil
        hasFailed = decoder == nil
        return decoder
    }

    private func takeTimes(_ job: Job, _ contents: SampleContents, _ decoder: H264Decoder) {
        guard decoder.outputOrder == .presentation, contents.hasSlices else { return }
        if contents.hasParameterSets, let set = contents.sequenceParameterSet {
            reorderDepth.raise(to: set.maximumReorderDepth)
        }
        reorderDepth.take(
            presentationTimeStamp: job.request.frame.presentationTimeStamp,
            decodeTimeStamp: job.sample.decodeTimeStamp, duration: job.request.frame.duration,
            isIDR: contents.facts?.isIDR ?? false)
        decoder.supply.raiseReorderDepth(to: reorderDepth.depth)
    }

    // MARK: Sending

    /// Sends the sample's packets; nil or the last error.
    private func send(
        _ job: Job, _ contents: SampleContents, _ number: Int64, to decoder: H264Decoder
    ) -> LibavError? {
        guard contents.hasSlices || contents.hasParameterSets else { return nil }
        let tag = PacketTag(
            sample: number, marks: decoder.marks(forField: contents.isField))
        var failure: LibavError?
        let end = job.sample.byteCount
        let boundary = contents.fieldBoundary ?? end
        for range in [0..<boundary, boundary..<end] where !range.isEmpty {
            do throws(LibavError) {
                let sets = newParameterSets
                newParameterSets = nil
                try decoder.send(tag: tag, parameterSets: sets) { (packet) throws(LibavError) in
                    try job.sample.fill(packet, range)
                }
            } catch {
                failure = error
                if error.isShortage { return error }
            }
            if decoder.outputOrder == .decode {
                failure = emptyInDecodeOrder(decoder) ?? failure
            } else if range.upperBound < end {
                takeAllReady(decoder)
            }
        }
        return failure
    }

    /// Takes what libavcodec holds ready in its own order: those pictures were given when they were captured.
    private func emptyInDecodeOrder(_ decoder: H264Decoder) -> LibavError? {
        var failure: LibavError?
        while true {
            switch decoder.receive() {
            case .picture: continue
            case .failure(let error):
                failure = error
                if error.isShortage { return error }
            case .needsInput: return failure
            case .end: return failure
            }
        }
    }

    private func isSecondField(_ contents: SampleContents) -> Bool {
        guard let last = lastContents, contents.isField, last.isField,
            contents.fields ^ last.fields == 3, contents.facts?.isIDR == false
        else { return false }
        return contents.facts?.frameNum == last.facts?.frameNum
    }
}
