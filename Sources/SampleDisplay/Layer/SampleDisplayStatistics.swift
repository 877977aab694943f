/// What a display layer has done since it was made. [HERE]
public struct SampleDisplayStatistics: Hashable, Sendable {
    /// Samples enqueued, markers included.
    public package(set) var enqueued = 0
    /// Pictures that came from the decoder or as image buffers, those not to be displayed included.
    public package(set) var decoded = 0
    /// Pictures given to the sink.
    public package(set) var presented = 0
    /// Pictures that were decoded, and discarded because a newer one was due.
    public package(set) var droppedLate = 0
    /// Decoded pictures marked damaged.
    public package(set) var damaged = 0
    /// Samples that gave no picture: undecodable, or before the first sync sample.
    public package(set) var skipped = 0
    /// Samples enqueued whose decoding has not begun.
    public package(set) var queued = 0
    /// Pictures decoded and not yet shown.
    public package(set) var waiting = 0

    package init() {}
}
