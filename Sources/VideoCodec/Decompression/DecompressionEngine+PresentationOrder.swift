internal import MediaTime

/// Pictures as libavcodec puts them out, with its frame threads.
extension DecompressionEngine {
    func takeAllReady(_ decoder: H264Decoder) {
        while true {
            switch decoder.receive() {
            case .picture(let picture): take(picture, decoder)
            // The sample that failed never gets a buffer, or a picture that is marked: both are seen when it is judged.
            case .failure(let error):
                guard error.isShortage else { continue }
                breakDown()
                return
            case .needsInput: return
            case .end: return
            }
        }
    }

    /// Gives everything that libavcodec holds back, and makes it ready for more.
    func drain() {
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
            case .failure(let error): if error.isShortage { breakDown() }
            case .needsInput: endDraining(decoder)
            case .end: endDraining(decoder)
            }
        }
        giveAnswers()
    }

    func endDraining(_ decoder: H264Decoder) {
        isDraining = false
        judgeAll(upTo: nextNumber - 1, decoder)
        deliverLoneFields(before: .positiveInfinity)
        for entry in pending { drop(entry) }
        pending.removeAll(keepingCapacity: true)
        decoder.reset()
        forget()
    }

    func take(_ picture: consuming DecodedFrame, _ decoder: H264Decoder) {
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
    func judgeAll(upTo number: Int64, _ decoder: H264Decoder) {
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
    func deliverLoneFields(before time: CMTime) {
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
    func dropOverdue(before entry: Pending) {
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
}
