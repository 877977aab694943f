internal import MediaTime

/// Everything the layer's threads share, and every decision about it.
///
/// The engine's monitor guards it.
///
/// Methods change the state and write down in ``DisplayEffects`` what is to be done without the lock.
struct DisplayState: Sendable {
    // MARK: Threads

    var isStopped = false
    var areThreadsRunning = false
    /// Counts changes, so that a thread knows that it has seen the last one.
    var generation: UInt64 = 0
    /// The generations at which each thread found nothing to do.
    var parkedDecodeGeneration: UInt64?
    var parkedDisplayGeneration: UInt64?
    /// How many wait for both to have nothing to do.
    var idlenessWaiterCount = 0
    /// Counts flushes: what was decoded before one is not inserted after it.
    var epoch: UInt64 = 0
    /// The epoch the decoder is in.
    var decoderEpoch: UInt64 = 0

    // MARK: Time

    /// What the layer shows by.
    ///
    /// It follows the control timebase, a synchronizer's or the host clock.
    let timebase: CMTimebase
    /// Whether the timebase ran backwards when it last ran.
    var isReversed = false

    // MARK: Input

    var mode = SampleDecodingMode.automatic
    var waitsForSync = true
    var input = SampleFIFO()
    var inputNanoseconds: Int64 = 0
    var inputDrainCount = 0
    var lastOrdinal: UInt64 = 0
    var lastDecodeTime = CMTime.invalid
    var expected = ExpectedTimes()
    var readiness = ReadinessRule()
    var isReady = true
    var wasSufficient = false
    var hasEndOfMedia = false
    var request: MediaDataRequest?
    var isRequestScheduled = false

    // MARK: Decoding

    /// What the decode thread is at work on.
    var current: QueuedSample?
    /// Whether `current` has not become a picture that waits, or come to nothing.
    var isCurrentPending = false
    /// The last sample handed to the decoder.
    var submittedOrdinal: UInt64 = 0
    /// Samples in the decoder.
    var inFlight: [UInt64: QueuedSample] = [:]
    var givesPresentationOrder = false
    /// Whether samples are dropped until decoding can begin.
    var needsSync = false
    var status = AVQueuedSampleBufferRenderingStatus.unknown
    var error: AVError?
    var requiresFlush = false
    /// Whether the decoder gave all it held back, and nothing was enqueued since.
    var isDrained = false
    var hasToldDecodedAll = false
    var hasToldPresentedLast = false

    // MARK: Display

    var waiting = WaitingQueue<DisplayContent>()
    var waitingNanoseconds: Int64 = 0
    var immediate: ImmediateContent?
    /// What was enqueued before this sample was replaced by it (L-11).
    var replacedOrdinal: UInt64 = 0
    /// Time of the picture on show, where it binds what follows.
    var shown: CMTime?
    var displayed: DisplayedPicture?
    var isPresenting = false
    var isReadyForDisplay = false
    var isRemovalRequested = false
    var flushCompletions: [@Sendable () -> Void] = []

    var statistics = SampleDisplayStatistics()

    init(timebase: CMTimebase) { self.timebase = timebase }

    /// Whether the decoder has everything that was enqueued.
    var isStarved: Bool { input.isEmpty && current == nil }

    /// Samples enqueued and not decoded, and images not shown.
    ///
    /// What a decoder holds back is not counted: it comes out only if more goes in.
    var amount: Int {
        input.count + (isCurrentPending ? 1 : 0) + waiting.count + (immediate == nil ? 0 : 1)
    }

    /// The sum of their durations.
    var amountNanoseconds: Int64 {
        inputNanoseconds + (isCurrentPending ? current?.traits.nanoseconds ?? 0 : 0)
            + waitingNanoseconds
    }

    /// L-26.
    var isSufficient: Bool {
        guard status != .failed else { return false }
        return waiting.count >= readiness.sufficientCount || !isReady || hasEndOfMedia || isDrained
    }

    /// Whether something waiting can still come on show if time goes on as it does.
    private var hasPicturesToShow: Bool {
        if immediate != nil { return true }
        guard let last = waiting.entries.last else { return false }
        guard !isReversed, let shown else { return true }
        // Images in falling order are meant for a time that goes back.
        return last.time >= shown || waiting.entries.contains(where: \.isClientImage)
    }

    /// Draws the consequences of a change: readiness, sufficiency, the end, the client's block.
    mutating func settle(_ effects: inout DisplayEffects) {
        isReady =
            status != .failed
            && readiness.isReady(
                wasReady: isReady, count: amount,
                nanoseconds: amountNanoseconds)
        let isSufficient = self.isSufficient
        if isSufficient && !wasSufficient { effects.hasBecomeSufficient = true }
        wasSufficient = isSufficient
        if isDrained {
            if !hasToldDecodedAll {
                hasToldDecodedAll = true
                effects.events.append(.decodedAll)
            }
            if !hasToldPresentedLast && !isPresenting && expected.isEmpty && !hasPicturesToShow {
                hasToldPresentedLast = true
                effects.events.append(.presentedLast)
            }
        }
        if isReady, !isRequestScheduled, let request {
            isRequestScheduled = true
            effects.request = request
        }
    }

    mutating func setReadyForDisplay(_ isReady: Bool, _ effects: inout DisplayEffects) {
        guard isReadyForDisplay != isReady else { return }
        isReadyForDisplay = isReady
        effects.events.append(.readyForDisplayDidChange(isReady))
    }

    /// What to do with the waiting pictures now.
    mutating func judge() -> (verdict: PresentationVerdict, time: CMTime) {
        let rate = timebase.effectiveRate
        let time = timebase.time
        if rate != 0 { isReversed = rate < 0 }
        let rule = PresentationRule(
            time: time, rate: rate, isReversed: isReversed, shown: shown, isStarved: isStarved)
        return (rule.judge(waiting, expected: expected), time)
    }
}
