import ElementaryStream
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import VideoCodec

/// An access unit with what its decoding showed.
struct ReportedPicture {
    var timed: TimedAccessUnit
    /// Whether it or a picture it is predicted from is lost or broken, by headers and decoder together.
    var isDamaged: Bool
    /// Hexadecimal MD5 of the decoded picture; nil where it was not decoded or not asked for.
    var md5: String?
    /// FFmpeg's name of the decoded picture's format; nil where it was not decoded.
    var pixelFormat: String?
}

/// A stream's access units in presentation order, decoded if asked: what `--report frames` prints.
///
/// Bounded: reads no further ahead than reordering and the decoder's delay demand.
struct ReportedPictures: ~Copyable {
    private struct Decoded {
        var md5: String?
        var pixelFormat: String?
        var isDamaged: Bool
    }

    private var sequence: AccessUnitSequence
    private let decodes: Bool
    private var session: VTDecompressionSession?
    private let results = Monitor<[Int64: Decoded]>([:])
    private var sampler = AccessUnitSampler()
    private var damage = DamageTracker()
    /// In decoding order, until what the decoder says of each is known.
    private var undecided: [TimedAccessUnit] = []
    /// By presentation rank, until those before it have gone out.
    private var waiting: [Int: ReportedPicture] = [:]
    private var nextRank = 0
    private var isAtEnd = false

    init(_ source: any ByteSource, rate: PictureRate?, decodes: Bool) {
        sequence = AccessUnitSequence(source, rate: rate, packs: decodes)
        self.decodes = decodes
    }

    /// The picture rate and time scale, known with the first picture.
    var rate: PictureRate { sequence.rate ?? .default }

    /// NAL units read so far.
    var nalUnitCount: Int { sequence.nalUnitCount }

    /// The next picture in presentation order, nil at the end.
    mutating func next() throws(StreamError) -> ReportedPicture? {
        while true {
            if let picture = waiting.removeValue(forKey: nextRank) {
                nextRank += 1
                return picture
            }
            if isAtEnd, undecided.isEmpty { return nil }
            if !isAtEnd {
                if let timed = try sequence.next() {
                    undecided.append(timed)
                    if decodes { decode(timed) }
                } else {
                    isAtEnd = true
                    _ = session?.waitForAsynchronousFrames()
                }
            }
            decide()
        }
    }

    private mutating func decode(_ timed: TimedAccessUnit) {
        let token = Int64(timed.decodeRank)
        guard let sample = sampler.sample(for: timed, rate: rate) else {
            return results.update { $0[token] = Decoded(isDamaged: true) }
        }
        let session = session(for: sample)
        let status =
            unsafe session?.decodeFrame(sample, flags: [.enableTemporalProcessing]) ?? -1
        if status != 0 { results.update { $0[token] = Decoded(isDamaged: true) } }
    }

    /// The session that takes the sample: the one there is, or a new one after a change of format.
    private mutating func session(for sample: CMSampleBuffer) -> VTDecompressionSession? {
        guard let format = sample.formatDescription else { return nil }
        if let session {
            if session.canAccept(format) { return session }
            _ = session.waitForAsynchronousFrames()
            session.invalidate()
        }
        let results = results
        session = try? VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: .native
        ) { frame in
            let decoded = Decoded(
                md5: frame.imageBuffer?.md5, pixelFormat: frame.imageBuffer?.pixelFormat.name,
                isDamaged: frame.isDamaged)
            results.update { $0[frame.token ?? -1] = decoded }
        }
        return session
    }

    /// Moves on what the decoder has answered, in decoding order, so that damage spreads as it does.
    private mutating func decide() {
        var count = 0
        for timed in undecided {
            var decoded: Decoded?
            if decodes {
                decoded = results.withLock { $0.removeValue(forKey: Int64(timed.decodeRank)) }
                if decoded == nil, !isAtEnd { break }
            }
            let isDamaged = damage.isDamaged(
                timed.accessUnit,
                isBroken: timed.isBroken || (timed.isShown && decoded?.isDamaged ?? false))
            waiting[timed.presentationRank] = ReportedPicture(
                timed: timed, isDamaged: isDamaged, md5: decoded?.md5,
                pixelFormat: decoded?.pixelFormat)
            count += 1
        }
        undecided.removeFirst(count)
    }
}
