package import H264
package import SampleBuffers

/// The format descriptions of a stream: one for each set of parameter sets that was in force.
package struct FormatCache {
    /// Different parameter sets that a stream may use; more are an attack, not a stream.
    package static let maximumCount = 4096

    package private(set) var descriptions: [CMFormatDescription] = []
    private var generation: Int?
    private var current = 0

    /// A cache for one stream.
    package init() {}

    /// The number of the format of a unit that is not next, or may not be whole; what is known of the order stays as it was.
    package mutating func index(forUnitAhead unit: AccessUnit) throws(StreamError) -> Int {
        let (generation, current) = (generation, current)
        self.generation = nil
        defer { (self.generation, self.current) = (generation, current) }
        return try index(for: unit)
    }

    /// The number of the format in force for the access unit, the next in decoding order.
    ///
    /// Repeated parameter sets give the description that is there already.
    package mutating func index(for unit: AccessUnit) throws(StreamError) -> Int {
        if generation == unit.parameterSetsGeneration { return current }
        guard
            let description = try? CMFormatDescription(
                h264ParameterSets: [unit.spsBytes] + unit.ppsBytes, nalUnitHeaderLength: 4)
        else { throw .parameterSets(offset: unit.byteRange.lowerBound) }
        generation = unit.parameterSetsGeneration
        if let known = descriptions.lastIndex(of: description) {
            current = known
            return known
        }
        guard descriptions.count < Self.maximumCount else {
            throw .parameterSets(offset: unit.byteRange.lowerBound)
        }
        current = descriptions.count
        descriptions.append(description)
        return current
    }
}
