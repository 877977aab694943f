import MediaTime
import SampleBuffers

/// Records values from any thread; in a monitor, whose locking the thread sanitizer sees.
final class Recorder<Value: Sendable>: Sendable {
    private let store = Monitor<[Value]>([])
    var values: [Value] { store.withLock { $0 } }
    var count: Int { values.count }
    func record(_ value: Value) { store.withLock { $0.append(value) } }
}

/// A buffer with one piece of memory of its own for each array.
func makeBlockBuffer(_ pieces: [UInt8]...) throws -> CMBlockBuffer {
    let buffer = try CMBlockBuffer()
    for piece in pieces {
        let part = try CMBlockBuffer(byteCount: piece.count) { $0.copyBytes(from: piece) }
        try buffer.append(bufferReference: part)
    }
    return buffer
}

func time(_ value: Int64, _ scale: Int32 = 25) -> CMTime { CMTime(value: value, timescale: scale) }

func timing(_ presentation: Int64, _ decode: Int64? = nil, _ duration: Int64 = 1)
    -> CMSampleTimingInfo
{
    CMSampleTimingInfo(
        duration: time(duration), presentationTimeStamp: time(presentation),
        decodeTimeStamp: decode.map { time($0) } ?? .invalid)
}

extension CMSampleBuffer {
    /// A ready buffer with one sample of four bytes.
    static func one(_ presentation: Int64, duration: Int64 = 1) throws -> CMSampleBuffer {
        try CMSampleBuffer(
            dataBuffer: makeBlockBuffer([1, 2, 3, 4]), formatDescription: nil, numSamples: 1,
            sampleTimings: [timing(presentation, nil, duration)], sampleSizes: [4])
    }
}
