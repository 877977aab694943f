/// Decides how much of each picture is sent, so that the picture rate is kept.
///
/// Pure: bytes and times go in, in nanoseconds of one clock. Down at once where pictures do not fit, up one step at a
/// time where they have fitted with room for a second; where a step up was too bold the next try waits twice as long.
package struct DetailPolicy: Sendable {
    private static let firstPatience: Int64 = 1_000_000_000
    private static let longestPatience: Int64 = 16_000_000_000
    /// How long one tolerance is kept before a smaller one is tried.
    private static let restlessness: Int64 = 250_000_000

    /// From all to the least.
    package let ladder: [PictureDetail]
    /// The step that the next picture is drawn at.
    package private(set) var level: Int
    /// Bytes of a picture drawn exactly, as far as its size tells.
    private let expected: [Double]
    /// Bytes of the pictures of this level, a running mean.
    private var mean: Double?
    private var changedAt: Int64 = 0
    private var roseAt: Int64?
    /// Since when there has been room for a better way of drawing.
    private var roomSince: Int64?
    private var patience = Self.firstPatience
    /// Pictures in a row that did not fit.
    private var misses = 0

    /// - Parameters:
    ///   - ladder: From all to the least.
    ///   - cellCount: Cells of the picture.
    ///   - cellPixels: Pixels in one.
    ///   - level: The step to begin with; nil: the last.
    package init(ladder: [PictureDetail], cellCount: Int, cellPixels: Int, level: Int? = nil) {
        self.ladder = ladder
        self.level = level ?? ladder.count - 1
        expected = ladder.map { step in
            // Sixels take about a byte a pixel.
            step.share > 1
                ? Double(cellCount * cellPixels) : Double(cellCount) * 18 * step.share
        }
    }

    package var detail: PictureDetail { ladder[level] }

    /// The steps to try for a picture drawn like `detail`: the first that fits is sent.
    package func attempts(
        for detail: PictureDetail, allowance: Double, at now: Int64
    ) -> Range<Int> {
        guard let first = ladder.firstIndex(where: { $0.isDrawn(like: detail) }) else {
            return level..<level
        }
        let end = ladder[first...].firstIndex { !$0.isDrawn(like: detail) } ?? ladder.count
        var from = min(max(first, level), end - 1)
        // Better ones where they should fit, after a moment: what does not fit is not sent, and costs nothing but time.
        if now - changedAt >= Self.restlessness, first < from, ladder[level].isDrawn(like: detail) {
            from = (first..<from).first { predicted($0) <= allowance } ?? from
        }
        return from..<end
    }

    /// Chooses anew, by what a link that was not known before takes.
    package mutating func settle(allowance: Double, at now: Int64) {
        let chosen = ladder.indices.first { index in
            // An image that may be too much is tried all the same: it is what the terminal is for.
            expected[index] <= allowance * (ladder[index].share > 1 ? 4 : 0.6)
        }
        move(to: chosen ?? ladder.count - 1, at: now)
        roseAt = nil
    }

    /// A picture went out.
    ///
    /// - Parameters:
    ///   - step: The step it was sent at.
    ///   - byteCount: Its bytes.
    ///   - allowance: What they should have been at most.
    ///   - now: The time.
    package mutating func sent(at step: Int, byteCount: Int, allowance: Double, now: Int64) {
        guard ladder[step].isDrawn(like: detail) else { return }
        if step != level {
            move(to: step, at: now)
        }
        let bytes = Double(byteCount)
        mean = mean.map { $0 * 0.8 + bytes * 0.2 } ?? bytes
        if bytes > allowance * (ladder[step].share > 1 ? 1.5 : 1) {
            misses += 1
            roomSince = nil
            if misses >= 2 { fall(allowance, at: now) }
            return
        }
        misses = 0
        rise(allowance, at: now)
    }

    /// A picture was far too large to be sent.
    package mutating func refused(byteCount: Int, allowance: Double, now: Int64) {
        mean = Double(byteCount)
        fall(allowance, at: now)
    }

    // MARK: Moving

    /// To the first step drawn otherwise that should fit.
    private mutating func fall(_ allowance: Double, at now: Int64) {
        guard level + 1 < ladder.count else { return }
        if let roseAt, now - roseAt < 2 * Self.firstPatience {
            patience = min(patience * 2, Self.longestPatience)
        }
        let next = (level + 1..<ladder.count).first { index in
            !ladder[index].isDrawn(like: detail)
                && predicted(index) <= allowance * 0.85
        }
        move(to: next ?? ladder.count - 1, at: now)
        roseAt = nil
    }

    private mutating func rise(_ allowance: Double, at now: Int64) {
        let detail = detail
        // Within one way of drawing the next picture simply tries.
        let better = (0..<level).first { index in
            !ladder[index].isDrawn(like: detail)
                && predicted(index) <= allowance * (ladder[index].share > 1 ? 1.3 : 0.8)
        }
        guard let better else {
            roomSince = nil
            return
        }
        let since = roomSince ?? now
        roomSince = since
        guard now - since >= patience else { return }
        if let roseAt, now - roseAt > 8 * patience { patience = Self.firstPatience }
        move(to: better, at: now)
        roseAt = now
    }

    /// The bytes that a picture would have at a step, by those of the last ones.
    private func predicted(_ step: Int) -> Double {
        guard let mean else { return .infinity }
        let bytes = mean * ladder[step].share / detail.share
        return step < level ? max(bytes, mean) : bytes
    }

    private mutating func move(to step: Int, at now: Int64) {
        guard step != level else { return }
        level = step
        mean = nil
        misses = 0
        changedAt = now
        roomSince = nil
    }
}
