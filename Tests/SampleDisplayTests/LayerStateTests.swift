import Dispatch
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay
import TestSupport
import Testing

/// Properties, time sources, threads: L-1 to L-3 and L-27 to L-30.
@Suite(.timeLimit(.minutes(Checkout.patience(5)))) struct LayerStateTests {
    @Test func `L-1 a fresh layer`() {
        let layer = AVSampleBufferDisplayLayer()
        #expect(layer.status == .unknown)
        #expect(layer.error == nil)
        #expect(layer.isReadyForMoreMediaData)
        #expect(!layer.isReadyForDisplay)
        #expect(layer.videoGravity == .resizeAspect)
        #expect(layer.controlTimebase == nil)
        #expect(!layer.requiresFlushToResumeDecoding)
        #expect(!layer.hasSufficientMediaDataForReliablePlaybackStart)
    }

    @Test func `L-2 the timebase is the layer's own and follows the control timebase`() throws {
        let rig = try Rig()
        try rig.go(to: at(7))
        #expect(rig.layer.timebase !== rig.control)
        #expect(rig.layer.timebase.time == at(7))
        #expect(throws: MediaError.self) { try rig.layer.timebase.setTime(at(1)) }
        rig.layer.controlTimebase = nil
        #expect(rig.layer.timebase.rate == 1)
        let host = CMClock.hostTimeClock.time
        #expect((rig.layer.timebase.time - host).seconds.magnitude < 10)
    }

    @Test func `L-2 the output time stamp counts`() throws {
        let rig = try Rig()
        let sample = try Sample.compressed(0, at: at(100))
        try sample.setOutputPresentationTimeStamp(at(3))
        rig.enqueue(sample)
        #expect(rig.presented.isEmpty)
        try rig.go(to: at(3))
        #expect(rig.presented == [0])
    }

    @Test func `L-2 another control timebase judges anew what is queued`() throws {
        let rig = try Rig()
        rig.enqueue(try (0...3).map { try Sample.image($0) })
        let other = try CMTimebase(sourceClock: rig.clock)
        try other.setTime(at(2))
        rig.layer.controlTimebase = other
        rig.layer.waitUntilIdle()
        #expect(rig.presented == [0, 2])
    }

    @Test func `L-3 the first enqueue makes the status rendering`() throws {
        let rig = try Rig()
        rig.layer.enqueue(try Sample.compressed(0))
        #expect(rig.layer.status == .rendering)
    }

    @Test func `L-3 samples are decoded in the order of enqueueing and shown by time`() throws {
        let rig = try Rig()
        try rig.setRate(1)
        let order: [Int64] = [3, 6, 5, 4, 9, 8, 7]
        rig.enqueue(try order.map { try Sample.compressed(Int($0)) })
        for _ in 0..<10 { rig.advance(1) }
        let decoded = rig.decoders.calls.compactMap { call -> Int64? in
            if case .decode(let token, _) = call { token } else { nil }
        }
        #expect(decoded == order)
        #expect(rig.presented == order.sorted())
    }

    @Test func `L-27 ready for display with the first decoded image until it is removed`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(5))
        #expect(rig.layer.isReadyForDisplay)
        #expect(rig.presented.isEmpty)
        rig.layer.flush()
        #expect(rig.layer.isReadyForDisplay)
        rig.layer.flushAndRemoveImage()
        #expect(!rig.layer.isReadyForDisplay)
        rig.enqueue(try Sample.image(6))
        #expect(rig.eventNames == ["ready true", "ready false", "ready true"])
    }

    @Test(arguments: [
        (AVLayerVideoGravity.resizeAspect, ImageRect(x: 10, y: 45, width: 160, height: 90)),
        (.resizeAspectFill, ImageRect(x: -70, y: 0, width: 320, height: 180)),
        (.resize, ImageRect(x: 10, y: 0, width: 160, height: 180)),
    ])
    func `L-28 gravity maps a size into bounds`(
        gravity: AVLayerVideoGravity, expected: ImageRect
    ) {
        let bounds = ImageRect(x: 10, y: 0, width: 160, height: 180)
        #expect(
            gravity.destination(of: ImageSize(width: 1920, height: 1080), in: bounds) == expected)
    }

    @Test func `L-28 properties keep what they are given`() {
        let layer = AVSampleBufferDisplayLayer()
        layer.videoGravity = .resizeAspectFill
        layer.preventsCapture = true
        layer.preventsDisplaySleepDuringVideoPlayback = false
        #expect(layer.videoGravity.rawValue == "AVLayerVideoGravityResizeAspectFill")
        #expect(layer.preventsCapture)
        #expect(!layer.preventsDisplaySleepDuringVideoPlayback)
    }

    @Test func `L-29 calls from several threads lose nothing and keep each thread's order`() throws
    {
        let rig = try Rig()
        try rig.go(to: at(1_000_000))
        let layer = rig.layer
        let decoders = rig.decoders
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<50 {
                if let sample = try? Sample.compressed(thread * 1000 + index) {
                    layer.enqueue(sample)
                }
                _ = layer.isReadyForMoreMediaData
                _ = layer.statistics
            }
        }
        layer.waitUntilIdle()
        let decoded = decoders.calls.compactMap { call -> Int64? in
            if case .decode(let token, _) = call { token } else { nil }
        }
        #expect(decoded.count == 200)
        for thread in 0..<4 {
            let own = decoded.filter { $0 / 1000 == Int64(thread) }
            #expect(own == own.sorted())
        }
    }

    @Test func `L-30 on a simulated clock a timer wakes the layer, nothing polls`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(1), try Sample.image(2))
        try rig.setRate(1)
        // Nobody tells the layer to look: the timebase timer does.
        rig.clock.advance(by: at(1))
        rig.sink.waitUntilPresented(1)
        rig.clock.advance(by: at(1))
        rig.sink.waitUntilPresented(2)
    }

    @Test func `L-30 a paused layer and a stopped clock cost no processor time`() throws {
        let rig = try Rig()
        rig.enqueue(try (0..<30).map { try Sample.compressed($0) })
        // What the timebase tells of its beginning comes on a queue of its own.
        var before: UInt64
        repeat {
            before = rig.layer.changeCount
            _ = Monitor(()).wait(deadline: deadline(in: 200_000_000)) { _ -> Void? in nil }
        } while rig.layer.changeCount != before
        // Half a second in which nothing may happen: there is no event to wait for.
        _ = Monitor(()).wait(deadline: deadline(in: 500_000_000)) { _ -> Void? in nil }
        #expect(rig.layer.changeCount == before)
    }

    @Test func `the threads of a layer end with it`() throws {
        weak var engine: AnyObject?
        do {
            let rig = try Rig()
            rig.enqueue(try Sample.compressed(0))
            engine = rig.layer.engineObject
        }
        for _ in 0..<500 where engine != nil {
            _ = Monitor(()).wait(deadline: deadline(in: 10_000_000)) { _ -> Void? in nil }
        }
        #expect(engine == nil)
    }

    @Test func `in automatic mode the kind of decoder depends on what is queued`() throws {
        let lone = try Rig(mode: .automatic)
        lone.enqueue(try Sample.compressed(0))
        #expect(lone.presented == [0])
        #expect(lone.decoders.calls.first == .make(width: 16, isInPresentationOrder: false))
        let full = try Rig(mode: .automatic)
        full.enqueue(try (0..<8).map { try Sample.compressed($0) })
        #expect(full.decoders.calls.first == .make(width: 16, isInPresentationOrder: true))
        let ended = try Rig(mode: .automatic)
        ended.enqueue(try Sample.compressed(0), try Sample.marker(.drainAfterDecoding))
        #expect(ended.decoders.calls.first == .make(width: 16, isInPresentationOrder: true))
        #expect(ended.presented == [0])
    }

    @Test func `the picture on show is not one that is missing`() throws {
        let rig = try Rig()
        try rig.go(to: at(2))
        #expect(rig.layer.presentationTimeStamp(inPlaceOf: at(2)) == nil, "nothing is there")
        rig.enqueue(try (3...5).map { try Sample.image($0) })
        #expect(rig.layer.presentationTimeStamp(inPlaceOf: at(2)) == at(3))
        rig.enqueue(try Sample.image(2))
        #expect(rig.presented == [2])
        #expect(rig.layer.presentationTimeStamp(inPlaceOf: at(2)) == nil)
    }

    @Test func `the picture before, of those enqueued in falling order`() throws {
        let rig = try Rig()
        try rig.go(to: at(9))
        rig.enqueue(try [9, 8, 7, 6].map { try Sample.image($0) })
        #expect(rig.presented == [9])
        for number in [8, 7, 6] {
            #expect(rig.layer.presentationTimeStamp(before: at(number + 1)) == at(number))
            try rig.go(to: at(number))
            #expect(rig.presented.last == Int64(number))
        }
        #expect(rig.layer.presentationTimeStamp(before: at(6)) == nil)
    }

    @Test func `the next time stamp is told only when none can come between`() throws {
        let rig = try Rig()
        let format = try Sample.format(reorderDepth: 2)
        func enqueue(_ number: Int) throws {
            rig.enqueue(try Sample.compressed(number, format: format))
        }
        try enqueue(0)
        try enqueue(4)
        // 1, 2 or 3 may follow.
        #expect(rig.layer.nextPresentationTimeStamp(after: at(0)) == nil)
        try enqueue(2)
        #expect(rig.layer.nextPresentationTimeStamp(after: at(0)) == nil)
        try enqueue(1)
        #expect(rig.layer.nextPresentationTimeStamp(after: at(0)) == at(1))
        #expect(rig.layer.nextPresentationTimeStamp(after: at(1)) == nil)
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        #expect(rig.layer.nextPresentationTimeStamp(after: at(1)) == at(2))
        #expect(rig.layer.nextPresentationTimeStamp(after: at(2)) == at(4))
        #expect(rig.layer.nextPresentationTimeStamp(after: at(4)) == nil)
    }

    @Test func `stepping from inside present plays every picture as fast as it is taken`() throws {
        let rig = try Rig(mode: .throughput)
        let control = rig.control
        let layer = rig.layer
        let stepper = Stepper(layer: layer, control: control)
        layer.sink = stepper
        layer.eventHandler = { [weak stepper] event in
            switch event {
            case .pictureAvailable, .decodedAll: stepper?.step()
            case .presentedLast: stepper?.finish()
            default: break
            }
        }
        for number in 0..<60 { layer.enqueue(try Sample.compressed(number)) }
        layer.enqueue(try Sample.marker(.drainAfterDecoding))
        #expect(stepper.waitForEnd() == Array(0..<60))
        #expect(layer.statistics.droppedLate == 0)
    }

    @Test func `the end is told once, and not when more is enqueued`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0), try Sample.marker(.drainAfterDecoding))
        #expect(rig.eventNames == ["ready true", "decoded all", "presented last"])
        rig.enqueue(try Sample.image(1))
        #expect(rig.eventNames.count == 3)
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        #expect(rig.eventNames.last == "decoded all")
        try rig.go(to: at(1))
        #expect(rig.eventNames.suffix(2) == ["decoded all", "presented last"])
    }

    @Test func `the displayed pixels can be had while the rate is 0`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0))
        #expect(rig.layer.sampleBufferRenderer.copyDisplayedPixelBuffer() != nil)
        try rig.setRate(1)
        #expect(rig.layer.sampleBufferRenderer.copyDisplayedPixelBuffer() == nil)
        #expect(rig.layer.displayedPicture?.token == 0)
    }
}

/// Nanoseconds of `CLOCK_MONOTONIC` from now.
func deadline(in nanoseconds: UInt64) -> UInt64 {
    CMClock.convertHostTimeToSystemUnits(CMClock.hostTimeClock.time) + nanoseconds
}
