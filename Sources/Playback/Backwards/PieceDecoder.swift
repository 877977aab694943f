package import ElementaryStream
import MediaTime
import SampleBuffers
import Synchronization
package import VideoCodec

/// Decodes a run of pictures at a time, from the random access point before it.
package final class PieceDecoder: Sendable {
    private let source: any ByteSource
    private let index: StreamIndex

    package init(_ source: any ByteSource, index: StreamIndex) {
        self.source = source
        self.index = index
    }

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
        let samples = SampleSource(source, index: index)
        samples.end(after: ranks.upperBound)
        guard samples.seek(toPresentationRank: ranks.lowerBound) != nil else { return [] }
        let collected = Mutex<[DecodedPicture]>([])
        var session: VTDecompressionSession?
        let wanted = Wanted(index: index, ranks: ranks, step: step)
        defer { session?.invalidate() }
        decoding: while !isCancelled() {
            guard let next = try? samples.next() else { break }
            switch next {
            case .end: break decoding
            case .interrupted: continue
            case .sample(let sample):
                guard let format = sample.formatDescription, wanted.needs(sample) else { continue }
                if let current = session, !current.canAccept(format) {
                    _ = current.waitForAsynchronousFrames()
                    current.invalidate()
                    session = nil
                }
                if session == nil {
                    session = try? VTDecompressionSession(
                        formatDescription: format, imageBufferAttributes: request
                    ) { frame in
                        guard let picture = wanted.picture(frame) else { return }
                        collected.withLock { $0.append(picture) }
                    }
                }
                unsafe session?.decodeFrame(sample, flags: [.enableTemporalProcessing])
            }
        }
        if !isCancelled() { _ = session?.waitForAsynchronousFrames() }
        return collected.withLock { $0.sorted { $0.rank < $1.rank } }
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
