package import ElementaryStream
import MediaTime
import SampleBuffers
import Synchronization
package import VideoCodec

/// Decodes a run of pictures at a time, from the random access point before it.
///
/// One run after another, whoever asks; the decoder and its memory stay from run to run.
package final class PieceDecoder: Sendable {
    /// What a run is about, for the decoder's callback.
    private struct Run: Sendable {
        var wanted: Wanted?
        var pictures: [DecodedPicture] = []
    }

    private struct Kept {
        var session: VTDecompressionSession?
        var request = PixelBufferRequest.native

        mutating func close() {
            session?.invalidate()
            session = nil
        }
    }

    private let source: any ByteSource
    private let index: StreamIndex
    private let kept = Mutex(Kept())
    private let run = Mutex(Run())

    package init(_ source: any ByteSource, index: StreamIndex) {
        self.source = source
        self.index = index
    }

    deinit { kept.withLock { $0.session?.invalidate() } }

    /// Decodes the pictures of these presentation ranks.
    ///
    /// - Parameters:
    ///   - ranks: Indexed pictures.
    ///   - step: Of so many pictures one is wanted, counted from the last.
    ///   - request: The pictures' format and size.
    ///   - isCancelled: Asked between samples; true ends the work.
    /// - Returns: Those of them that can be decoded and are shown, in presentation order.
    package func decode(
        _ ranks: ClosedRange<Int>, step: Int = 1, as request: PixelBufferRequest = .native,
        isCancelled: () -> Bool
    ) -> [DecodedPicture] {
        kept.withLock { kept in
            if kept.request != request { kept.close() }
            kept.request = request
            let wanted = Wanted(index: index, ranks: ranks, step: step)
            run.withLock { $0.wanted = wanted }
            decode(wanted, &kept, isCancelled: isCancelled)
            return run.withLock { run in
                defer { run = Run() }
                return run.pictures.sorted { $0.rank < $1.rank }
            }
        }
    }

    private func decode(_ wanted: Wanted, _ kept: inout Kept, isCancelled: () -> Bool) {
        let samples = SampleSource(source, index: index)
        samples.end(after: wanted.ranks.upperBound)
        guard samples.seek(toPresentationRank: wanted.ranks.lowerBound) != nil else { return }
        decoding: while true {
            if isCancelled() {
                kept.session?.discardDelayedFrames()
                return
            }
            guard let next = try? samples.next() else { break }
            switch next {
            case .end: break decoding
            case .interrupted, .amended: continue
            case .sample(let sample):
                guard let format = sample.formatDescription, wanted.needs(sample) else { continue }
                if let session = kept.session, !session.canAccept(format) {
                    _ = session.waitForAsynchronousFrames()
                    kept.close()
                }
                if kept.session == nil { kept.session = makeSession(format, kept.request) }
                unsafe kept.session?.decodeFrame(sample, flags: [.enableTemporalProcessing])
            }
        }
        _ = kept.session?.waitForAsynchronousFrames()
    }

    private func makeSession(
        _ format: CMFormatDescription, _ request: PixelBufferRequest
    ) -> VTDecompressionSession? {
        try? VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: request
        ) { [weak self] frame in
            self?.run.withLock { run in
                guard let picture = run.wanted?.picture(frame) else { return }
                run.pictures.append(picture)
            }
        }
    }

    /// Which pictures of a run are wanted, and what is decoded for their sake.
    private struct Wanted: Sendable {
        let index: StreamIndex
        let ranks: ClosedRange<Int>
        let step: Int

        /// Whether a sample is wanted, or others may refer to it.
        func needs(_ sample: CMSampleBuffer) -> Bool {
            guard let token = sample.sampleAttachments[0][.token],
                let entry = index.entry(decodeRank: Int(token))
            else { return true }
            return entry.isReference || contains(entry)
        }

        private func contains(_ entry: IndexEntry) -> Bool {
            let rank = Int(entry.presentationRank)
            return entry.isShown && ranks.contains(rank)
                && (ranks.upperBound - rank).isMultiple(of: step)
        }

        func picture(_ frame: VTDecodedFrame) -> DecodedPicture? {
            guard let buffer = frame.imageBuffer, let token = frame.token,
                let entry = index.entry(decodeRank: Int(token)), contains(entry)
            else { return nil }
            return DecodedPicture(
                rank: Int(entry.presentationRank), decodeRank: Int(token), pixelBuffer: buffer,
                presentationTimeStamp: frame.presentationTimeStamp, duration: frame.duration,
                isDamaged: frame.isDamaged)
        }
    }
}
