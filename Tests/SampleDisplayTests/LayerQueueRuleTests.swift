import Dispatch
import MediaTime
import SampleBuffers
import SampleDisplay
import TestSupport
import Testing

/// Queueing, readiness, formats and failure: L-15 to L-26.
@Suite(.timeLimit(.minutes(Checkout.patience(5)))) struct LayerQueueRuleTests {
    @Test func `L-15 flush discards what waits and keeps what is shown`() throws {
        let rig = try Rig()
        rig.enqueue(try (0...9).map { try Sample.compressed($0) })
        rig.layer.flush()
        #expect(rig.layer.statistics.queued == 0)
        #expect(rig.layer.statistics.waiting == 0)
        #expect(rig.layer.displayedPresentationTimeStamp == at(0))
        #expect(!rig.sink.calls.contains(.removeImage))
        // Each picture that was prepared is presented or discarded.
        let prepared = rig.sink.calls.compactMap { call -> Int64? in
            if case .prepare(let token) = call { token } else { nil }
        }
        #expect(Set(prepared) == Set(rig.presented + rig.sink.discarded))
        #expect(rig.layer.isReadyForMoreMediaData)
        try rig.go(to: at(9))
        #expect(rig.presented == [0])
    }

    @Test func `L-15 what is in the decoder at a flush is never shown`() throws {
        let rig = try Rig()
        rig.decoders.hold()
        rig.layer.enqueue(try Sample.compressed(0))
        rig.decoders.waitUntilHeld()
        rig.layer.flush()
        rig.decoders.release()
        rig.enqueue(try Sample.compressed(-1))
        #expect(rig.presented == [-1])
        #expect(!rig.sink.calls.contains(.prepare(0)))
    }

    @Test func `L-15 after a flush samples are dropped until a sync sample without failing`() throws
    {
        let rig = try Rig()
        rig.enqueue(try Sample.compressed(0))
        rig.layer.flush()
        try rig.go(to: at(9))
        let notSync = Marks(notSync: true)
        rig.enqueue(try Sample.compressed(1, notSync), try Sample.compressed(2, notSync))
        #expect(rig.presented == [0])
        #expect(rig.layer.status == .rendering)
        #expect(rig.layer.statistics.skipped == 2)
        rig.enqueue(try Sample.compressed(3), try Sample.compressed(4, notSync))
        #expect(rig.presented.last == 4)
        #expect(Set(rig.presented).isDisjoint(with: [1, 2]))
    }

    @Test func `L-15 a recovery point is as good as a sync sample and any is on request`() throws {
        let rig = try Rig()
        rig.layer.flush()
        rig.enqueue(try Sample.compressed(0, Marks(notSync: true, partialSync: true)))
        #expect(rig.presented == [0])
        rig.layer.waitsForSyncSample = false
        rig.layer.flush()
        rig.enqueue(try Sample.compressed(0, Marks(notSync: true)))
        #expect(rig.presented == [0, 0])
    }

    @Test func `L-15 flush recovers from a failure`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.compressed(0, Marks(status: -12911)))
        #expect(rig.layer.status == .failed)
        #expect(rig.layer.requiresFlushToResumeDecoding)
        rig.layer.flush()
        #expect(rig.layer.status == .unknown)
        #expect(rig.layer.error == nil)
        #expect(!rig.layer.requiresFlushToResumeDecoding)
        #expect(rig.layer.isReadyForMoreMediaData)
        rig.enqueue(try Sample.compressed(0))
        #expect(rig.presented == [0])
        #expect(rig.layer.status == .rendering)
    }

    @Test func `L-15 a decoder with fixed settings is reset at a flush, not made anew`() throws {
        let rig = try Rig(mode: .throughput)
        rig.enqueue(try Sample.compressed(0))
        rig.layer.flush()
        rig.enqueue(try Sample.compressed(0))
        let made = rig.decoders.calls.filter {
            $0 == .make(width: 16, isInPresentationOrder: true)
        }
        #expect(made.count == 1)
        #expect(rig.decoders.calls.contains(.reset))
        rig.layer.decoderThreadCount = 1
        rig.layer.flush()
        rig.enqueue(try Sample.compressed(0))
        #expect(rig.decoders.calls.contains(.invalidate))
    }

    @Test func `L-16 flushAndRemoveImage removes the image too`() throws {
        let rig = try Rig()
        let handled = Monitor<[Bool]>([])
        rig.layer.presentationHandler = { image, _, _ in
            handled.update { $0.append(image != nil) }
        }
        rig.enqueue(try Sample.image(0), try Sample.image(1))
        rig.layer.flushAndRemoveImage()
        rig.layer.waitUntilIdle()
        #expect(rig.sink.calls.contains(.removeImage))
        #expect(rig.layer.displayedPicture == nil)
        #expect(handled.withLock { $0 } == [true, false])
    }

    @Test func `L-16 the completion handler runs once the image is off`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0))
        let calls = Monitor<[RecordingSink.Call]?>(nil)
        rig.layer.sampleBufferRenderer.flush(removingDisplayedImage: true) { [sink = rig.sink] in
            calls.update { $0 = sink.calls }
        }
        let seen = calls.wait { $0 }
        #expect(seen?.last == .removeImage)
        rig.enqueue(try Sample.image(0))
        let isDone = Monitor(false)
        rig.layer.sampleBufferRenderer.flush(removingDisplayedImage: false) {
            isDone.update { $0 = true }
        }
        _ = isDone.wait { $0 ? () : nil }
        #expect(rig.layer.displayedPicture != nil)
    }

    @Test func `L-17 readiness has the marks of 24 and 12 samples`() throws {
        let rig = try Rig()
        try rig.go(to: at(-1))
        let short = CMTime(value: 1, timescale: 100)
        for number in 0..<24 {
            #expect(rig.layer.isReadyForMoreMediaData)
            rig.enqueue(try Sample.compressed(number, duration: short))
        }
        #expect(!rig.layer.isReadyForMoreMediaData)
        // Each step shows one picture: 12 are left after 12.
        for number in 0..<12 {
            try rig.go(to: at(number))
            #expect(!rig.layer.isReadyForMoreMediaData)
        }
        try rig.go(to: at(12))
        #expect(rig.layer.isReadyForMoreMediaData)
    }

    @Test func `L-17 readiness has the marks of one second and of half a second`() throws {
        let rig = try Rig()
        try rig.go(to: at(-1))
        let long = CMTime(value: 1, timescale: 10)
        for number in 0..<10 {
            #expect(rig.layer.isReadyForMoreMediaData)
            rig.enqueue(try Sample.compressed(number, duration: long))
        }
        #expect(!rig.layer.isReadyForMoreMediaData)
        // Below 8 samples it is ready whatever they last.
        try rig.go(to: at(1))
        #expect(!rig.layer.isReadyForMoreMediaData)
        try rig.go(to: at(2))
        #expect(rig.layer.isReadyForMoreMediaData)
    }

    @Test func `L-17 at least 8 samples and reorder depth + 2 are welcome`() throws {
        for (depth, least) in [(0, 8), (4, 8), (10, 12)] {
            let rig = try Rig()
            try rig.go(to: at(-1))
            let format = try Sample.format(reorderDepth: depth)
            for number in 0..<least {
                #expect(rig.layer.isReadyForMoreMediaData, "depth \(depth)")
                rig.enqueue(
                    try Sample.compressed(
                        number, duration: CMTime(value: 5, timescale: 1), format: format))
            }
            #expect(!rig.layer.isReadyForMoreMediaData, "depth \(depth)")
        }
    }

    @Test func `L-17 images waiting are at most reorder depth + 3`() throws {
        for depth in [0, 2, 5] {
            let rig = try Rig()
            try rig.go(to: at(-1))
            let format = try Sample.format(reorderDepth: depth)
            rig.enqueue(try (0..<40).map { try Sample.compressed($0, format: format) })
            #expect(rig.layer.statistics.waiting == depth + 3)
            #expect(rig.layer.statistics.queued == 40 - depth - 3)
        }
    }

    @Test func `L-17 enqueueing while not ready loses nothing`() throws {
        let rig = try Rig()
        rig.enqueue(try (0..<200).map { try Sample.compressed($0) })
        #expect(!rig.layer.isReadyForMoreMediaData)
        try rig.setRate(1)
        for _ in 1..<200 { rig.advance(1) }
        #expect(rig.presented == Array(0..<200))
    }

    @Test func `L-17 a jump ahead at rate 0 discards and goes on`() throws {
        let rig = try Rig()
        rig.enqueue(try (0..<100).map { try Sample.compressed($0) })
        try rig.go(to: at(90))
        #expect(rig.presented == [0, 90])
        #expect(rig.layer.statistics.decoded >= 91)
    }

    @Test func `L-18 a stopped timebase does not drain the queue`() throws {
        let rig = try Rig()
        var number = 0
        while rig.layer.isReadyForMoreMediaData {
            rig.enqueue(try Sample.compressed(number))
            number += 1
        }
        #expect(number == 25)
        rig.layer.waitUntilIdle()
        #expect(!rig.layer.isReadyForMoreMediaData)
        #expect(rig.presented == [0])
    }

    @Test func `L-19 the block is called until the layer is full and again when it has drained`()
        throws
    {
        let rig = try Rig()
        let queue = DispatchQueue(label: "reader")
        let calls = Monitor((calls: 0, next: 0, overlaps: 0, isInside: false))
        rig.layer.requestMediaDataWhenReady(on: queue) { [layer = rig.layer] in
            calls.update { state in
                if state.isInside { state.overlaps += 1 }
                state.isInside = true
                state.calls += 1
            }
            while layer.isReadyForMoreMediaData {
                let number = calls.withLock { state in
                    defer { state.next += 1 }
                    return state.next
                }
                guard let sample = try? Sample.compressed(number) else { return }
                layer.enqueue(sample)
            }
            calls.update { $0.isInside = false }
        }
        _ = calls.wait { $0.next >= 24 && !$0.isInside ? () : nil }
        queue.sync {}
        rig.layer.waitUntilIdle()
        let filled = calls.withLock { $0.next }
        try rig.setRate(1)
        for _ in 0..<20 { rig.advance(1) }
        _ = calls.wait { $0.next > filled ? () : nil }
        rig.layer.stopRequestingMediaData()
        queue.sync {}
        #expect(calls.withLock { $0.overlaps } == 0)
    }

    @Test func `L-19 a block that enqueues nothing is called again, at a pace`() throws {
        let rig = try Rig()
        let calls = Monitor<[CMTime]>([])
        rig.layer.requestMediaDataWhenReady(on: DispatchQueue(label: "reader")) {
            calls.update { $0.append(CMClock.hostTimeClock.time) }
        }
        _ = calls.wait { $0.count >= 5 ? () : nil }
        rig.layer.stopRequestingMediaData()
        let times = calls.withLock { $0 }
        for (first, second) in zip(times, times.dropFirst()) {
            #expect((second - first).seconds >= 0.009)
        }
    }

    @Test func `L-20 stop inside the block ends the calls and a new request after it works`() throws
    {
        let rig = try Rig()
        let queue = DispatchQueue(label: "reader")
        let calls = Monitor([0, 0])
        rig.layer.requestMediaDataWhenReady(on: queue) { [layer = rig.layer] in
            calls.update { $0[0] += 1 }
            layer.stopRequestingMediaData()
            if let sample = try? Sample.compressed(0) { layer.enqueue(sample) }
        }
        _ = calls.wait { $0[0] > 0 ? () : nil }
        queue.sync {}
        rig.layer.requestMediaDataWhenReady(on: queue) { calls.update { $0[1] += 1 } }
        _ = calls.wait { $0[1] >= 3 ? () : nil }
        rig.layer.stopRequestingMediaData()
        #expect(calls.withLock { $0[0] } == 1)
    }

    @Test func `L-20 a second request replaces the first and a scheduled call is suppressed`()
        throws
    {
        let rig = try Rig()
        let queue = DispatchQueue(label: "reader")
        let calls = Monitor([0, 0])
        queue.suspend()
        rig.layer.requestMediaDataWhenReady(on: queue) { calls.update { $0[0] += 1 } }
        rig.layer.requestMediaDataWhenReady(on: queue) { calls.update { $0[1] += 1 } }
        queue.resume()
        _ = calls.wait { $0[1] > 0 ? () : nil }
        #expect(calls.withLock { $0[0] } == 0)
        queue.suspend()
        let count = calls.withLock { $0[1] }
        rig.layer.stopRequestingMediaData()
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0[1] } <= count + 1)
    }

    @Test func `L-20 flush does not cancel the request`() throws {
        let rig = try Rig()
        let calls = Monitor(0)
        rig.layer.requestMediaDataWhenReady(on: DispatchQueue(label: "reader")) {
            calls.update { $0 += 1 }
        }
        _ = calls.wait { $0 > 0 ? () : nil }
        rig.layer.flush()
        let count = calls.withLock { $0 }
        _ = calls.wait { $0 > count + 1 ? () : nil }
        rig.layer.stopRequestingMediaData()
    }

    @Test func `L-21 dropping the layer stops everything silently`() throws {
        weak var weakLayer: AVSampleBufferDisplayLayer?
        weak var weakSink: RecordingSink?
        let calls = Monitor(0)
        let queue = DispatchQueue(label: "reader")
        let decoders: FakeDecoders
        do {
            let rig = try Rig()
            weakLayer = rig.layer
            weakSink = rig.sink
            decoders = rig.decoders
            rig.layer.requestMediaDataWhenReady(on: queue) { calls.update { $0 += 1 } }
            rig.enqueue(try (0...9).map { try Sample.compressed($0) })
            _ = calls.wait { $0 > 0 ? () : nil }
        }
        #expect(weakLayer == nil)
        // The threads end: the decode thread's last act is to drop its decoder.
        while !decoders.calls.contains(.invalidate) { queue.sync {} }
        #expect(weakSink == nil)
        let count = calls.withLock { $0 }
        queue.sync {}
        #expect(calls.withLock { $0 } <= count + 1)
    }

    @Test func `L-22 a format the decoder cannot accept makes a new one and loses no picture`()
        throws
    {
        let rig = try Rig(mode: .throughput)
        let (first, second) = (try Sample.format(), try Sample.format(width: 32))
        rig.enqueue(
            try Sample.compressed(0, format: first), try Sample.compressed(1, format: first),
            try Sample.compressed(2, format: second), try Sample.compressed(3, format: second),
            try Sample.marker(.drainAfterDecoding))
        let calls = rig.decoders.calls
        #expect(
            calls == [
                .make(width: 16, isInPresentationOrder: true), .decode(0, displays: true),
                .decode(1, displays: true), .finish, .invalidate,
                .make(width: 32, isInPresentationOrder: true), .decode(2, displays: true),
                .decode(3, displays: true), .finish,
            ])
        try rig.setRate(1)
        for _ in 0..<3 { rig.advance(1) }
        #expect(rig.presented == [0, 1, 2, 3])
    }

    @Test func `L-22 a format the decoder accepts changes nothing`() throws {
        let rig = try Rig()
        let (first, second) = (
            try Sample.format(reorderDepth: 0), try Sample.format(reorderDepth: 2)
        )
        rig.enqueue(
            try Sample.compressed(0, format: first),
            try Sample.compressed(1, format: second, Marks(notSync: true)))
        #expect(rig.decoders.calls.count == 3)
    }

    @Test func `L-22 after a new format samples are dropped until a sync sample`() throws {
        let rig = try Rig()
        let second = try Sample.format(width: 32)
        try rig.go(to: at(9))
        rig.enqueue(
            try Sample.compressed(0),
            try Sample.compressed(1, format: second, Marks(notSync: true)),
            try Sample.compressed(2, format: second))
        #expect(!rig.decoders.calls.contains(.decode(1, displays: true)))
        #expect(rig.presented.last == 2)
        #expect(rig.layer.statistics.skipped == 1)
    }

    @Test func `L-23 a failure is told and until a flush nothing is taken`() throws {
        let rig = try Rig()
        let calls = Monitor(0)
        rig.enqueue(try Sample.compressed(0), try Sample.compressed(1, Marks(status: -12909)))
        #expect(rig.layer.status == .failed)
        #expect(rig.layer.error?.code == .decodeFailed)
        #expect(rig.layer.error?.code.rawValue == -11821)
        #expect(rig.layer.error?._domain == "AVFoundationErrorDomain")
        #expect(rig.layer.error?.underlyingError?.status == -12909)
        #expect(rig.eventNames.contains("failed"))
        #expect(!rig.layer.isReadyForMoreMediaData)
        rig.layer.requestMediaDataWhenReady(on: DispatchQueue(label: "reader")) {
            calls.update { $0 += 1 }
        }
        rig.enqueue(try Sample.compressed(2))
        #expect(rig.layer.statistics.enqueued == 2)
        #expect(calls.withLock { $0 } == 0)
        rig.layer.flush()
        _ = calls.wait { $0 > 0 ? () : nil }
        rig.layer.stopRequestingMediaData()
    }

    @Test func `L-23 what was decoded before a failure is still shown`() throws {
        let rig = try Rig()
        rig.enqueue(
            try Sample.compressed(0), try Sample.compressed(1),
            try Sample.compressed(2, Marks(status: -12909, fails: true)))
        try rig.go(to: at(1))
        #expect(rig.presented == [0, 1])
    }

    @Test func `L-24 undecodable data on a sync sample and a missing decoder are failures`() throws
    {
        let rig = try Rig()
        rig.enqueue(try Sample.compressed(0, Marks(status: -12909, fails: true)))
        #expect(rig.layer.status == .failed)
        let other = try Rig()
        other.decoders.state.withLock { $0.makingFails = true }
        other.enqueue(try Sample.compressed(0))
        #expect(other.layer.status == .failed)
        #expect(other.layer.error?.underlyingError?.status == -12906)
    }

    @Test func `L-24 a damaged sample that is not sync is shown marked or skipped`() throws {
        let rig = try Rig()
        rig.enqueue(
            try Sample.compressed(0),
            try Sample.compressed(1, Marks(notSync: true, damaged: true)),
            try Sample.compressed(2, Marks(notSync: true, status: -12909)),
            try Sample.compressed(3, Marks(notSync: true, status: -12909, fails: true)))
        try rig.go(to: at(1))
        #expect(rig.presented == [0, 1])
        #expect(rig.layer.displayedPicture?.isDamaged == true)
        #expect(rig.layer.status == .rendering)
        #expect(rig.layer.statistics.damaged == 1)
        #expect(rig.layer.statistics.skipped == 2)
    }

    @Test func `L-25 only the loss of the decoder requires a flush`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.compressed(0, Marks(status: -12909)))
        #expect(rig.layer.status == .failed)
        #expect(!rig.layer.requiresFlushToResumeDecoding)
        let other = try Rig()
        other.enqueue(
            try Sample.compressed(0), try Sample.compressed(1, Marks(notSync: true, status: -12903))
        )
        #expect(other.layer.status == .failed)
        #expect(other.layer.requiresFlushToResumeDecoding)
        #expect(other.eventNames.suffix(2) == ["failed", "flush true"])
    }

    @Test func `L-26 reorder depth + 2 images are sufficient for a start`() throws {
        let rig = try Rig()
        try rig.go(to: at(-1))
        let format = try Sample.format(reorderDepth: 1)
        for number in 0..<3 {
            #expect(!rig.layer.hasSufficientMediaDataForReliablePlaybackStart)
            rig.enqueue(try Sample.compressed(number, format: format))
        }
        #expect(rig.layer.hasSufficientMediaDataForReliablePlaybackStart)
    }

    @Test func `L-26 a full queue is sufficient and so is the end of the stream`() throws {
        let rig = try Rig()
        rig.enqueue(try (0..<30).map { try Sample.compressed($0, Marks(doNotDisplay: true)) })
        #expect(!rig.layer.hasSufficientMediaDataForReliablePlaybackStart)
        rig.enqueue(try Sample.marker(.permanentEmptyMedia))
        #expect(rig.layer.hasSufficientMediaDataForReliablePlaybackStart)
        let other = try Rig()
        other.decoders.hold()
        for number in 0..<30 { other.layer.enqueue(try Sample.compressed(number)) }
        #expect(other.layer.hasSufficientMediaDataForReliablePlaybackStart)
    }
}
