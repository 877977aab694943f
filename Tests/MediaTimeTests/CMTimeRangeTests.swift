import Foundation
import MediaTime
import Testing

@Suite("CMTimeRange")
struct CMTimeRangeTests {
    private func range(_ start: Int64, _ duration: Int64, _ scale: Int32 = 1) -> CMTimeRange {
        CMTimeRange(start: time(start, scale), duration: time(duration, scale))
    }

    @Test func `R-1 valid, indefinite and empty ranges`() {
        #expect(range(1, 2).isValid && !range(1, 2).isEmpty && !range(1, 2).isIndefinite)
        #expect(range(1, 0).isValid && range(1, 0).isEmpty)
        #expect(!range(1, -1).isValid && !range(1, -1).isEmpty)
        #expect(!CMTimeRange.invalid.isValid && !CMTimeRange().isValid)
        #expect(CMTimeRange.zero.isEmpty)
        #expect(!CMTimeRange(start: .invalid, duration: time(1, 1)).isValid)
        #expect(!CMTimeRange(start: .zero, duration: .invalid).isValid)
        let live = CMTimeRange(start: .zero, duration: .indefinite)
        #expect(live.isValid && live.isIndefinite && !live.isEmpty)
        #expect(CMTimeRange(start: .indefinite, duration: time(1, 1)).isIndefinite)
        #expect(CMTimeRange(start: .zero, duration: .positiveInfinity).isValid)
        let wrong = CMTimeRange(start: time(1, 1), duration: time(1, 1, epoch: 1))
        #expect(wrong == .invalid && !wrong.start.isValid)
        var changed = range(1, 2)
        changed.duration.epoch = 1
        #expect(!changed.isValid)
        #expect(
            CMTimeRange(start: time(1, 1, epoch: 2), end: time(3, 1, epoch: 2))
                == CMTimeRange(start: time(1, 1, epoch: 2), duration: time(2, 1)))
        #expect(CMTimeRange(start: .zero, end: time(3, 1, epoch: 2)) == .invalid)
    }

    @Test func `R-2 a range is half open`() {
        let sample = range(1, 2)
        #expect(sample.containsTime(time(1, 1)) && sample.containsTime(time(299, 100)))
        #expect(!sample.containsTime(time(99, 100)) && !sample.containsTime(sample.end))
        #expect(sample.end == time(3, 1))
        #expect(!CMTimeRange.zero.containsTime(.zero))
        #expect(!sample.containsTime(.invalid) && !sample.containsTime(.indefinite))
        #expect(!sample.containsTime(time(1, 1, epoch: 1)))
        let endless = CMTimeRange(start: .zero, duration: .positiveInfinity)
        #expect(endless.containsTime(time(.max, 1)) && !endless.containsTime(.positiveInfinity))
        #expect(!CMTimeRange.invalid.containsTime(.zero))
        #expect(!range(1, -5).containsTime(.zero))
    }

    @Test func `R-3 empty ranges contain nothing and may be contained`() {
        #expect(range(0, 4).containsTimeRange(range(1, 2)))
        #expect(range(0, 4).containsTimeRange(range(0, 4)))
        #expect(!range(0, 4).containsTimeRange(range(1, 4)))
        #expect(!range(1, 4).containsTimeRange(range(0, 2)))
        #expect(!range(1, 0).containsTimeRange(range(1, 0)))
        #expect(range(0, 4).containsTimeRange(range(2, 0)))
        #expect(range(0, 4).containsTimeRange(range(0, 0)))
        #expect(!range(0, 4).containsTimeRange(range(4, 0)))
        #expect(!range(0, 4).containsTimeRange(.invalid))
        #expect(!CMTimeRange.invalid.containsTimeRange(range(0, 4)))
    }

    @Test func `R-4 an intersection without common time is zero`() {
        #expect(range(0, 4).intersection(range(2, 4)) == range(2, 2))
        #expect(range(2, 4).intersection(range(0, 4)) == range(2, 2))
        #expect(range(0, 9).intersection(range(2, 4)) == range(2, 4))
        #expect(range(2, 2).intersection(range(4, 2)) == .zero)
        #expect(range(1, 2).intersection(range(7, 2)) == .zero)
        #expect(range(0, 9).intersection(range(3, 0)) == .zero)
        #expect(!range(0, 9).intersection(.invalid).isValid)
        let otherEpoch = CMTimeRange(start: time(0, 1, epoch: 1), duration: time(9, 1))
        #expect(range(0, 9).intersection(otherEpoch) == .zero)
        #expect(
            otherEpoch.intersection(CMTimeRange(start: time(2, 1, epoch: 1), duration: time(1, 1)))
                == CMTimeRange(start: time(2, 1, epoch: 1), duration: time(1, 1)))
    }

    @Test func `R-5 a union covers both, empty ranges by their start`() {
        #expect(range(0, 2).union(range(5, 1)) == range(0, 6))
        #expect(range(5, 1).union(range(0, 2)) == range(0, 6))
        #expect(range(0, 9).union(range(2, 1)) == range(0, 9))
        #expect(
            range(0, 0).union(range(2, 3, 2)) == CMTimeRange(start: .zero, duration: time(5, 2)))
        #expect(range(2, 1).union(range(7, 0)) == range(2, 5))
        #expect(!range(0, 2).union(.invalid).isValid)
    }

    @Test func `R-6 clamping`() {
        let sample = range(1, 2)
        #expect(time(2, 1).clamped(to: sample).fields == time(2, 1).fields)
        #expect(time(0, 1).clamped(to: sample) == time(1, 1))
        #expect(time(9, 1).clamped(to: sample) == time(3, 1))
        #expect(CMTime.negativeInfinity.clamped(to: sample) == time(1, 1))
        #expect(CMTime.positiveInfinity.clamped(to: sample) == time(3, 1))
        #expect(!time(1, 1).clamped(to: range(1, 0)).isValid)
        #expect(!time(1, 1).clamped(to: .invalid).isValid)
        #expect(!CMTime.invalid.clamped(to: sample).isValid)
    }

    @Test func `R-6 mapping is linear`() {
        let (from, to) = (range(10, 4), range(100, 2))
        #expect(time(10, 1).mapped(from: from, to: to) == time(100, 1))
        #expect(time(14, 1).mapped(from: from, to: to) == time(102, 1))
        #expect(time(11, 1).mapped(from: from, to: to) == time(201, 2))
        #expect(time(6, 1).mapped(from: from, to: to) == time(98, 1))
        #expect(!time(1, 1).mapped(from: range(1, 0), to: to).isValid)
        #expect(!time(1, 1).mapped(from: from, to: range(1, 0)).isValid)
        #expect(!time(11, 1, epoch: 1).mapped(from: from, to: to).isValid)
        #expect(!CMTime.invalid.mapped(from: from, to: to).isValid)
        let looped = CMTimeRange(start: time(10, 1, epoch: 1), duration: time(4, 1))
        let place = CMTimeRange(start: time(7, 1, epoch: 5), duration: time(4, 1))
        #expect(time(11, 1, epoch: 1).mapped(from: looped, to: place).fields == [8, 1, 1, 5])
        let endless = CMTimeRange(start: time(5, 1), duration: .positiveInfinity)
        let other = CMTimeRange(start: time(50, 1), duration: .positiveInfinity)
        #expect(time(6, 1).mapped(from: endless, to: other) == time(51, 1))
        #expect(!time(6, 1).mapped(from: endless, to: to).isValid)
        #expect(time(2, 1).mappedDuration(from: from, to: to) == time(1, 1))
        #expect(!time(2, 1, epoch: 1).mappedDuration(from: from, to: to).isValid)
        #expect(time(2, 1).mappedDuration(from: endless, to: other) == time(2, 1))
        #expect(!time(2, 1).mappedDuration(from: .zero, to: to).isValid)
        // 1/3 in thirds of thirds, and a quotient that nothing holds.
        #expect(
            time(1, 3).mappedDuration(from: range(0, 3), to: range(0, 1)).fields == [1, 9, 1, 0])
        let rounded = time(1, .max).mappedDuration(from: range(0, 3), to: range(0, 1))
        #expect(rounded.fields == [0, 0x7fff_ffff, 3, 0])
    }

    @Test func `R-6 folding gives a time of the range`() {
        let loop = range(10, 4)
        for (folded, expected) in [(10, 10), (13, 13), (14, 10), (19, 11), (9, 13), (-1, 11)] {
            #expect(time(Int64(folded), 1).folded(into: loop) == time(Int64(expected), 1))
        }
        #expect(time(29, 2).folded(into: loop) == time(21, 2))
        #expect(!time(1, 1).folded(into: range(1, 0)).isValid)
        #expect(!time(1, 1, epoch: 1).folded(into: loop).isValid)
        #expect(!CMTime.positiveInfinity.folded(into: loop).isValid)
        let endless = CMTimeRange(start: time(5, 1), duration: .positiveInfinity)
        #expect(time(99, 1).folded(into: endless) == time(99, 1))
    }

    @Test func `R-6 mapped and folded times agree with exact fractions`() {
        var random = Random(seed: 66)
        var failures: [(CMTime, CMTimeRange, CMTimeRange)] = []
        for _ in 0..<trials / 10 {
            let t = random.time()
            let from = CMTimeRange(start: random.time(), duration: random.time().absoluteValue)
            let to = CMTimeRange(start: .zero, duration: random.time().absoluteValue)
            guard from.isValid, to.isValid, !from.isEmpty, !to.isEmpty,
                !from.duration.hasBeenRounded, !to.duration.hasBeenRounded,
                from.duration.isNumeric, to.duration.isNumeric
            else { continue }
            let folded = t.folded(into: from)
            // At the ends of Int64 a duration can vanish in its range's end.
            let isRight =
                from.end > from.start
                ? from.containsTime(folded) : folded == from.start
            if !isRight { failures.append((t, from, to)) }
            if !(t - from.start).hasBeenRounded, !folded.hasBeenRounded {
                // A whole number of durations away.
                let offset = t - folded
                let turns = Wide(offset.value) * Wide(from.duration.timescale)
                let turn = Wide(from.duration.value) * Wide(offset.timescale)
                if offset.isNumeric, !offset.hasBeenRounded, !isMultiple(turns, turn) {
                    failures.append((t, from, to))
                }
            }
            let d = t.mappedDuration(from: from, to: to)
            let numerator =
                Wide(t.value) * Wide(to.duration.value) * Wide(from.duration.timescale)
            let denominator =
                Wide(t.timescale) * Wide(to.duration.timescale) * Wide(from.duration.value)
            let isExact =
                d.isNumeric && numerator * Wide(d.timescale) == Wide(d.value) * denominator
            if isExact
                ? d.hasBeenRounded
                : !isNearest(d, numerator: numerator, denominator: denominator, wanted: .max)
            {
                failures.append((t, from, to))
            }
        }
        let examples = failures.prefix(3).map { "\($0)" }
        #expect(examples == [])
    }

    private func isMultiple(_ a: Wide, _ b: Wide) -> Bool {
        guard let a = a.magnitude.narrow, let b = b.magnitude.narrow else { return true }
        return a % b == 0
    }

    @Test func `equal ranges hash alike, and survive encoding`() throws {
        #expect(range(1, 2) == range(10, 20, 10))
        #expect(range(1, 2).hashValue == range(10, 20, 10).hashValue)
        #expect(range(1, 2) != range(1, 3))
        let data = try JSONEncoder().encode(range(1, 2))
        #expect(try JSONDecoder().decode(CMTimeRange.self, from: data) == range(1, 2))
        #expect(range(1, 2).description == "{{1/1 = 1.000}, {2/1 = 2.000}}")
    }

    @Test func `a mapping is sound, empty or invalid`() {
        let mapping = CMTimeMapping(source: range(0, 2), target: range(5, 4))
        #expect(mapping.isValid && !mapping.isEmpty)
        let empty = CMTimeMapping(emptyTarget: range(5, 4))
        #expect(empty.isValid && empty.isEmpty && !empty.source.isValid)
        var wrong = range(5, 4)
        wrong.duration.epoch = 1
        #expect(CMTimeMapping(source: range(0, 2), target: wrong) == .invalid)
        #expect(!CMTimeMapping.invalid.isValid && !CMTimeMapping.invalid.isEmpty)
    }
}
