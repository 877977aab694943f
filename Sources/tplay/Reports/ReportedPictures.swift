import ElementaryStream
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import VideoCodec

/// A stream's access units in presentation order, decoded if asked: what `--report frames` prints.
///
/// Bounded: reads no further ahead than reordering and the decoder's delay demand. Wherever it begins, a picture comes
/// out as if all had been decoded from the start of the stream.
struct ReportedPictures: ~Copyable {
    /// What is wanted.
    struct Request {
        /// What is made of decoded pictures.
        enum Decoding {
            case none, digests, images
        }

        var range: ReportRange
        var rate: PictureRate?
        var decoding = Decoding.none
        /// In decoding order in place of presentation order.
        var isInDecodeOrder = false
        /// Also what comes before the first random access point.
        var showsAll = false

        init(_ options: Options) {
            range = ReportRange(options)
            rate = options.pictureRate
            decoding = options.hasDigests ? .digests : .none
            isInDecodeOrder = options.order == .decode
            showsAll = options.showsAll
        }
    }

    private let request: Request
    private var sequence: AccessUnitSequence
    private var session: VTDecompressionSession?
    private let results = Monitor<[Int64: ReportedPicture.Decoded]>([:])
    private let digester = Digester()
    private var sampler = AccessUnitSampler()
    private var damage: DamageTracker
    /// Earlier access units, in decoding order, are not decoded.
    private let firstDecodeRank: Int
    /// Earlier ones are decoded for later ones' sake, and what the decoder says of them does not count.
    private let trustedDecodeRank: Int
    /// In decoding order, until what the decoder says of each is known.
    private var undecided: [TimedAccessUnit] = []
    /// By presentation rank, until those before it have gone out.
    private var waiting: [Int: ReportedPicture] = [:]
    private var inDecodeOrder: [ReportedPicture] = []
    private var nextRank: Int
    /// What had come out where this begins.
    private let gone: RankFrontier
    /// The first picture known to be behind the range.
    private var firstRankBehind = Int.max
    private var isAtEnd = false

    /// - Parameters:
    ///   - source: The stream.
    ///   - request: What is wanted of it.
    ///   - start: Where to begin so that the pictures of the range come out right.
    init(
        _ source: any ByteSource, _ request: Request,
        from start: RandomAccessTrail.DecodingStart = .startOfStream
    ) {
        let packs = request.decoding != .none
        self.request = request
        if let checkpoint = start.checkpoint {
            sequence = AccessUnitSequence(source, from: checkpoint, packs: packs)
        } else {
            sequence = AccessUnitSequence(
                source, rate: request.rate, packs: packs, releases: true)
        }
        firstDecodeRank = start.checkpoint?.decodeRank ?? 0
        trustedDecodeRank = start.trustedDecodeRank
        damage = DamageTracker(isEnteredInTheMiddle: start.trustedDecodeRank > 0)
        gone = sequence.presented
        nextRank = gone.rank
    }

    /// The picture rate and time scale, known with the first picture.
    var rate: PictureRate { sequence.rate ?? .default }

    /// Access units read so far.
    private(set) var pictureCount = 0

    /// Where slices begin that nothing explains and that end the stream; known at its end.
    var undecodableOffset: Int64? { sequence.undecodableByteRange?.lowerBound }

    /// NAL units read so far.
    var nalUnitCount: Int { sequence.nalUnitCount }

    /// The next picture of the range, nil at its end.
    mutating func next() throws(StreamError) -> ReportedPicture? {
        while true {
            if let picture = takeReady() {
                guard request.range.contains(picture.timed, rate) else { continue }
                return picture
            }
            if isAtEnd { return nil }
            try advance()
        }
    }

    private mutating func takeReady() -> ReportedPicture? {
        if request.isInDecodeOrder {
            return inDecodeOrder.isEmpty ? nil : inDecodeOrder.removeFirst()
        }
        while gone.contains(nextRank) { nextRank += 1 }
        guard let picture = waiting.removeValue(forKey: nextRank) else { return nil }
        nextRank += 1
        return picture
    }

