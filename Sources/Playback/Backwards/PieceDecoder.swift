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
    ///   - request: The pictures' format and size.
    ///   - isCancelled: Asked between samples; true ends the work.
    /// - Returns: Those of them that can be decoded and are shown, in presentation order.
    package func decode(
        _ ranks: ClosedRange<Int>, as request: PixelBufferRequest = .native,
        isCancelled: () -> Bool
    ) -> [DecodedPicture] {
        let samples = SampleSource(source, index: index)
        samples.end(after: ranks.upperBound)
        guard samples.seek(toPresentationRank: ranks.lowerBound) != nil else { return [] }
        let collected = Mutex<[DecodedPicture]>([])
        var session: VTDecompressionSession?
        defer { session?.invalidate() }
        decoding: while !isCancelled() {
            guard let next = try? samples.next() else { break }
            switch next {
            case .end: break decoding
            case .interrupted: continue
            case .sample(let sample):
                guard let format = sample.formatDescription else { continue }
                if let current = session, !current.canAccept(format) {
                    _ = current.waitForAsynchronousFrames()
                    current.invalidate()
                    session = nil
                }
                if session == nil {
                    session = try? VTDecompressionSession(
                        formatDescription: format, imageBufferAttributes: request
                    ) { [index] frame in
                        guard let picture = Self.picture(frame, index, ranks) else { return }
                        collected.withLock { $0.append(picture) }
                    }
                }
                unsafe session?.decodeFrame(sample, flags: [.enableTemporalProcessing])
            }
        }
        if !isCancelled() { _ = session?.waitForAsynchronousFrames() }
        return collected.withLock { $0.sorted { $0.rank < $1.rank } }
    }

    private static func picture(
        _ frame: VTDecodedFrame, _ index: StreamIndex, _ ranks: ClosedRange<Int>
    ) -> DecodedPicture? {
        guard let buffer = frame.imageBuffer, let token = frame.token,
            let entry = index.entry(decodeRank: Int(token)), entry.isShown,
            ranks.contains(Int(entry.presentationRank))
        else { return nil }
        return DecodedPicture(
            rank: Int(entry.presentationRank), decodeRank: Int(token), pixelBuffer: buffer,
            presentationTimeStamp: frame.presentationTimeStamp, duration: frame.duration,
            isDamaged: frame.isDamaged)
    }
}
