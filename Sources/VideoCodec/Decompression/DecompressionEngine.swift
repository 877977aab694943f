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

    private struct Pending {
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

    private struct Answer {
        let frame: VTDecodedFrame
        let handler: VTDecompressionSession.FrameHandler
    }

    private let shared: DecompressionShared
    private var renderer: PictureOutput
    private var format: CMFormatDescription
    private var inspector: SampleInspector
    private var tracker = DamageTracker()
    private var reorderDepth: ReorderDepth
    private var decoder: H264Decoder?
    private var isDraining = false
    private var hasFailed = false
    private var isClosed = false
    /// A record that the next packet must carry.
    private var newParameterSets: [UInt8]?
    private var nextNumber: Int64 = 0
    /// In decode order: samples that libavcodec has and that are not answered.
    private var pending: [Pending] = []
    private var answers: [Answer] = []
    private var nextAnswer = 0
    /// The last sample that was sent: a second field may come as a sample of its own.
    private var lastContents: SampleContents?

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
            return true
        }
        switchOrder(job, contents)
        let number = nextNumber
        nextNumber += 1
        guard let decoder = openDecoder(job, contents) else {
            answer(job.request, status: VTError.decoderMalfunction.status)
            return true
        }
        takeTimes(job, contents, decoder)
        let error = send(job, contents, number, to: decoder)
        guard contents.hasSlices else {
            answer(job.request, flags: .frameDropped)
            return true
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
        giveAnswers()
        return !pending.contains { $0.number == number }
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
            case .failure(let error): failure = error
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

    // MARK: Decode order

    private func finishInDecodeOrder(
        _ number: Int64, _ error: LibavError?, _ decoder: H264Decoder
    ) {
        guard let entry = pending.popLast(), entry.number == number else { return }
        let contents = entry.contents
        let known = decoder.supply.takeFacts(ofSample: number, fields: contents.fields)
        // The second field of a picture may come as a sample of its own: it completes the picture given before.
        let completes = !known.wasBegun && entry.mayBeSecondField
        guard error == nil, known.wasBegun || completes,
            let picture = decoder.supply.newestPicture(), completes || picture.tag.sample == number
        else {
            fail(entry, judge(entry, isBroken: true))
            return
        }
        let isUndecoded = DecodeMarks.remain(
            in: picture.pointer, fields: completes ? 3 : contents.fields)
        let verdict = judge(entry, isBroken: known.isBroken || isUndecoded)
        if contents.isField, contents.fields != 3, !completes {
            deliver(entry, verdict, repeatField(of: picture, isBottom: contents.fields == 2))
        } else {
            deliver(entry, verdict, picture)
        }
    }

    /// The picture with the lines of its only field doubled, as libavcodec does it; a copy, for the other may yet come.
    private func repeatField(of picture: borrowing DecodedFrame, isBottom: Bool) -> DecodedFrame {
        guard let copy = av_frame_clone(picture.pointer) else {
            return DecodedFrame(owning: av_frame_alloc())
        }
        // The clone shares its planes until it is made writable, which copies them.
        guard av_frame_make_writable(copy) >= 0 else { return DecodedFrame(owning: copy) }
        FieldRepetition.fill(copy, fromBottom: isBottom)
        return DecodedFrame(owning: copy)
    }

    // MARK: Presentation order

    private func takeAllReady(_ decoder: H264Decoder) {
        while true {
            switch decoder.receive() {
            case .picture(let picture): take(picture, decoder)
            // The sample that failed never gets a buffer, or a picture that is marked: both are seen when it is judged.
            case .failure: continue
            case .needsInput: return
            case .end: return
            }
        }
    }

    /// Gives everything that libavcodec holds back, and makes it ready for more.
    private func drain() {
        guard let decoder else { return }
        if !isDraining {
            isDraining = true
            decoder.sendEnd()
        }
        while isDraining {
            switch decoder.receive() {
            case .picture(let picture):
                take(picture, decoder)
                giveAnswers()
            case .failure: continue
            case .needsInput: endDraining(decoder)
            case .end: endDraining(decoder)
            }
        }
        giveAnswers()
    }

    private func endDraining(_ decoder: H264Decoder) {
        isDraining = false
        judgeAll(upTo: nextNumber - 1, decoder)
        deliverLoneFields(before: .positiveInfinity)
        for entry in pending { drop(entry) }
        pending.removeAll(keepingCapacity: true)
        decoder.reset()
        forget()
    }

    private func take(_ picture: consuming DecodedFrame, _ decoder: H264Decoder) {
        let number = picture.tag.sample
        judgeAll(upTo: number, decoder)
        guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
        let entry = pending.remove(at: index)
        deliverLoneFields(before: entry.request.frame.presentationTimeStamp)
        deliver(entry, entry.verdict ?? judge(entry, isBroken: true), picture)
        dropOverdue(before: entry)
    }

    /// Judges samples in decode order.
    ///
    /// libavcodec has finished those up to one that it gives, with frame threads too.
    private func judgeAll(upTo number: Int64, _ decoder: H264Decoder) {
        var hasAnswered = false
        for index in pending.indices where pending[index].number <= number {
            let entry = pending[index]
            guard entry.verdict == nil else { continue }
            if entry.contents.isField, entry.contents.fields != 3,
                let field = decoder.supply.loneField(
                    ofSample: entry.number, isBottom: entry.contents.fields == 2)
            {
                pending[index].loneField = HeldFrame(field)
            }
            let known = decoder.supply.takeFacts(
                ofSample: entry.number, fields: entry.contents.fields)
            // A second field that is a sample of its own is part of the picture of the one before.
            let isPart = !known.wasBegun && entry.mayBeSecondField
            let verdict = judge(entry, isBroken: known.isBroken || !known.wasBegun && !isPart)
            pending[index].verdict = verdict
            guard !known.wasBegun else { continue }
            if isPart { drop(entry) } else { fail(entry, verdict) }
            pending[index].isAnswered = true
            hasAnswered = true
        }
        if hasAnswered { pending.removeAll { $0.isAnswered } }
    }

    /// Gives the pictures of fields without their pair, which libavcodec keeps to itself.
    private func deliverLoneFields(before time: CMTime) {
        guard pending.contains(where: { $0.loneField != nil }) else { return }
        let due = pending.filter {
            $0.loneField != nil && $0.request.frame.presentationTimeStamp < time
        }.sorted { $0.request.frame.presentationTimeStamp < $1.request.frame.presentationTimeStamp }
        let numbers = Set(due.map(\.number))
        pending.removeAll { numbers.contains($0.number) }
        for entry in due {
            guard let verdict = entry.verdict, let field = entry.loneField?.take() else { continue }
            deliver(
                entry, verdict, repeatField(of: field, isBottom: entry.contents.fields == 2))
        }
    }

    /// Gives up on pictures that libavcodec must have dropped.
    ///
    /// It holds back 16 and a picture a thread. What is older stays only where the picture is to be shown later than
    /// the one that comes now (a single reference far ahead); but nothing stays for ever, whatever the times say.
    private func dropOverdue(before entry: Pending) {
        let limit = nextNumber - Int64(64 + 2 * (shared.limits.threadCount ?? 16))
        guard let oldest = pending.first, oldest.number < limit else { return }
        let time = entry.request.frame.presentationTimeStamp
        pending.removeAll { candidate in
            let isOverdue =
                candidate.request.frame.presentationTimeStamp < time
                || candidate.number < nextNumber - Self.waitingLimit
            guard candidate.number < limit, candidate.verdict != nil, isOverdue else {
                return false
            }
            drop(candidate)
            return true
        }
    }

    /// Samples after which a picture that has not come is given up.
    private static let waitingLimit: Int64 = 2048

    // MARK: Answers

    private func judge(_ entry: Pending, isBroken: Bool) -> DamageTracker.Verdict {
        guard let facts = entry.contents.facts else {
            return tracker.lose(
                presentationTimeStamp: entry.request.frame.presentationTimeStamp,
                isReference: entry.contents.isReference)
        }
        return tracker.judge(facts, isBroken: isBroken)
    }

    /// After everything delayed is out libavcodec starts anew: so does what is known of references.
    private func forget() {
        tracker = DamageTracker()
        lastContents = nil
        reorderDepth.restart()
    }

    /// The codec refused the sample.
    private func fail(_ entry: Pending, _ verdict: DamageTracker.Verdict) {
        if verdict.isSkippedLeading {
            answer(entry.request, flags: [.frameDropped, .skippedLeadingFrameDropped])
        } else if verdict.lacksReferences, entry.contents.facts?.isIntra == false {
            answer(entry.request, status: VTError.referenceMissing.status)
        } else {
            answer(entry.request, status: VTError.badData.status)
        }
    }

    /// The codec decoded the sample and never gave the picture.
    private func drop(_ entry: Pending) {
        let isLeading = entry.verdict?.isSkippedLeading ?? false
        answer(
            entry.request,
            flags: isLeading ? [.frameDropped, .skippedLeadingFrameDropped] : .frameDropped)
    }

    private func deliver(
        _ entry: Pending, _ verdict: DamageTracker.Verdict, _ picture: consuming DecodedFrame
    ) {
        var frame = entry.request.frame
        frame.isDamaged = verdict.isDamaged
        frame.pictureType = entry.contents.pictureType
        if !entry.request.flags.contains(.doNotOutputFrame) {
            do throws(MediaError) {
                let image = try renderer.picture(
                    picture, isDamaged: verdict.isDamaged,
                    sequenceParameterSet: entry.contents.sequenceParameterSet)
                frame.imageBuffer = image
                if renderer.isConverting { frame.infoFlags.insert(.imageBufferModifiable) }
                shared.pixelBufferPool = renderer.pool
            } catch {
                frame.status = error.status
            }
        }
        answers.append(Answer(frame: frame, handler: entry.request.answer))
    }

    private func answer(
        _ request: Request, status: OSStatus = noErr, flags: VTDecodeInfoFlags = []
    ) {
        var frame = request.frame
        frame.status = status
        frame.infoFlags.formUnion(flags)
        answers.append(Answer(frame: frame, handler: request.answer))
    }

    /// Calls back.
    ///
    /// Comes back to itself when a callback decodes: then the inner call gives the rest in order.
    private func giveAnswers() {
        while nextAnswer < answers.count, !shared.isInvalidated {
            let answer = answers[nextAnswer]
            nextAnswer += 1
            if nextAnswer == answers.count {
                answers.removeAll(keepingCapacity: true)
                nextAnswer = 0
            }
            shared.didAnswer()
            answer.handler(answer.frame)
        }
    }
}
