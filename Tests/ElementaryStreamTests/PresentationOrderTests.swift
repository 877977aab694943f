import ElementaryStream
import TestSupport
import Testing

@Suite("Presentation order", .timeLimit(.minutes(Checkout.patience(5))))
struct PresentationOrderTests {
    struct Coded {
        var order: Int
        var begins = false
        var duration: Int64 = 2
    }

    typealias Stamp = PresentationOrder<Int>.Stamp

    /// The stamps in decoding order, as they come out while pictures go in.
    private func stamps(
        _ pictures: [Coded], bound: Int, lookahead: Int = 0, byteCount: Int = 100
    ) -> [Stamp] {
        var order = PresentationOrder<Int>(lookahead: lookahead)
        var result: [Stamp] = []
        func drain() {
            while let (payload, stamp) = order.next() {
                #expect(payload == result.count, "decoding order is kept")
                #expect(stamp.decodeRank == result.count)
                result.append(stamp)
            }
        }
        for (number, picture) in pictures.enumerated() {
            order.append(
                number, pictureOrderCount: picture.order, beginsSequence: picture.begins,
                bound: bound, duration: picture.duration, byteCount: byteCount)
            drain()
        }
        order.finish()
        drain()
        #expect(order.count == pictures.count)
        return result
    }

    /// Ranks by sorting: sequences one after another, in each by order count, equal ones as decoded.
    private func sortedRanks(_ pictures: [Coded]) -> [Int] {
        var sequence = 0
        let keys = pictures.enumerated().map { number, picture in
            if picture.begins { sequence += 1 }
            return (sequence, picture.order, number)
        }
        var ranks = [Int](repeating: 0, count: pictures.count)
        for (rank, key) in keys.sorted(by: <).enumerated() { ranks[key.2] = rank }
        return ranks
    }

