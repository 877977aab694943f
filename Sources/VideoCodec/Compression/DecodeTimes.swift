internal import MediaTime

/// Makes decode time stamps: strictly increasing, never after the presentation time stamp (E-9).
///
/// Pictures go in in presentation order. The i-th to come out gets the time of the one that went in `depth` before it;
/// the first `depth` of them, which have none, share out the time since the last decode time stamp, or go back in steps
/// of a picture's duration at the very start.
struct DecodeTimes {
    /// Pictures by which they precede; 0 makes no time stamps.
    private var depth = 0
    /// Of the pictures that went in since the encoder was opened, those still needed.
    private var times: [CMTime] = []
    private var removedCount = 0
    private var outputCount = 0
    /// The last one that was given, or the presentation time stamp in its place.
    private var last: CMTime?
    /// That of the encoder before: nothing may precede it.
    private var bound: CMTime?
    private var step = CMTime(value: 1, timescale: 30)
    private var beginsWith: CMTime?

    /// Begins with another encoder, which holds nothing yet.
    mutating func begin(depth: Int) {
        self.depth = depth
        times.removeAll()
        removedCount = 0
        outputCount = 0
        beginsWith = nil
        bound = last
    }

    /// A picture goes in.
    ///
    /// - Parameters:
    ///   - time: Its presentation time stamp.
    ///   - duration: How long a picture lasts, as far as is known.
    mutating func append(_ time: CMTime, duration: CMTime) {
        if beginsWith == nil {
            beginsWith = time
            if duration.isNumeric, duration > .zero { step = duration }
        } else if times.count == 1, removedCount == 0, let first = beginsWith, outputCount == 0 {
            step = time - first
        }
        times.append(time)
    }

    /// A picture comes out: its decode time stamp.
    ///
    /// - Parameter presentationTime: Its presentation time stamp.
    /// - Returns: Invalid without reordering.
    mutating func next(presentationTime: CMTime) -> CMTime {
        defer { outputCount += 1 }
        guard depth > 0 else {
            last = presentationTime
            // Nothing will ask for them.
            times.removeAll(keepingCapacity: true)
            return .invalid
        }
        let time = outputCount < depth ? leading(presentationTime) : times[index]
        last = time
        // Dropped in pieces, so that each is moved but once in a while.
        if outputCount >= depth, index >= 64 {
            times.removeFirst(64)
            removedCount += 64
        }
        return time
    }

    private var index: Int { outputCount - depth - removedCount }

    private func leading(_ presentationTime: CMTime) -> CMTime {
        let start = beginsWith ?? presentationTime
        guard let bound else { return start - step.multiplied(by: Int32(depth - outputCount)) }
        return Self.between(bound, start, part: outputCount + 1, of: depth + 1)
    }

    /// A point on the way from one time to another.
    private static func between(
        _ first: CMTime, _ second: CMTime, part: Int, of count: Int
    ) -> CMTime {
        var (from, way) = (first, second - first)
        // In ticks too coarse for so many points: finer ones.
        if way.value < Int64(count), let finer = Int32(exactly: Int64(way.timescale) * Int64(count))
        {
            way = way.convertScale(finer, method: .default)
            from = from.convertScale(finer, method: .default)
        }
        return from + way.multiplied(by: Int32(part), dividedBy: Int32(count))
    }
}
