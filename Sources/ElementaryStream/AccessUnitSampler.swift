import H264
import MediaTime
public import SampleBuffers

/// Makes sample buffers of access units.
public struct AccessUnitSampler {
    private var formats = FormatCache()

    /// A sampler for one stream, whose units come in decoding order.
    public init() {}

    /// The sample of a unit that carries its payload.
    ///
    /// - Returns: Nil where its parameter sets make no format or nothing of it can be decoded.
    public mutating func sample(for timed: TimedAccessUnit, rate: PictureRate) -> CMSampleBuffer? {
        guard let payload = timed.payload, let index = try? formats.index(for: timed.accessUnit)
        else { return nil }
        return Self.sample(
            of: payload, entry: IndexEntry(timed, format: 0), decodeRank: timed.decodeRank,
            format: formats.descriptions[index], timescale: rate.timescale,
            decodeTicks: timed.decodeTicks, isDisplayed: timed.isShown)
    }

    /// The sample of a payload with the index's facts of it.
    static func sample(
        of payload: AccessUnitPayload, entry: IndexEntry, decodeRank: Int,
        format: CMFormatDescription, timescale: Int32, decodeTicks: Int64, isDisplayed: Bool
    ) -> CMSampleBuffer? {
        func time(_ ticks: Int64) -> CMTime { CMTime(value: ticks, timescale: timescale) }
        let timing = CMSampleTimingInfo(
            duration: time(Int64(entry.durationTicks)),
            presentationTimeStamp: time(entry.presentationTicks),
            decodeTimeStamp: time(decodeTicks))
        guard
            let sample = try? CMSampleBuffer(
                dataBuffer: payload.blockBuffer, formatDescription: format, numSamples: 1,
                sampleTimings: [timing], sampleSizes: [])
        else { return nil }
        if !entry.isIDR { sample.sampleAttachments[0][.notSync] = true }
        if entry.isRandomAccessPoint, !entry.isIDR {
            sample.sampleAttachments[0][.partialSync] = true
        }
        sample.sampleAttachments[0][.dependsOnOthers] = !entry.isIntra
        sample.sampleAttachments[0][.isDependedOnByOthers] = entry.isReference
        if !isDisplayed { sample.sampleAttachments[0][.doNotDisplay] = true }
        sample.sampleAttachments[0][.token] = Int64(decodeRank)
        if let boundary = payload.fieldBoundary {
            sample.sampleAttachments[0][.fieldBoundary] = boundary
        }
        return sample
    }
}
