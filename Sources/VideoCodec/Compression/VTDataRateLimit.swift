public import MediaTime

/// How many bytes may come in a stretch of time, whatever the average is to be.
public struct VTDataRateLimit: Hashable, Sendable {
    /// Bytes, not bits; positive.
    public let byteCount: Int
    /// The length of any stretch of decode time; positive and finite.
    public let seconds: Double

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes, not bits.
    ///   - seconds: The length of the stretch.
    /// - Throws: ``VTError/parameter`` where one of them is not positive.
    public init(byteCount: Int, seconds: Double) throws(MediaError) {
        guard byteCount > 0, seconds > 0, seconds.isFinite else {
            throw VTError.parameter.saying("a limit of \(byteCount) bytes in \(seconds) s")
        }
        self.byteCount = byteCount
        self.seconds = seconds
    }

    /// Reads Apple's flat array: bytes, seconds, bytes, seconds; at most two pairs.
    init?(values: [Double], at index: Int) {
        guard index + 1 < values.count, let bytes = Int(exactly: values[index].rounded()),
            let limit = try? VTDataRateLimit(byteCount: bytes, seconds: values[index + 1])
        else { return nil }
        self = limit
    }

    /// Apple's flat array as limits; nil for an odd count, more than two pairs or a value that is not positive.
    static func limits(_ values: [Double]) -> [VTDataRateLimit]? {
        guard values.count.isMultiple(of: 2), values.count <= 4 else { return nil }
        var limits: [VTDataRateLimit] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let limit = VTDataRateLimit(values: values, at: index) else { return nil }
            limits.append(limit)
        }
        return limits
    }
}