    /// Reads and decodes one access unit more.
    private mutating func advance() throws(StreamError) {
        // Everything in the range has been sent: only the decoder's delay is left.
        let isBehind = sequence.presented.rank >= firstRankBehind
        if !isBehind, let timed = try sequence.next() {
            if request.range.isBehind(timed, rate) {
                firstRankBehind = min(firstRankBehind, timed.presentationRank)
            }
            pictureCount = timed.decodeRank + 1
            undecided.append(timed)
            if request.decoding != .none, timed.decodeRank >= firstDecodeRank { decode(timed) }
        } else {
            isAtEnd = true
            _ = session?.waitForAsynchronousFrames()
            digester.finish()
        }
        decide()
    }

    private mutating func decode(_ timed: TimedAccessUnit) {
        let token = Int64(timed.decodeRank)
        guard let sample = sampler.sample(for: timed, rate: rate) else {
            return results.update { $0[token] = .init(isDamaged: true) }
        }
        var flags: VTDecodeFrameFlags = [.enableTemporalProcessing]
        if !request.range.contains(timed, rate) { flags.insert(.doNotOutputFrame) }
        let session = session(for: sample)
        let status = unsafe session?.decodeFrame(sample, flags: flags) ?? -1
        if status != 0 { results.update { $0[token] = .init(isDamaged: true) } }
    }

    /// The session that takes the sample: the one there is, or a new one after a change of format.
    private mutating func session(for sample: CMSampleBuffer) -> VTDecompressionSession? {
        guard let format = sample.formatDescription else { return nil }
        if let session {
            if session.canAccept(format) { return session }
            _ = session.waitForAsynchronousFrames()
            session.invalidate()
        }
        let (results, digester) = (results, digester)
        let keepsImages = request.decoding == .images
        session = try? VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: .native
        ) { frame in
            let token = frame.token ?? -1
            var decoded = ReportedPicture.Decoded(
                pixelFormat: frame.imageBuffer?.pixelFormat, isDamaged: frame.isDamaged)
            guard let image = frame.imageBuffer, !keepsImages else {
                decoded.image = frame.imageBuffer
                return results.update { [decoded] in $0[token] = decoded }
            }
            digester.take(image) { [decoded] digest in
                var decoded = decoded
                decoded.digest = digest
                results.update { [decoded] in $0[token] = decoded }
            }
        }
        // What frame threads conceal in broken pictures is as their race comes out; a report is the same each time.
        if !keepsImages { session?.threadCount = 1 }
        return session
    }

    /// Moves on what the decoder has answered, in decoding order, so that damage spreads as it does.
    private mutating func decide() {
        var count = 0
        for timed in undecided {
            var decoded: ReportedPicture.Decoded?
            if request.decoding != .none, timed.decodeRank >= firstDecodeRank {
                decoded = results.withLock { $0.removeValue(forKey: Int64(timed.decodeRank)) }
                if decoded == nil, !isAtEnd { break }
            }
            let picture = judged(timed, decoded)
            if request.isInDecodeOrder {
                inDecodeOrder.append(picture)
            } else {
                waiting[timed.presentationRank] = picture
            }
            count += 1
        }
        undecided.removeFirst(count)
    }

    private mutating func judged(
        _ timed: TimedAccessUnit, _ decoded: ReportedPicture.Decoded?
    ) -> ReportedPicture {
        var isDamaged = false
        // A picture that was asked for and did not come.
        let isMissing =
            request.decoding != .none && timed.isShown && timed.decodeRank >= firstDecodeRank
            && request.range.contains(timed, rate) && !(decoded?.hasPicture ?? false)
        if timed.decodeRank >= trustedDecodeRank {
            // What a skipped picture lacks harms none that is shown.
            isDamaged = damage.isDamaged(
                timed.accessUnit,
                isBroken: timed.isBroken || isMissing
                    || (timed.isShown && decoded?.isDamaged ?? false))
        }
        // Shown all the same, it is built on pictures that nobody has.
        let isForced = request.showsAll && !timed.isShown
        return ReportedPicture(
            timed: timed, isShown: timed.isShown || isForced, isDamaged: isDamaged || isForced,
            decoded: decoded)
    }
}
