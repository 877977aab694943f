import MediaTime
import SampleDisplay
import Testing

/// The pure decisions, fed with times and no clock.
@Suite struct PresentationRuleTests {
    private func queue(_ times: [Int], images: Bool = false) -> WaitingQueue<Int> {
        var queue = WaitingQueue<Int>()
        for (index, time) in times.enumerated() {
            queue.insert(
                Waiting(
                    time: at(time), ordinal: UInt64(index + 1), isClientImage: images,
                    content: time))
        }
        return queue
    }

    private func expected(_ times: [Int]) -> ExpectedTimes {
        var expected = ExpectedTimes()
        for (index, time) in times.enumerated() {
            expected.insert(at(time), ordinal: UInt64(100 + index))
        }
        return expected
    }

    private func judge(
        _ waiting: [Int], time: Int, rate: Double, shown: Int? = nil, expecting: [Int] = [],
        isReversed: Bool = false, isStarved: Bool = false, images: Bool = false
    ) -> (shows: Int?, discards: [Int], deadline: PresentationDeadline?, wantsDecoding: Bool) {
        let queue = queue(waiting, images: images)
        let verdict = PresentationRule(
            time: at(time), rate: rate, isReversed: isReversed, shown: shown.map { at($0) },
            isStarved: isStarved
        ).judge(queue, expected: expected(expecting))
        return (
            verdict.shows.map { queue.entries[$0].content },
            verdict.discards.map { queue.entries[$0].content }, verdict.deadline,
            verdict.wantsDecoding
        )
    }

    @Test func `the queue is sorted by time and keeps the order of equals`() {
        let queue = queue([4, 2, 2, 1, 3])
        #expect(queue.entries.map(\.content) == [1, 2, 2, 3, 4])
        #expect(queue.entries.map(\.ordinal) == [4, 2, 3, 5, 1])
        #expect(queue.count(upTo: at(2)) == 3)
        #expect(queue.count(below: at(2)) == 1)
    }

    @Test func `forwards the newest due picture is shown and older ones are late`() {
        let verdict = judge([1, 2, 3, 5], time: 3, rate: 1)
        #expect(verdict.shows == 3)
        #expect(verdict.discards == [1, 2])
        #expect(verdict.deadline == .at(at(5)))
    }

    @Test func `nothing is shown before its time`() {
        for rate in [1.0, 0, -1] {
            let verdict = judge([5], time: 3, rate: rate, shown: 2)
            #expect(verdict.shows == nil)
        }
        #expect(judge([5], time: 3, rate: 1).deadline == .at(at(5)))
        #expect(judge([5], time: 3, rate: 0).deadline == nil)
    }

    @Test func `a picture older than the one on show is late`() {
        let verdict = judge([2], time: 4, rate: 1, shown: 3)
        #expect(verdict.shows == nil)
        #expect(verdict.discards == [2])
    }

    @Test func `after a jump back what is due replaces what is on show`() {
        let verdict = judge([2, 7], time: 4, rate: 1, shown: 6)
        #expect(verdict.shows == 2)
        #expect(verdict.discards.isEmpty)
    }

    @Test func `forwards a picture waits for an earlier one that is enqueued`() {
        let verdict = judge([4], time: 9, rate: 1, shown: 0, expecting: [2])
        #expect(verdict.shows == nil)
        #expect(verdict.wantsDecoding)
        #expect(judge([4], time: 9, rate: 1, shown: 0, expecting: [5]).shows == 4)
    }

    @Test func `standing a picture waits for one between it and the time`() {
        let verdict = judge([4], time: 6, rate: 0, expecting: [5, 9])
        #expect(verdict.shows == nil)
        #expect(verdict.wantsDecoding)
        #expect(judge([4], time: 6, rate: 0, expecting: [7]).shows == 4)
        #expect(judge([4], time: 6, rate: 0, expecting: [5], isStarved: true).shows == 4)
    }

    @Test func `standing late pictures go but images enqueued for reverse play stay`() {
        #expect(judge([4, 3], time: 6, rate: 0).discards == [3])
        let reverse = judge([4, 3], time: 6, rate: 0, images: true)
        #expect(reverse.shows == 4)
        #expect(reverse.discards.isEmpty)
        #expect(judge([3, 4], time: 6, rate: 0, images: true).discards == [3])
        #expect(judge([3, 4], time: 6, rate: 0, isReversed: true).discards.isEmpty)
    }

    @Test func `backwards a picture gives way when the time falls below it`() {
        #expect(judge([1, 2], time: 3, rate: -1, shown: 3).shows == nil)
        #expect(judge([1, 2], time: 3, rate: -1, shown: 3).deadline == .below(at(3)))
        let verdict = judge([1, 2], time: 2, rate: -1, shown: 3)
        #expect(verdict.shows == 2)
        #expect(verdict.discards.isEmpty)
        #expect(verdict.deadline == .below(at(2)))
    }

    @Test func `backwards what is above the time and the picture on show goes`() {
        let verdict = judge([1, 5, 6], time: 2, rate: -1, shown: 4)
        #expect(verdict.shows == 1)
        #expect(verdict.discards == [5, 6])
    }

    @Test func `backwards the nearest late picture is shown rather than none`() {
        let verdict = judge([5, 7], time: 2, rate: -1, shown: 9)
        #expect(verdict.shows == 5)
        #expect(verdict.discards == [7])
        #expect(judge([5], time: 2, rate: -1, shown: 4).shows == nil)
    }

    @Test func `backwards a picture waits for the one that comes before its turn`() {
        let verdict = judge([1], time: 4, rate: -1, expecting: [3])
        #expect(verdict.shows == nil)
        #expect(verdict.wantsDecoding)
    }

    @Test func `a time that is no number shows nothing`() {
        let rule = PresentationRule(time: .invalid, rate: 1)
        #expect(rule.judge(queue([1]), expected: ExpectedTimes()) == PresentationVerdict())
    }

    /// Against the rule in its plainest form: no holding back, no bookkeeping.
    @Test(arguments: 0..<200) func `agrees with the plain rule when nothing is expected`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        for _ in 0..<50 {
            let times = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                Int.random(in: 0..<20, using: &random)
            }
            let time = Int.random(in: -2..<22, using: &random)
            let shown = Bool.random(using: &random) ? Int.random(in: 0..<20, using: &random) : nil
            let rate = Double(Int.random(in: -1...1, using: &random))
            let verdict = judge(times, time: time, rate: rate, shown: shown)
            let due = times.filter { $0 <= time }.max()
            let bound = shown.flatMap { $0 <= time ? $0 : nil }
            let plain = due.flatMap { $0 >= bound ?? $0 ? $0 : nil }
            if rate >= 0 || due != nil {
                #expect(verdict.shows == plain, "\(times) at \(time), \(shown as Int?) on show")
            }
            let kept = times.filter { !verdict.discards.contains($0) }
            // Nothing that is yet to come is thrown away.
            if rate > 0 { #expect(kept.filter { $0 > time } == times.filter { $0 > time }) }
            if rate < 0, let onShow = verdict.shows ?? bound {
                #expect(kept.contains { $0 < onShow } == times.contains { $0 < onShow })
            }
        }
    }
}
