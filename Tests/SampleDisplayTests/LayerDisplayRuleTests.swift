import MediaTime
import SampleBuffers
import SampleDisplay
import TestSupport
import Testing

/// What is on show when: L-4 to L-14.
@Suite(.timeLimit(.minutes(Checkout.patience(5)))) struct LayerDisplayRuleTests {
    @Test(arguments: [1.0, 0.5, 2, 0, -1])
    func `L-4 the picture on show has the largest time not after the timebase's, at every rate`(
        rate: Double
    ) throws {
        let rig = try Rig()
        try rig.setRate(rate)
        try rig.go(to: at(hundredths: 250))
        // Enqueued while the time is 2.5 pictures.
        rig.enqueue(try (0...4).map { try Sample.image($0) })
        #expect(rig.layer.displayedPresentationTimeStamp == at(2))
    }

    @Test func `L-4 pictures passed between two looks are late and discarded`() throws {
        let rig = try Rig()
        rig.enqueue(try (0...5).map { try Sample.compressed($0) })
        #expect(rig.presented == [0])
        rig.layer.waitUntilIdle()
        try rig.go(to: at(3))
        #expect(rig.presented == [0, 3])
        #expect(rig.sink.discarded == [1, 2])
        #expect(rig.layer.statistics.droppedLate == 2)
    }

    @Test func `L-4 after a slow presentation the newest due picture is shown`() throws {
        let rig = try Rig()
        rig.sink.block()
        for number in 0...6 { rig.layer.enqueue(try Sample.image(number)) }
        rig.sink.waitUntilBlocked()
        while rig.layer.statistics.waiting < 6 { rig.layer.reevaluate() }
        try rig.control.setRate(1)
        rig.clock.advance(by: at(hundredths: 450))
        rig.sink.unblock()
        rig.layer.waitUntilIdle()
        #expect(rig.presented == [0, 4])
        #expect(rig.layer.statistics.droppedLate == 3)
        #expect(rig.layer.statistics.waiting == 2)
    }

    @Test func `L-4 while a presentation blocks decoding goes on with the time`() throws {
        let rig = try Rig()
        rig.sink.block()
        for number in 0...30 { rig.layer.enqueue(try Sample.compressed(number)) }
        rig.sink.waitUntilBlocked()
        try rig.control.setRate(1)
        for _ in 0..<20 {
            rig.clock.advance(by: at(1))
            rig.layer.reevaluate()
        }
        // Discarding what is late makes room: the decoder keeps up although nothing is presented.
        while rig.layer.statistics.decoded < 21 { rig.layer.reevaluate() }
        rig.sink.unblock()
        rig.layer.waitUntilIdle()
        #expect(rig.presented == [0, 20])
    }

    @Test func `L-4 a picture stays when its duration is over`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0), try Sample.image(50))
        try rig.setRate(1)
        rig.advance(40)
        #expect(rig.layer.displayedPresentationTimeStamp == at(0))
        #expect(!rig.sink.calls.contains(.removeImage))
    }

    @Test func `L-5 nothing is shown before its time`() throws {
        let rig = try Rig()
        try rig.setRate(1)
        rig.enqueue(try Sample.image(2))
        rig.advance(hundredths: 199)
        #expect(rig.presented.isEmpty)
        rig.advance(hundredths: 1)
        #expect(rig.presented == [2])
        #expect(rig.sink.times == [at(2)])
    }

    @Test func `L-5 at rate 0 the rule holds for the standing time`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.compressed(0))
        #expect(rig.presented == [0])
        rig.enqueue(try Sample.compressed(1))
        #expect(rig.presented == [0])
        try rig.go(to: at(1))
        #expect(rig.presented == [0, 1])
    }

    @Test func `L-5 at rate 0 a picture that arrives with a larger due time is shown`() throws {
        let rig = try Rig()
        try rig.go(to: at(10))
        rig.enqueue(try Sample.image(3))
        rig.enqueue(try Sample.image(7))
        rig.enqueue(try Sample.image(12))
        #expect(rig.presented == [3, 7])
    }

    @Test func `L-5 at rate 0 no stale picture flashes while a better one is being decoded`() throws
    {
        let rig = try Rig()
        try rig.go(to: at(5))
        rig.decoders.hold()
        for number in 0...8 { rig.layer.enqueue(try Sample.compressed(number)) }
        for _ in 0..<5 {
            rig.decoders.waitUntilHeld()
            rig.layer.waitUntilDisplayIdle()
            rig.decoders.release(1)
        }
        rig.decoders.waitUntilHeld()
        rig.layer.waitUntilDisplayIdle()
        #expect(rig.presented.isEmpty)
        rig.decoders.release()
        rig.layer.waitUntilIdle()
        #expect(rig.presented == [5])
    }

    @Test func `L-5 a step to a picture that is not decoded yet shows it as soon as it is`() throws
    {
        let rig = try Rig(mode: .throughput)
        let samples = try (0...20).map { try Sample.compressed($0) }
        rig.enqueue(Array(samples[0...4]))
        #expect(rig.presented == [0])
        let next = try #require(rig.layer.nextPresentationTimeStamp(after: at(2)))
        #expect(next == at(3))
        // The decoder still holds 3 back.
        try rig.go(to: next)
        #expect(rig.presented == [0, 2])
        rig.enqueue(samples[5])
        #expect(rig.presented == [0, 2, 3])
    }

    @Test func `L-6 pictures far in the past play as fast as they arrive`() throws {
        let rig = try Rig()
        try rig.go(to: at(1_000_000))
        try rig.setRate(1)
        for number in 0..<10 { rig.enqueue(try Sample.compressed(number)) }
        #expect(rig.presented == Array(0..<10))
    }

    @Test func `L-6 without a control timebase every time near 0 is past`() throws {
        let rig = try Rig()
        rig.layer.controlTimebase = nil
        for number in 0..<3 { rig.enqueue(try Sample.compressed(number)) }
        #expect(rig.presented == [0, 1, 2])
    }

    @Test func `L-6 late samples are decoded, all of them`() throws {
        let rig = try Rig()
        try rig.go(to: at(100))
        try rig.setRate(1)
        rig.enqueue(try (0..<40).map { try Sample.compressed($0) })
        #expect(rig.layer.statistics.decoded == 40)
        #expect(rig.presented.last == 39)
    }

    @Test func `L-7 late pictures in decode order are not judged before earlier ones`() throws {
        let rig = try Rig()
        try rig.go(to: at(1000))
        try rig.setRate(1)
        rig.decoders.hold()
        let order = [0, 4, 2, 1, 3]
        for number in order { rig.layer.enqueue(try Sample.compressed(number)) }
        for _ in order {
            rig.decoders.waitUntilHeld()
            rig.layer.waitUntilDisplayIdle()
            rig.decoders.release(1)
        }
        rig.layer.waitUntilIdle()
        #expect(rig.presented == rig.presented.sorted())
        #expect(rig.presented.last == 4)
        // 4 was decoded second; it did not push out 2, which came next.
        #expect(rig.presented.contains(2))
    }

    @Test(arguments: [SampleDecodingMode.lowDelay, .throughput])
    func `L-7 pictures decoded out of order are shown in order`(mode: SampleDecodingMode) throws {
        let rig = try Rig(mode: mode)
        let format = try Sample.format(reorderDepth: 2)
        for number in [0, 4, 2, 1, 3, 8, 6, 5, 7] {
            rig.layer.enqueue(try Sample.compressed(number, format: format))
        }
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        try rig.setRate(1)
        for _ in 0..<10 { rig.advance(1) }
        #expect(rig.presented == Array(0...8))
        #expect(rig.layer.statistics.droppedLate == 0)
    }

    @Test func `L-8 at a negative rate a picture gives way when the time falls below it`() throws {
        let rig = try Rig()
        try rig.go(to: at(hundredths: 350))
        try rig.setRate(-1)
        rig.enqueue(try [3, 2, 1, 0].map { try Sample.image($0) })
        #expect(rig.presented == [3])
        rig.advance(hundredths: 50)
        #expect(rig.presented == [3])
        rig.advance(hundredths: 1)
        #expect(rig.presented == [3, 2])
        rig.advance(hundredths: 100)
        #expect(rig.presented == [3, 2, 1])
        rig.advance(hundredths: 100)
        #expect(rig.presented == [3, 2, 1, 0])
        #expect(rig.layer.statistics.droppedLate == 0)
    }

    @Test func `L-8 samples decoded forwards to the target play backwards from it`() throws {
        let rig = try Rig()
        try rig.go(to: at(hundredths: 1150))
        try rig.setRate(-1)
        rig.decoders.hold()
        for number in 0..<12 { rig.layer.enqueue(try Sample.compressed(number)) }
        rig.decoders.release()
        rig.layer.waitUntilIdle()
        #expect(rig.presented == [11])
        for _ in 0..<12 { rig.advance(1) }
        #expect(rig.presented == [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    }

    @Test func `L-8 a pause in reverse keeps what lies before`() throws {
        let rig = try Rig()
        try rig.go(to: at(hundredths: 450))
        try rig.setRate(-1)
        rig.enqueue(try [4, 3, 2, 1].map { try Sample.image($0) })
        rig.advance(1)
        try rig.setRate(0)
        #expect(rig.presented == [4, 3])
        try rig.setRate(-1)
        rig.advance(1)
        #expect(rig.presented == [4, 3, 2])
    }

    @Test func `L-8 images enqueued backwards before the start are kept`() throws {
        let rig = try Rig()
        try rig.go(to: at(9))
        rig.enqueue(try [9, 8, 7].map { try Sample.image($0) })
        try rig.setRate(-1)
        rig.advance(hundredths: 50)
        rig.advance(hundredths: 100)
        #expect(rig.presented == [9, 8, 7])
    }

    @Test func `L-9 after a jump back what is ahead waits and what was shown does not return`()
        throws
    {
        let rig = try Rig()
        rig.enqueue(try (0...6).map { try Sample.image($0) })
        try rig.go(to: at(4))
        #expect(rig.presented == [0, 4])
        try rig.go(to: at(2))
        #expect(rig.presented == [0, 4])
        #expect(rig.layer.statistics.waiting == 2)
        try rig.setRate(1)
        rig.advance(3)
        #expect(rig.presented == [0, 4, 5])
    }

    @Test func `L-9 after a flush the client seeks to an earlier picture`() throws {
        let rig = try Rig()
        try rig.go(to: at(50))
        rig.enqueue(try Sample.compressed(50))
        rig.layer.flush()
        try rig.go(to: at(12))
        let seeking = try (8...14).map { number in
            try Sample.compressed(number, Marks(notSync: number > 8, doNotDisplay: number < 12))
        }
        rig.enqueue(seeking)
        #expect(rig.presented == [50, 12])
    }

    @Test func `L-10 DoNotDisplay is decoded and never shown`() throws {
        let rig = try Rig()
        try rig.go(to: at(5))
        let hidden = Marks(doNotDisplay: true)
        rig.enqueue(
            try Sample.compressed(4, hidden), try Sample.image(5, hidden),
            try Sample.compressed(3))
        #expect(rig.presented == [3])
        #expect(rig.decoders.calls.contains(.decode(4, displays: false)))
        #expect(!rig.sink.calls.contains(.prepare(4)))
        #expect(!rig.sink.calls.contains(.prepare(5)))
    }

    @Test func `L-10 DoNotDisplay wins over DisplayImmediately`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0, Marks(doNotDisplay: true, displayImmediately: true)))
        #expect(rig.presented.isEmpty)
    }

    @Test func `L-10 samples that are not displayed do not count as images waiting`() throws {
        let rig = try Rig()
        try rig.go(to: at(200))
        rig.enqueue(
            try (0..<200).map { try Sample.compressed($0, Marks(doNotDisplay: true)) }
                + [Sample.compressed(200)])
        #expect(rig.presented == [200])
        #expect(rig.layer.statistics.waiting == 0)
    }

    @Test func `L-11 DisplayImmediately shows at once and discards what was enqueued before`()
        throws
    {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0), try Sample.image(5), try Sample.image(90))
        rig.enqueue(try Sample.image(70, Marks(displayImmediately: true)))
        #expect(rig.presented == [0, 70])
        #expect(rig.sink.discarded == [5, 90])
        // Later ones go by the timebase again.
        rig.enqueue(try Sample.image(1), try Sample.image(2))
        #expect(rig.presented == [0, 70])
        try rig.setRate(1)
        rig.advance(1)
        #expect(rig.presented == [0, 70, 1])
    }

    @Test func `L-11 what was enqueued before and comes out of the decoder later is replaced too`()
        throws
    {
        let rig = try Rig(mode: .throughput)
        rig.layer.enqueue(try Sample.compressed(30))
        rig.layer.enqueue(try Sample.compressed(40))
        rig.layer.enqueue(try Sample.compressed(20, Marks(displayImmediately: true)))
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        #expect(rig.presented == [20])
        #expect(Set(rig.sink.discarded) == [30, 40])
    }

    @Test func `L-11 DisplayImmediately works with a synchronizer`() throws {
        let rig = try Rig()
        let synchronizer = AVSampleBufferRenderSynchronizer()
        synchronizer.addRenderer(rig.layer)
        rig.enqueue(try Sample.image(70, Marks(displayImmediately: true)))
        #expect(rig.presented == [70])
        synchronizer.removeRenderer(rig.layer, at: .invalid)
    }

    @Test func `L-12 a sample without time is shown at once and discards nothing`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0), try Sample.image(2))
        rig.enqueue(try Sample.image(99, at: .invalid))
        #expect(rig.presented == [0, 99])
        #expect(rig.sink.discarded.isEmpty)
        try rig.go(to: at(2))
        #expect(rig.presented == [0, 99, 2])
    }

    @Test func `L-13 images and compressed samples are shown by the same rules`() throws {
        let rig = try Rig()
        rig.enqueue(
            try Sample.compressed(0), try Sample.image(1), try Sample.compressed(2),
            try Sample.image(3))
        try rig.setRate(1)
        for _ in 0..<3 { rig.advance(1) }
        #expect(rig.presented == [0, 1, 2, 3])
        #expect(!rig.decoders.calls.contains(.decode(1, displays: true)))
    }

    @Test func `L-14 EmptyMedia removes the image at its time`() throws {
        let rig = try Rig()
        rig.enqueue(
            try Sample.image(0), try Sample.marker(at: at(2), .emptyMedia), try Sample.image(3))
        try rig.setRate(1)
        rig.advance(hundredths: 199)
        #expect(!rig.sink.calls.contains(.removeImage))
        rig.advance(hundredths: 1)
        #expect(rig.sink.calls.last == .removeImage)
        #expect(rig.layer.displayedPicture == nil)
        rig.advance(1)
        #expect(rig.presented == [0, 3])
    }

    @Test func `L-14 DisplayEmptyMediaImmediately removes it at once`() throws {
        let rig = try Rig()
        rig.enqueue(try Sample.image(0))
        rig.enqueue(try Sample.marker(at: at(50), .emptyMedia, .displayEmptyMediaImmediately))
        #expect(rig.sink.calls.last == .removeImage)
    }

    @Test func `L-14 PermanentEmptyMedia ends the stream and keeps the image`() throws {
        let rig = try Rig(mode: .throughput)
        rig.enqueue(
            try Sample.compressed(0), try Sample.compressed(1),
            try Sample.marker(.permanentEmptyMedia))
        #expect(rig.presented == [0])
        try rig.go(to: at(1))
        #expect(rig.presented == [0, 1])
        #expect(rig.eventNames.suffix(2) == ["decoded all", "presented last"])
        #expect(rig.layer.displayedPicture != nil)
    }

    @Test func `L-14 DrainAfterDecoding puts out what the decoder holds back`() throws {
        let rig = try Rig(mode: .throughput)
        rig.enqueue(try Sample.compressed(0), try Sample.compressed(1))
        #expect(rig.presented.isEmpty)
        rig.enqueue(try Sample.marker(.drainAfterDecoding))
        #expect(rig.presented == [0])
        #expect(rig.layer.statistics.waiting == 1)
        #expect(rig.eventNames == ["ready true", "decoded all"])
        try rig.go(to: at(1))
        #expect(rig.eventNames == ["ready true", "decoded all", "presented last"])
    }

    @Test func `L-14 DrainAfterDecoding works on a sample with a picture`() throws {
        let rig = try Rig(mode: .throughput)
        let last = try Sample.compressed(1)
        last.attachments[.drainAfterDecoding] = true
        rig.enqueue(try Sample.compressed(0), last)
        #expect(rig.layer.statistics.decoded == 2)
    }

    @Test func `L-14 ResetDecoderBeforeDecoding makes a new decoder and loses no picture`() throws {
        let rig = try Rig(mode: .throughput)
        let second = try Sample.compressed(1)
        second.attachments[.resetDecoderBeforeDecoding] = true
        rig.enqueue(
            try Sample.compressed(0), second, try Sample.marker(.drainAfterDecoding))
        let made = rig.decoders.calls.filter {
            $0 == .make(width: 16, isInPresentationOrder: true)
        }
        #expect(made.count == 2)
        #expect(rig.layer.statistics.decoded == 2)
    }
}
