internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers

/// What a compression session does on its queue.
///
/// One caller at a time; callbacks may come back in. Nothing is called back while libavcodec or this state is in the
/// middle of something: answers wait in `answers` until the work of a call is done.
final class CompressionEngine {
    /// A picture to compress and whom to tell.
    struct Job {
        var picture: CVPixelBuffer
        var presentationTimeStamp: CMTime
        var duration: CMTime
        var isKeyFrameForced: Bool
        var answer: VTCompressionSession.OutputHandler
    }

    /// A picture that libx264 has.
    private struct Pending {
        let number: Int
        let time: Int64
        let presentationTimeStamp: CMTime
        let duration: CMTime
        let answer: VTCompressionSession.OutputHandler
    }

    private struct Answer {
        let status: OSStatus
        let sample: CMSampleBuffer?
        let handler: VTCompressionSession.OutputHandler
        let number: Int
    }

    private let width: Int
    private let height: Int
    private let shared: CompressionShared
    private var encoder: H264Encoder?
    private var facts: SourceFacts?
    private var description: CMFormatDescription?
    private var converter: SourceConverter
    private var keyFrames = KeyFrameRule()
    private var decodeTimes = DecodeTimes()
    private var correction = RateCorrection()
    /// In the order in which they came in.
    private var pending: [Pending] = []
    private var answers: [Answer] = []
    private var nextNumber = 0
    /// The picture that a call is about, while it runs.
    private var currentNumber: Int?
    private var firstTime: CMTime?
    private var lastTime: CMTime?
    private var lastTicks: Int64 = -1
    /// How long pictures last, smoothed; seconds.
    private var interval: Double?
    private var isClosed = false

    init(width: Int, height: Int, shared: CompressionShared) {
        self.width = width
        self.height = height
        self.shared = shared
        converter = SourceConverter(width: width, height: height)
    }

    // MARK: Calls of the session

    /// Opens the encoder, if it is not open.
    func prepare(_ settings: CompressionSettings) throws(MediaError) {
        guard encoder == nil, !isClosed else { return }
        try open(plan(settings))
    }

    /// Compresses one picture.
    ///
    /// - Returns: Whether its callback has run.
    /// - Throws: What is wrong with the call; there is then no callback.
    func encode(_ job: Job, _ settings: CompressionSettings) throws(MediaError) -> Bool {
        guard !isClosed else { throw VTError.invalidSession }
        let time = job.presentationTimeStamp
        guard time.isNumeric else {
            throw VTError.parameter.saying("a presentation time stamp that is no number")
        }
        if let lastTime, time <= lastTime {
            throw VTError.parameter.saying(
                "\(time.seconds) s does not follow \(lastTime.seconds) s")
        }
        guard let ticks = ticks(of: time) else {
            throw VTError.parameter.saying("\(time.seconds) s is too far from the first picture")
        }
        guard SourceConverter.accepts(job.picture.pixelFormat) else {
            throw VTError.pixelTransferNotSupported.saying(
                "pictures of format \(job.picture.pixelFormat.fourCharacters) are not compressed")
        }
        if facts == nil {
            facts = SourceFacts(job.picture, frameRate: FrameRate(duration: job.duration))
        }
        let plan = plan(settings)
        try switchEncoder(to: plan)
        guard let encoder else { throw VTError.couldNotCreateInstance }
        let picture = try converter.picture(
            job.picture, as: plan.fixed.source.pixelFormat, matrix: plan.fixed.source.yCbCrMatrix)
        let number = nextNumber
        nextNumber += 1
        correction.append(number: number, time: time, bitRate: plan.rates.bitRate)
        encoder.adapt(
            stretch: stretch(time, job.duration, plan), correction: correction.factor)
        let isKeyFrame = keyFrames.isKeyFrame(
            time, duration: job.duration, isForced: job.isKeyFrameForced, settings)
        if firstTime == nil { firstTime = time }
        lastTime = time
        lastTicks = ticks
        decodeTimes.append(time, duration: job.duration)
        let sent = plan.fixed.hasNoDelay ? Int64(number) : ticks
        pending.append(
            Pending(
                number: number, time: sent, presentationTimeStamp: time, duration: job.duration,
                answer: job.answer))
        shared.pendingCount = pending.count
        let outer = currentNumber
        currentNumber = number
        defer { currentNumber = outer }
        do throws(LibavError) {
            try encoder.send(picture, time: sent, isKeyFrame: isKeyFrame)
            takeAllReady(encoder)
        } catch {
            fail()
        }
        giveAnswers()
        return !pending.contains { $0.number == number }
            && !answers.contains { $0.number == number }
    }

    /// Gives everything up to a time, or all.
    func complete(until time: CMTime) {
        let isDue =
            time.isNumeric
            ? pending.contains { $0.presentationTimeStamp <= time } : !pending.isEmpty
        if isDue { drain() }
        giveAnswers()
    }

