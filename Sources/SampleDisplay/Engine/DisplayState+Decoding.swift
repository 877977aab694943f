internal import MediaTime
internal import PixelBuffers

/// What the decode thread does next.
enum DecodeStep {
    case stop
    /// Forget the decoder: the layer was flushed.
    case reset
    /// Decode, or pass on, a sample. `isDeep`: enough is queued for a decoder that delays pictures.
    case sample(QueuedSample, isDeep: Bool)
    /// Wait for a change, or until a time.
    case wait(PresentationDeadline?, nanoseconds: UInt64?)
}

extension DisplayState {
    /// So many samples keep a decoder busy that holds pictures back.
    static let deepCount = 8

    /// Chooses the decode thread's next step.
    ///
    /// Without a decoder, its kind depends on how much is queued: a first sample waits for others, once.
    mutating func nextDecodeStep(
        hasDecoder: Bool, waitedForDepth: Bool, _ effects: inout DisplayEffects
    ) -> DecodeStep {
        if isStopped { return .stop }
        if decoderEpoch != epoch {
            decoderEpoch = epoch
            return .reset
        }
        guard status != .failed, let head = input.first else { return .wait(nil, nanoseconds: nil) }
        let isDeep = input.count >= Self.deepCount || inputDrainCount > 0
        if head.traits.kind == .compressed {
            if !head.traits.doNotDisplay && waiting.count >= readiness.waitingLimit {
                let verdict = judge().verdict
                discardLate(at: verdict.discards, &effects)
                if waiting.count >= readiness.waitingLimit && !verdict.wantsDecoding {
                    // The display thread makes room, unless its sink holds it up: then time does.
                    return .wait(isPresenting ? verdict.deadline : nil, nanoseconds: nil)
                }
            }
            if !hasDecoder && mode == .automatic && !isDeep && !waitedForDepth {
                return .wait(nil, nanoseconds: Self.depthGrace)
            }
        }
        _ = input.removeFirst()
        inputNanoseconds -= head.traits.nanoseconds
        if head.traits.drainsDecoder { inputDrainCount -= 1 }
        current = head
        isCurrentPending = true
        return .sample(head, isDeep: isDeep)
    }

    /// How long the first sample waits for others, before a decoder is chosen that needs none.
    static let depthGrace: UInt64 = 20_000_000

    /// Whether a sample is to be dropped because decoding cannot begin with it (L-15, L-22).
    mutating func dropsForSync(_ sample: QueuedSample) -> Bool {
        guard needsSync else { return false }
        if sample.traits.isRandomAccess {
            needsSync = false
            return false
        }
        expected.remove(ordinal: sample.ordinal)
        statistics.skipped += 1
        return true
    }

    /// The sample is the decoder's now.
    mutating func submit(_ sample: QueuedSample) {
        submittedOrdinal = sample.ordinal
        inFlight[sample.ordinal] = sample
    }

    /// A sample is a picture now, or came to nothing.
    private mutating func settle(_ sample: QueuedSample) {
        inFlight[sample.ordinal] = nil
        expected.remove(ordinal: sample.ordinal)
        if current?.ordinal == sample.ordinal { isCurrentPending = false }
    }

    /// A sample gave no picture.
    mutating func fail(
        _ sample: QueuedSample, status: OSStatus, _ effects: inout DisplayEffects
    ) {
        settle(sample)
        statistics.skipped += 1
        let isLost = Self.decoderLosses.contains(status)
        if sample.traits.isSync || isLost {
            fail(status: status, losesDecoder: isLost, &effects)
        }
    }

    /// What a decoder says that is of no use any more: invalid session and malfunction (D-9).
    private static let decoderLosses: [OSStatus] = [-12903, -12911]

    /// Decoding cannot go on (L-23).
    mutating func fail(
        status code: OSStatus, losesDecoder: Bool = false, _ effects: inout DisplayEffects
    ) {
        guard status != .failed else { return }
        let error = AVError(
            .decodeFailed, underlyingError: MediaError(status: code, "the decoder failed"))
        status = .failed
        self.error = error
        input.removeAll()
        inputNanoseconds = 0
        inputDrainCount = 0
        expected.removeAll()
        effects.events.append(.failedToDecode(error))
        if losesDecoder && !requiresFlush {
            requiresFlush = true
            effects.events.append(.requiresFlushToResumeDecodingDidChange(true))
        }
    }

    /// A sample was decoded and is not to be displayed.
    mutating func passOver(_ sample: QueuedSample) {
        settle(sample)
        statistics.decoded += 1
        if givesPresentationOrder && sample.traits.time.isNumeric {
            expected.remove(upTo: submittedOrdinal, before: sample.traits.time)
        }
    }

    /// The decoder holds nothing back any more.
    mutating func finishDecoder() {
        expected.remove(upTo: submittedOrdinal)
        inFlight.removeAll(keepingCapacity: true)
    }

    /// Takes in something to show at its time or at once.
    mutating func insert(
        _ content: DisplayContent, from sample: QueuedSample, _ effects: inout DisplayEffects
    ) {
        let traits = sample.traits
        settle(sample)
        if givesPresentationOrder && traits.kind == .compressed && traits.time.isNumeric {
            expected.remove(upTo: submittedOrdinal, before: traits.time)
        }
        let picture = content.picture
        if let picture {
            statistics.decoded += 1
            if picture.isDamaged { statistics.damaged += 1 }
        }
        guard sample.ordinal >= replacedOrdinal else {
            effects.discard(content)
            return
        }
        if picture != nil { setReadyForDisplay(true, &effects) }
        if traits.isTimed {
            waiting.insert(
                Waiting(
                    time: traits.time, ordinal: sample.ordinal,
                    isClientImage: traits.kind == .image, content: content))
            waitingNanoseconds += content.nanoseconds
        } else {
            insertImmediate(
                ImmediateContent(
                    content: content, ordinal: sample.ordinal,
                    replacesEarlier: traits.displayImmediately && picture != nil),
                &effects)
        }
        if picture != nil { effects.events.append(.pictureAvailable(traits.time)) }
    }

    private mutating func insertImmediate(
        _ new: ImmediateContent, _ effects: inout DisplayEffects
    ) {
        var new = new
        if new.replacesEarlier {
            replacedOrdinal = new.ordinal
            for entry in waiting.removeAll(where: { $0.ordinal < new.ordinal }) {
                forget(entry)
                effects.discard(entry.content)
            }
        }
        guard let old = immediate else {
            immediate = new
            return
        }
        // The screen was busy: only the newest is shown.
        if old.content.picture != nil { statistics.droppedLate += 1 }
        if old.ordinal > new.ordinal {
            effects.discard(new.content)
        } else {
            new.replacesEarlier = new.replacesEarlier || old.replacesEarlier
            effects.discard(old.content)
            immediate = new
        }
    }
}
