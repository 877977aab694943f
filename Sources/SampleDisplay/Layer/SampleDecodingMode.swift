/// How a display layer decodes. [HERE]
public enum SampleDecodingMode: Hashable, Sendable {
    /// `throughput` when several samples, or the end of data, are queued at the start; else `lowDelay`.
    case automatic
    /// With frame threads: every core works, pictures come in presentation order and late by as many as there are
    /// threads. For files. The last pictures need a sample or marker with DrainAfterDecoding.
    case throughput
    /// With slice threads: each picture comes as soon as its sample is decoded. For live input.
    case lowDelay
}