    /// Ends everything without callbacks.
    func close() {
        isClosed = true
        encoder = nil
        pending.removeAll()
        answers.removeAll()
        shared.pendingCount = 0
    }

    // MARK: The encoder

    private func plan(_ settings: CompressionSettings) -> EncoderPlan {
        EncoderPlan(settings, source: facts ?? SourceFacts(), width: width, height: height)
    }

    private func switchEncoder(to plan: EncoderPlan) throws(MediaError) {
        if let encoder {
            if encoder.plan.fixed == plan.fixed {
                encoder.setRates(plan.rates)
                return
            }
            drain()
        }
        try open(plan)
    }

    private func open(_ plan: EncoderPlan) throws(MediaError) {
        encoder = nil
        guard width % 2 == 0, height % 2 == 0 else {
            throw VTError.couldNotCreateInstance.saying(
                "4:2:0 pictures have an even size, not \(width)x\(height)")
        }
        let opened: H264Encoder
        do throws(LibavError) {
            opened = try H264Encoder(plan)
        } catch {
            throw VTError.couldNotCreateInstance.saying("libx264: \(error.text)")
        }
        guard let sets = opened.parameterSets(),
            let new = try? CompressedFormat.description(
                sets, cleanAperture: shared.settings.cleanAperture,
                fieldCount: shared.settings.fieldCount)
        else { throw VTError.couldNotCreateInstance.saying("libx264 gave no parameter sets") }
        // The same object until something changes (E-7).
        if new != description { description = new }
        encoder = opened
        keyFrames.reset()
        decodeTimes.begin(depth: plan.reorderDepth)
    }

    /// Takes everything out; the encoder is then at its end.
    private func drain() {
        guard let encoder else { return }
        if !pending.isEmpty {
            encoder.sendEnd()
            takeAllReady(encoder)
            // Never here, unless libx264 lost one.
            if !pending.isEmpty { fail() }
        }
        self.encoder = nil
    }

    private func fail() {
        for entry in pending { answer(entry, status: VTError.encoderMalfunction.status) }
        pending.removeAll()
        shared.pendingCount = 0
        encoder = nil
    }

    /// Bit rates hold per second of presentation time (E-12): without delay libx264 only counts pictures.
    private func stretch(_ time: CMTime, _ duration: CMTime, _ plan: EncoderPlan) -> Double {
        guard plan.fixed.hasNoDelay else { return 1 }
        if let lastTime {
            let seconds = (time - lastTime).seconds
            interval = interval.map { $0 + (seconds - $0) / 8 } ?? seconds
        } else if duration.isNumeric, duration > .zero {
            interval = duration.seconds
        }
        let rate = (plan.fixed.frameRate ?? .assumed).perSecond
        return interval.map { min(max($0, 0.0001), 1) * rate } ?? 1
    }

    private func ticks(of time: CMTime) -> Int64? {
        let span = (time - (firstTime ?? time)).convertScale(
            H264Encoder.timescale, method: .roundHalfAwayFromZero)
        guard span.isNumeric, span.value < .max / 4 else { return nil }
        return max(span.value, lastTicks + 1)
    }

    // MARK: What comes out

    private func takeAllReady(_ encoder: H264Encoder) {
        while true {
            switch encoder.receive() {
            case .picture(let picture): take(picture)
            case .needsInput: return
            case .end: return
            case .failure:
                fail()
                return
            }
        }
    }

    private func take(_ picture: consuming EncodedPicture) {
        guard let index = pending.firstIndex(where: { $0.time == picture.time }) else { return }
        let entry = pending.remove(at: index)
        shared.pendingCount = pending.count
        correction.take(number: entry.number, byteCount: picture.byteCount)
        let timing = CMSampleTimingInfo(
            duration: entry.duration, presentationTimeStamp: entry.presentationTimeStamp,
            decodeTimeStamp: decodeTimes.next(presentationTime: entry.presentationTimeStamp))
        guard
            let sample = try? CMSampleBuffer(
                dataBuffer: picture.data, formatDescription: description, numSamples: 1,
                sampleTimings: [timing], sampleSizes: [picture.byteCount])
        else {
            answer(entry, status: VTError.allocationFailed.status)
            return
        }
        let attachments = sample.sampleAttachments[0]
        if !picture.isIDR { attachments[.notSync] = true }
        attachments[.dependsOnOthers] = !picture.isIDR
        if !picture.isReference { attachments[.isDependedOnByOthers] = false }
        answer(entry, status: noErr, sample: sample)
    }

    private func answer(_ entry: Pending, status: OSStatus, sample: CMSampleBuffer? = nil) {
        answers.append(
            Answer(status: status, sample: sample, handler: entry.answer, number: entry.number))
    }

    private func giveAnswers() {
        while !answers.isEmpty {
            let answer = answers.removeFirst()
            answer.handler(
                answer.status, answer.number == currentNumber ? [] : .asynchronous, answer.sample)
        }
    }
}
