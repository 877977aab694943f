import H264
public import SampleBuffers

/// A byte stream as sample buffers in decoding order, read once from its start: the shortest way from a file or a
/// pipe to a decoder or a display layer.
///
/// Samples have presentation and decode time stamps that begin at 0, attachments, and their parameter sets in the
/// format description. To begin anywhere else, see ``SampleSource``.
///
/// Not thread safe: one thread or queue owns it.
public final class SampleReader {
    private let source: any ByteSource
    private var sequence: AccessUnitSequence
    private var sampler = AccessUnitSampler()

    /// Begins at the start of a source.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - rate: The picture rate, in place of the stream's.
    ///   - isLive: Whether samples must come as soon as their time is certain. Decode time stamps then follow from the
    ///     reordering seen so far, not from that of the stream's first 96 pictures.
    public init(_ source: any ByteSource, rate: PictureRate? = nil, isLive: Bool = false) {
        self.source = source
        sequence = AccessUnitSequence(
            source, rate: rate, packs: true, lookahead: isLive ? 1 : 96)
    }

    /// The next sample, nil at the end of the stream; waits for a pipe.
    ///
    /// Access units of which nothing can be decoded are left out.
    ///
    /// - Returns: The sample, with one access unit.
    /// - Throws: What the source throws.
    public func next() throws(StreamError) -> CMSampleBuffer? {
        while let unit = try sequence.next() {
            // What a pipe keeps to go back in is not needed.
            source.release(before: unit.accessUnit.byteRange.lowerBound)
            guard let rate = sequence.rate, let sample = sampler.sample(for: unit, rate: rate)
            else { continue }
            return sample
        }
        return nil
    }
}
