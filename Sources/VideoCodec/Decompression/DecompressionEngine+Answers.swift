internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers

/// What is said of each sample, and when.
extension DecompressionEngine {
    func judge(_ entry: Pending, isBroken: Bool) -> DamageTracker.Verdict {
        guard let facts = entry.contents.facts else {
            return tracker.lose(
                presentationTimeStamp: entry.request.frame.presentationTimeStamp,
                isReference: entry.contents.isReference)
        }
        return tracker.judge(facts, isBroken: isBroken)
    }

    /// After everything delayed is out libavcodec starts anew: so does what is known of references.
    func forget() {
        tracker = DamageTracker()
        lastContents = nil
        reorderDepth.restart()
    }

    /// The codec failed for want of memory (D-9): answers what it still has so, and gives it up for good.
    ///
    /// To call it again could last as long as the shortage.
    func breakDown() {
        decoder = nil
        hasFailed = true
        isDraining = false
        for entry in pending { answer(entry.request, status: VTError.decoderMalfunction.status) }
        pending.removeAll(keepingCapacity: true)
    }

    /// The codec refused the sample.
    func fail(_ entry: Pending, _ verdict: DamageTracker.Verdict) {
        if decoder?.supply.isShort ?? false {
            answer(entry.request, status: VTError.decoderMalfunction.status)
        } else if verdict.isSkippedLeading {
            answer(entry.request, flags: [.frameDropped, .skippedLeadingFrameDropped])
        } else if verdict.lacksReferences, entry.contents.facts?.isIntra == false {
            answer(entry.request, status: VTError.referenceMissing.status)
        } else {
            answer(entry.request, status: VTError.badData.status)
        }
    }

    /// The codec decoded the sample and never gave the picture.
    func drop(_ entry: Pending) {
        let isLeading = entry.verdict?.isSkippedLeading ?? false
        answer(
            entry.request,
            flags: isLeading ? [.frameDropped, .skippedLeadingFrameDropped] : .frameDropped)
    }

    func deliver(
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

    func answer(
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
    func giveAnswers() {
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
