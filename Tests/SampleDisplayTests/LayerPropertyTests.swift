import MediaTime
import SampleBuffers
import SampleDisplay
import TestSupport
import Testing

/// Random enqueueing, rates, seeks, flushes and time under a simulated clock, against the rule in plain words.
@Suite(.timeLimit(.minutes(Checkout.patience(5)))) struct LayerPropertyTests {
    @Test(arguments: 0..<60)
    func `L-4 whatever happens, the largest time not after the timebase's is on show`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        let usesDecoder = Bool.random(using: &random)
        let rig = try Rig(mode: Bool.random(using: &random) ? .lowDelay : .throughput)
        rig.decoders.state.withLock { $0.delay = Int.random(in: 0...3, using: &random) }
        let format = try Sample.format(reorderDepth: 3)
        var next = 0
        for _ in 0..<80 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                // A group of pictures in a decode order with reordering.
                let group = [3, 1, 0, 2].map { next + $0 }
                next += 4
                let samples = try group.map { number in
                    usesDecoder
                        ? try Sample.compressed(number, format: format) : try Sample.image(number)
                }
                rig.enqueue(samples)
                if Bool.random(using: &random) {
                    rig.enqueue(try Sample.marker(.drainAfterDecoding))
                }
            case 4...7: rig.advance(hundredths: Int.random(in: 1..<400, using: &random))
            case 8: try rig.setRate([0.5, 1, 2, 0, 3][Int.random(in: 0..<5, using: &random)])
            case 9:
                try rig.go(
                    to: at(hundredths: Int.random(in: 0..<(100 * next + 100), using: &random)))
            default:
                let count = rig.presented.count
                rig.layer.flush()
                rig.layer.waitUntilIdle()
                #expect(rig.presented.count == count)
                next = Int.random(in: 0..<100, using: &random)
                try rig.go(to: at(next))
            }
            try check(rig)
        }
        let layer = rig.layer
        layer.flush()
        // Each picture prepared was presented or discarded, once.
        let prepared = rig.sink.calls.count { if case .prepare = $0 { true } else { false } }
        #expect(prepared == rig.presented.count + rig.sink.discarded.count)
    }

    /// What must hold whenever nothing is left to do.
    private func check(_ rig: Rig) throws {
        let time = rig.control.time
        let shown = rig.layer.displayedPresentationTimeStamp
        let waiting = rig.layer.waitingTimes
        // Nothing that is due and newer than what is on show waits.
        for late in waiting where late <= time {
            #expect(shown.map { late < $0 && $0 <= time } ?? false, "\(late) waits at \(time)")
        }
        // What was presented was due, and was the newest that was.
        let (times, pictures) = rig.sink.state.withLock { ($0.times, $0.pictures) }
        for (picture, time) in zip(pictures, times) {
            #expect(picture.presentationTimeStamp <= time)
        }
    }

    @Test(arguments: 0..<40)
    func `L-4 played forwards pictures are shown in order and none late while a newer is due`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed &+ 1000)
        let rig = try Rig(mode: Bool.random(using: &random) ? .lowDelay : .throughput)
        let format = try Sample.format(reorderDepth: 3)
        var next = 0
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                rig.enqueue(
                    try [3, 1, 0, 2].map { try Sample.compressed(next + $0, format: format) })
                next += 4
            case 3: try rig.setRate([0.5, 1, 2, 0][Int.random(in: 0..<4, using: &random)])
            default: rig.advance(hundredths: Int.random(in: 1..<600, using: &random))
            }
        }
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        try rig.setRate(1)
        for _ in 0..<next { rig.advance(1) }
        let presented = rig.presented
        #expect(presented == presented.sorted())
        #expect(presented.last == Int64(next - 1))
        #expect(rig.eventNames.last == "presented last")
        let (times, pictures) = rig.sink.state.withLock { ($0.times, $0.pictures) }
        for index in pictures.indices.dropFirst() {
            // The one before was not shown when this one was already due and decoded: a later look
            // finds it due at the earliest at the time of that look.
            #expect(times[index] >= pictures[index].presentationTimeStamp)
            #expect(times[index] >= times[index - 1])
        }
        #expect(Set(presented).count == presented.count)
        // What was discarded was late: an even newer one was shown before, or right after. The decode thread
        // discards too, maybe while the display thread is about to present one before.
        let calls = rig.sink.calls
        for (index, call) in calls.enumerated() {
            guard case .discard(let token) = call else { continue }
            let isShown = { (call: RecordingSink.Call) -> Int64? in
                if case .present(let token) = call { token } else { nil }
            }
            let before = calls[..<index].compactMap(isShown).last ?? -1
            let after = calls[index...].compactMap(isShown).prefix(2).max() ?? -1
            #expect(max(before, after) > token)
        }
    }

    @Test(arguments: 0..<40)
    func `L-8 played backwards pictures are shown in falling order`(seed: UInt64) throws {
        var random = SplitMix(seed: seed &+ 2000)
        let rig = try Rig()
        let last = Int.random(in: 10..<60, using: &random)
        try rig.go(to: at(hundredths: 100 * last + 50))
        try rig.setRate(-1)
        var next = last
        while next >= 0 || rig.layer.statistics.waiting > 0 {
            if next >= 0, Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...5, using: &random) where next >= 0 {
                    rig.enqueue(try Sample.image(next))
                    next -= 1
                }
            } else {
                rig.advance(hundredths: Int.random(in: 1..<250, using: &random))
            }
        }
        let presented = rig.presented
        #expect(presented == presented.sorted(by: >))
        #expect(presented.last == 0)
    }
}
