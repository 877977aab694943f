internal import H264
internal import SampleBuffers
internal import Synchronization

/// The reorder depth of the last format seen: clients enqueue thousands of samples of one format.
final class FormatDepth: Sendable {
    private struct Last: Sendable {
        var format: CMFormatDescription?
        var depth: Int?
    }

    private let last = Mutex(Last())

    /// Pictures that a stream of this format can hold back (5.7); nil without a format that says so.
    func reorderDepth(of format: CMFormatDescription?) -> Int? {
        guard let format else { return nil }
        return last.withLock { last in
            if last.format !== format {
                last.format = format
                last.depth = format.h264SequenceParameterSet.map { $0.maximumReorderDepth }
            }
            return last.depth
        }
    }
}