    /// What holds of every stream.
    private func checkTimes(_ stamps: [Stamp], isDecodeTimeRising: Bool = true) {
        let presented = stamps.sorted { $0.presentationRank < $1.presentationRank }
        #expect(presented.map(\.presentationRank) == Array(stamps.indices), "a permutation")
        var end: Int64 = 0
        for stamp in presented {
            #expect(stamp.presentationTicks == end, "each begins where the one before ends")
            end += stamp.durationTicks
        }
        for stamp in stamps { #expect(stamp.decodeTicks <= stamp.presentationTicks) }
        guard isDecodeTimeRising else { return }
        checkRising(stamps[...])
    }

    /// Groups of eight as a B-pyramid codes them.
    private func pyramid(groups: Int) -> [Coded] {
        var pictures = [Coded(order: 0, begins: true)]
        for group in 0..<groups {
            let base = group * 16
            pictures += [16, 8, 4, 2, 6, 12, 10, 14].map { Coded(order: base + $0) }
        }
        return pictures
    }

    @Test func `without reordering ranks are decode ranks`() {
        let pictures = (0..<20).map { Coded(order: 2 * $0, begins: $0 == 0) }
        let stamps = stamps(pictures, bound: 0)
        #expect(stamps.map(\.presentationRank) == Array(0..<20))
        #expect(stamps.map(\.decodeTicks) == stamps.map(\.presentationTicks))
        checkTimes(stamps)
    }

    @Test(arguments: [3, 4, 16])
    func `a pyramid is ranked by its order counts whatever bound is enough`(bound: Int) {
        let pictures = pyramid(groups: 6)
        let stamps = stamps(pictures, bound: bound, lookahead: 96)
        #expect(stamps.map(\.presentationRank) == sortedRanks(pictures))
        checkTimes(stamps)
        #expect(stamps[0].decodeTicks == -3 * 2, "the reorder depth before the first picture")
    }

    @Test func `the reorder depth is seen`() {
        var order = PresentationOrder<Int>(lookahead: 0)
        for picture in pyramid(groups: 2) {
            order.append(
                0, pictureOrderCount: picture.order, beginsSequence: picture.begins, bound: 16,
                duration: 2, byteCount: 1)
        }
        order.finish()
        while order.next() != nil {}
        #expect(order.reorderDepth == 3)
    }

    @Test func `a picture comes out as soon as as many wait as may be reordered`() {
        var order = PresentationOrder<Int>(lookahead: 0)
        func append(_ count: Int, begins: Bool = false) {
            order.append(
                count, pictureOrderCount: count, beginsSequence: begins, bound: 2, duration: 2,
                byteCount: 1)
        }
        append(0, begins: true)
        #expect(order.next() == nil)
        append(8)
        #expect(order.next() == nil)
        append(4)
        #expect(order.next()?.stamp.presentationRank == 0)
        #expect(order.next() == nil)
        append(0, begins: true)
        #expect(order.next()?.stamp.presentationRank == 2, "a new sequence ends the old one")
        #expect(order.next()?.stamp.presentationRank == 1)
        #expect(order.next() == nil)
        order.finish()
        #expect(order.next()?.stamp.presentationRank == 3)
    }

    @Test func `sequences follow one another however their counts compare`() {
        var pictures = pyramid(groups: 2)
        pictures += [Coded(order: -8, begins: true), Coded(order: 400), Coded(order: 20)]
        pictures += [Coded(order: 3, begins: true)]
        let stamps = stamps(pictures, bound: 4, lookahead: 96)
        #expect(stamps.map(\.presentationRank) == sortedRanks(pictures))
        checkTimes(stamps)
    }

    @Test func `equal counts keep decoding order`() {
        let pictures = [0, 4, 4, 2, 4, 6].enumerated().map {
            Coded(order: $0.element, begins: $0.offset == 0)
        }
        #expect(stamps(pictures, bound: 16).map(\.presentationRank) == [0, 2, 3, 1, 4, 5])
    }

    @Test func `a picture that comes too late is shown late, not lost`() {
        // A stream that says it does not reorder, and does.
        let pictures = [0, 8, 4, 2, 6, 16, 12].enumerated().map {
            Coded(order: $0.element, begins: $0.offset == 0)
        }
        let stamps = stamps(pictures, bound: 0, lookahead: 96)
        #expect(stamps.map(\.presentationRank) == [0, 1, 2, 3, 4, 5, 6])
        checkTimes(stamps)
        let better = self.stamps(pictures, bound: 1, lookahead: 96)
        checkTimes(better)
        #expect(better.map(\.presentationRank) != [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func `durations of one's own add up`() {
        let pictures = (0..<40).map {
            Coded(order: 2 * $0, begins: $0 == 0, duration: [3, 2][$0 % 2])
        }
        let stamps = stamps(pictures, bound: 0, lookahead: 96)
        checkTimes(stamps)
        #expect(stamps[39].presentationTicks == 20 * 3 + 19 * 2)
    }

    @Test(arguments: [0, 1, 10, 96])
    func `as many are held back at the start as asked for`(lookahead: Int) {
        var order = PresentationOrder<Int>(lookahead: lookahead)
        for count in 1...120 {
            order.append(
                count, pictureOrderCount: count, beginsSequence: count == 1, bound: 0, duration: 2,
                byteCount: 1)
            let out = order.next()
            #expect((out != nil) == (count >= lookahead), "after \(count)")
        }
    }

    @Test func `what is held back is bounded in bytes`() {
        var order = PresentationOrder<Int>(lookahead: 96)
        var count = 0
        while order.next() == nil, count < 96 {
            order.append(
                count, pictureOrderCount: count, beginsSequence: count == 0, bound: 0, duration: 2,
                byteCount: 4 << 20)
            count += 1
        }
        #expect(count <= 7, "24 MB")
    }

    @Test func `decode times rise as far as they can where the depth is seen late`() {
        // 200 pictures in order, then groups reordered by 3: more than the lookahead knew of.
        var pictures = (0..<200).map { Coded(order: 2 * $0, begins: $0 == 0) }
        let base = 400
        for group in 0..<20 {
            pictures += [16, 8, 4, 2, 6, 12, 10, 14].map { Coded(order: base + group * 16 + $0) }
        }
        let stamps = stamps(pictures, bound: 4, lookahead: 32)
        #expect(stamps.map(\.presentationRank) == sortedRanks(pictures))
        checkTimes(stamps, isDecodeTimeRising: false)
        for (early, late) in zip(stamps, stamps.dropFirst()) {
            // None is later than its picture: there, and only there, one may stand still or go back.
            #expect(
                early.decodeTicks < late.decodeTicks || late.decodeTicks == late.presentationTicks)
        }
        checkRising(stamps.dropFirst(220))
    }

    private func checkRising(_ stamps: ArraySlice<Stamp>) {
        for (early, late) in zip(stamps, stamps.dropFirst()) {
            #expect(early.decodeTicks < late.decodeTicks, "decode rank \(late.decodeRank)")
        }
    }

