/// When the layer asks for more samples and how far it decodes ahead: the numbers of L-17 and L-26.
package struct ReadinessRule: Hashable, Sendable {
    /// Pictures that the stream's reordering can hold back: 0 until a format is known.
    package var reorderDepth: Int

    /// Creates the rule for a stream.
    package init(reorderDepth: Int = 0) { self.reorderDepth = reorderDepth }

    private static let highCount = 24
    private static let lowCount = 12
    private static let highNanoseconds: Int64 = 1_000_000_000
    private static let lowNanoseconds: Int64 = 500_000_000

    /// Fewer than so many never count as enough: the decoder could not give a picture.
    package var leastCount: Int { max(8, reorderDepth + 2) }

    /// Decoded and not yet shown images at which decoding pauses.
    package var waitingLimit: Int { reorderDepth + 3 }

    /// Images that are sufficient for a start.
    package var sufficientCount: Int { reorderDepth + 2 }

    /// Whether the layer is ready, given that it was or was not.
    ///
    /// - Parameters:
    ///   - wasReady: The last answer.
    ///   - count: Samples enqueued and not decoded, and images not shown.
    ///   - nanoseconds: The sum of their durations.
    /// - Returns: Whether more is welcome.
    package func isReady(wasReady: Bool, count: Int, nanoseconds: Int64) -> Bool {
        if count < leastCount { return true }
        if wasReady { return count < Self.highCount && nanoseconds < Self.highNanoseconds }
        return count < Self.lowCount && nanoseconds < Self.lowNanoseconds
    }
}