    @Test(arguments: 0..<30)
    func `random orders within the bound are sorted`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let bound = Int.random(in: 0...5, using: &random)
        var pictures: [Coded] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            // A random permutation in which no picture waits for more than `bound` others.
            let count = Int.random(in: 1...60, using: &random)
            var waiting: [Int] = []
            var next = 0
            var coded: [Int] = []
            // Built backwards: presentation order is given, decoding order keeps up to `bound` before.
            while coded.count < count {
                while waiting.count <= bound, next < count {
                    waiting.append(next)
                    next += 1
                }
                // The last ones may be decoded early; the first must come before `bound` are ahead of it.
                let early = coded.count { $0 > waiting[0] }
                let pick = early >= bound ? 0 : Int.random(in: 0..<waiting.count, using: &random)
                coded.append(waiting.remove(at: pick))
            }
            let offset = Int.random(in: -50...50, using: &random)
            pictures += coded.enumerated().map {
                Coded(order: $0.element * 2 + offset, begins: $0.offset == 0)
            }
        }
        let stamps = stamps(pictures, bound: bound, lookahead: 512)
        #expect(stamps.map(\.presentationRank) == sortedRanks(pictures))
        checkTimes(stamps)
        // Without looking ahead ranks are the same; times of decoding only keep behind.
        let blind = self.stamps(pictures, bound: bound)
        #expect(blind.map(\.presentationRank) == stamps.map(\.presentationRank))
        checkTimes(blind, isDecodeTimeRising: false)
    }

    // MARK: What is presumed before it is certain

    /// Presentation ranks and ticks after each picture, of all that have come, as a player has to take them.
    private func presumed(_ pictures: [Coded], bound: Int) -> [[Int: (rank: Int, ticks: Int64)]] {
        var order = PresentationOrder<Int>(lookahead: 0)
        var known: [Int: (rank: Int, ticks: Int64)] = [:]
        return pictures.enumerated().map { number, picture in
            order.append(
                number, pictureOrderCount: picture.order, beginsSequence: picture.begins,
                bound: bound, duration: picture.duration, byteCount: 100)
            while let (payload, stamp) = order.next() {
                known[payload] = (stamp.presentationRank, stamp.presentationTicks)
            }
            var copy = order
            var all = known
            copy.presumeRanks()
            while let (payload, stamp) = copy.next() {
                all[payload] = (stamp.presentationRank, stamp.presentationTicks)
            }
            return all
        }
    }

    @Test(arguments: [1, 2])
    func `ranks are presumed as soon as two pictures are as near as two can be`(step: Int) {
        let orders = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]
        let after = presumed(orders.map { Coded(order: $0 * step) }, bound: 16)
        #expect(after[0][0]?.rank == 0)
        // 3 may be the second or the fourth.
        #expect(after[1][1] == nil)
        for (number, ranks) in after.enumerated().dropFirst(2) {
            for (picture, order) in orders[...number].enumerated() {
                #expect(ranks[picture]?.rank == order, "\(picture) after \(number)")
                #expect(ranks[picture]?.ticks == Int64(order * 2))
            }
        }
    }

    @Test func `nothing is presumed where the distance cannot be told`() {
        for orders in [[0, 16, 8, 4], [0, 5, 3], [0, 6, 3]] {
            let after = presumed(orders.map { Coded(order: $0) }, bound: 16)
            #expect(after.last?.keys.sorted() == [0], "\(orders)")
        }
        // What comes twice is no distance.
        let twice = presumed([0, 0, 4, 4].map { Coded(order: $0) }, bound: 16)
        #expect(twice.last?.keys.contains(2) == false)
    }

    @Test func `times are presumed in order where pictures are of two lengths`() {
        // 3:2 pulldown, the length by rank; a P picture ahead of two B.
        var orders = [0]
        for group in stride(from: 3, through: 90, by: 3) {
            orders += [group, group - 2, group - 1]
        }
        let pictures = orders.map { Coded(order: $0, duration: $0 % 2 == 0 ? 2 : 3) }
        let after = presumed(pictures, bound: 4)
        for (number, stamps) in after.enumerated().dropFirst(3) {
            let inOrder = stamps.values.sorted { $0.rank < $1.rank }
            for (early, late) in zip(inOrder, inOrder.dropFirst()) {
                #expect(early.ticks < late.ticks, "after \(number)")
            }
            for (picture, stamp) in stamps {
                let certain = (0..<orders[picture]).reduce(0) { $0 + ($1 % 2 == 0 ? 2 : 3) }
                #expect(abs(stamp.ticks - Int64(certain)) <= 1, "\(picture) after \(number)")
            }
        }
    }

    @Test func `a long stream takes linear time`() {
        let pictures = pyramid(groups: 25_000)
        let clock = ContinuousClock()
        let time = clock.measure {
            let stamps = stamps(pictures, bound: 4, lookahead: 96)
            #expect(stamps.last?.presentationRank == pictures.count - 2)
        }
        #expect(time < .seconds(20))
    }
}
