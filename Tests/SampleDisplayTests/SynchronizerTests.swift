import Dispatch
import MediaTime
import SampleBuffers
import SampleDisplay
import TestSupport
import Testing

/// Y-1 to Y-11, on a simulated clock.
@Suite(.timeLimit(.minutes(Checkout.patience(5)))) struct SynchronizerTests {
    private let clock = CMClock.simulated(start: CMTime(value: 100, timescale: 1))
    private let synchronizer: AVSampleBufferRenderSynchronizer
    private let queue = DispatchQueue(label: "observer")

    init() { synchronizer = AVSampleBufferRenderSynchronizer(clock: clock) }

    private func seconds(_ value: Double) -> CMTime {
        CMTime(seconds: value, preferredTimescale: 1000)
    }

    private func layer() -> AVSampleBufferDisplayLayer {
        let layer = AVSampleBufferDisplayLayer(makeDecoder: FakeDecoders().factory)
        layer.decodingMode = .lowDelay
        return layer
    }

    /// Enough for a start, at rate 0.
    private func fill(_ layer: AVSampleBufferDisplayLayer) throws {
        for number in 0..<30 { layer.enqueue(try Sample.image(number + 1)) }
        layer.waitUntilIdle()
    }

    @Test func `Y-1 a fresh synchronizer stands at 0 on the host clock`() {
        let fresh = AVSampleBufferRenderSynchronizer()
        #expect(fresh.rate == 0)
        #expect(fresh.currentTime() == .zero)
        #expect(fresh.renderers.isEmpty)
        #expect(fresh.delaysRateChangeUntilHasSufficientMediaData)
        #expect(fresh.timebase.sourceClock === CMClock.hostTimeClock)
        #expect(throws: MediaError.self) { try fresh.timebase.setRate(1) }
    }

    @Test func `Y-2 a negative rate traps`() async {
        await #expect(processExitsWith: .failure) {
            AVSampleBufferRenderSynchronizer().rate = -1
        }
        await #expect(processExitsWith: .failure) {
            AVSampleBufferRenderSynchronizer().setRate(-0.5, time: .zero)
        }
    }

    @Test func `Y-2 rate reads what was asked for`() {
        synchronizer.rate = 0.5
        #expect(synchronizer.rate == 0.5)
        #expect(synchronizer.timebase.rate == 0.5)
    }

    @Test func `Y-3 rate and time hold when the call returns`() {
        synchronizer.setRate(2, time: seconds(5))
        #expect(synchronizer.currentTime() == seconds(5))
        clock.advance(by: seconds(1))
        #expect(synchronizer.currentTime() == seconds(7))
        synchronizer.setRate(0, time: .invalid)
        #expect(synchronizer.currentTime() == seconds(7))
        clock.advance(by: seconds(1))
        #expect(synchronizer.currentTime() == seconds(7))
    }

    @Test func `Y-4 a host time in the past counts from then`() {
        synchronizer.setRate(2, time: seconds(5), atHostTime: seconds(97))
        #expect(synchronizer.currentTime() == seconds(11))
    }

    @Test func `Y-4 a host time to come holds the time until then`() {
        synchronizer.setRate(2, time: seconds(5), atHostTime: seconds(103))
        #expect(synchronizer.rate == 2)
        #expect(synchronizer.currentTime() == seconds(5))
        clock.advance(to: seconds(102))
        #expect(synchronizer.currentTime() == seconds(5))
        clock.advance(to: seconds(104))
        waitUntil { synchronizer.timebase.rate == 2 }
        #expect(synchronizer.currentTime() == seconds(7))
    }

    @Test func `Y-4 an input that is no number leaves the other to act at once`() {
        synchronizer.setRate(1, time: seconds(5), atHostTime: .invalid)
        #expect(synchronizer.currentTime() == seconds(5))
        #expect(synchronizer.timebase.rate == 1)
        synchronizer.setRate(3, time: .invalid, atHostTime: seconds(200))
        #expect(synchronizer.currentTime() == seconds(5))
        #expect(synchronizer.timebase.rate == 3)
    }

    @Test func `Y-4 a later call takes the place of a start to come`() {
        synchronizer.setRate(1, time: seconds(5), atHostTime: seconds(103))
        synchronizer.setRate(0, time: seconds(9))
        clock.advance(to: seconds(110))
        #expect(synchronizer.currentTime() == seconds(9))
    }

    @Test func `Y-5 a rise from 0 waits until every renderer has enough`() throws {
        let (first, second) = (layer(), layer())
        synchronizer.addRenderer(first)
        synchronizer.addRenderer(second)
        synchronizer.setRate(1, time: .zero)
        #expect(synchronizer.rate == 1)
        #expect(synchronizer.timebase.rate == 0)
        try fill(first)
        #expect(synchronizer.timebase.rate == 0)
        try fill(second)
        waitUntil { synchronizer.timebase.rate == 1 }
        // A change of a rate that is not 0 does not wait.
        first.flush()
        synchronizer.rate = 2
        #expect(synchronizer.timebase.rate == 2)
    }

    @Test func `Y-5 without the delay, or without renderers, the rate changes at once`() {
        let renderer = layer()
        synchronizer.addRenderer(renderer)
        synchronizer.delaysRateChangeUntilHasSufficientMediaData = false
        synchronizer.rate = 1
        #expect(synchronizer.timebase.rate == 1)
        synchronizer.rate = 0
        synchronizer.delaysRateChangeUntilHasSufficientMediaData = true
        synchronizer.rate = 1
        #expect(synchronizer.timebase.rate == 0)
        synchronizer.removeRenderer(renderer, at: .invalid)
        #expect(synchronizer.timebase.rate == 1)
    }

    @Test func `Y-6 an attached renderer's timebase is another that reads the same`() throws {
        let renderer = layer()
        let control = try CMTimebase(sourceClock: clock)
        try control.setTime(seconds(50))
        renderer.controlTimebase = control
        synchronizer.addRenderer(renderer)
        synchronizer.delaysRateChangeUntilHasSufficientMediaData = false
        synchronizer.setRate(1, time: seconds(3))
        clock.advance(by: seconds(1))
        #expect(renderer.timebase !== synchronizer.timebase)
        #expect(renderer.timebase.time == seconds(4))
        #expect(renderer.timebase.effectiveRate == 1)
        renderer.controlTimebase = nil
        #expect(renderer.timebase.time == seconds(4))
        #expect(synchronizer.renderers.count == 1)
    }

    @Test func `Y-6 an attached renderer shows by the synchronizer`() throws {
        let renderer = layer()
        let sink = RecordingSink()
        renderer.sink = sink
        synchronizer.addRenderer(renderer)
        try fill(renderer)
        synchronizer.rate = 1
        waitUntil { synchronizer.timebase.rate == 1 }
        clock.advance(by: at(hundredths: 250))
        renderer.waitUntilIdle()
        #expect(sink.presented.last == 2)
    }

    @Test func `Y-6 adding a renderer twice traps`() async {
        await #expect(processExitsWith: .failure) {
            let synchronizer = AVSampleBufferRenderSynchronizer()
            let renderer = AVSampleBufferVideoRenderer()
            synchronizer.addRenderer(renderer)
            synchronizer.addRenderer(renderer)
        }
    }

    @Test func `Y-7 removal at once`() throws {
        let renderer = layer()
        synchronizer.addRenderer(renderer)
        synchronizer.setRate(0, time: seconds(5))
        let answers = Monitor<[Bool]>([])
        synchronizer.removeRenderer(renderer, at: seconds(5)) { answer in
            answers.update { $0.append(answer) }
        }
        #expect(answers.withLock { $0 } == [true])
        #expect(synchronizer.renderers.isEmpty)
        #expect(renderer.timebase.rate == 0)
        #expect(renderer.timebase.time == .zero)
        #expect(renderer.timebase.sourceClock === CMClock.hostTimeClock)
    }

    @Test func `Y-7 removal at a time, and a later one in its place`() {
        let renderer = layer()
        synchronizer.addRenderer(renderer)
        synchronizer.delaysRateChangeUntilHasSufficientMediaData = false
        synchronizer.setRate(1, time: .zero)
        let answers = Monitor<[String]>([])
        synchronizer.removeRenderer(renderer, at: seconds(3)) { answer in
            answers.update { $0.append("first \(answer)") }
        }
        #expect(synchronizer.renderers.count == 1)
        synchronizer.removeRenderer(renderer, at: seconds(2)) { answer in
            answers.update { $0.append("second \(answer)") }
        }
        #expect(answers.withLock { $0 } == ["first false"])
        clock.advance(by: seconds(2))
        _ = answers.wait { $0.count == 2 ? () : nil }
        #expect(answers.withLock { $0 } == ["first false", "second true"])
        #expect(synchronizer.renderers.isEmpty)
    }

    @Test func `Y-7 a jump of the time past the removal removes`() async {
        let renderer = layer()
        synchronizer.addRenderer(renderer)
        async let removed = synchronizer.removeRenderer(renderer, at: seconds(3))
        synchronizer.setRate(0, time: seconds(4))
        #expect(await removed)
    }

    @Test func `Y-7 removing what is not attached answers false before returning`() {
        let answers = Monitor<[Bool]>([])
        synchronizer.removeRenderer(layer(), at: seconds(5)) { answer in
            answers.update { $0.append(answer) }
        }
        #expect(answers.withLock { $0 } == [false])
    }

    @Test func `Y-8 a periodic observer is called at once, at intervals, at jumps and starts`() {
        let times = Monitor<[CMTime]>([])
        let observer = synchronizer.addPeriodicTimeObserver(
            forInterval: seconds(0.5), queue: queue
        ) { time in times.update { $0.append(time) } }
        func expect(_ expected: [Double], _ comment: Comment) {
            _ = times.wait(deadline: deadline(in: 5_000_000_000)) { times in
                times.count >= expected.count ? () : nil
            }
            queue.sync {}
            #expect(times.withLock { $0 } == expected.map(seconds), comment)
            times.withLock { $0 = [] }
        }
        expect([0], "at once")
        synchronizer.rate = 1
        expect([0], "at the start")
        clock.advance(by: seconds(0.4))
        clock.advance(by: seconds(0.1))
        expect([0.5], "an interval")
        clock.advance(by: seconds(0.5))
        expect([1], "another")
        synchronizer.setRate(1, time: seconds(7.25))
        expect([7.25], "at a jump")
        clock.advance(by: seconds(0.5))
        expect([7.75], "an interval after it")
        synchronizer.rate = 0
        expect([7.75], "at the stop")
        clock.advance(by: seconds(3))
        expect([], "nothing while it stands")
        synchronizer.removeTimeObserver(observer)
    }

    @Test func `Y-9 a boundary observer is called for each time crossed while running`() {
        let count = Monitor(0)
        synchronizer.setRate(1, time: seconds(2))
        let observer = synchronizer.addBoundaryTimeObserver(
            forTimes: [seconds(1), seconds(3), seconds(4), seconds(8), seconds(12)], queue: queue
        ) { count.update { $0 += 1 } }
        clock.advance(by: seconds(1))
        _ = count.wait { $0 == 1 ? () : nil }
        clock.advance(by: seconds(2))
        _ = count.wait { $0 == 2 ? () : nil }
        // Jumped over, not crossed.
        synchronizer.setRate(1, time: seconds(10))
        // Past at registration: never.
        synchronizer.setRate(1, time: .zero)
        clock.advance(by: seconds(2))
        queue.sync {}
        #expect(count.withLock { $0 } == 2)
        // Crossed again.
        clock.advance(by: seconds(1))
        _ = count.wait { $0 == 3 ? () : nil }
        synchronizer.removeTimeObserver(observer)
    }

    @Test func `Y-9 an empty list of times traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = AVSampleBufferRenderSynchronizer().addBoundaryTimeObserver(forTimes: []) {}
        }
    }

    @Test func `Y-10 no call begins after removal, and removal twice is harmless`() {
        let count = Monitor(0)
        let observer = synchronizer.addPeriodicTimeObserver(
            forInterval: seconds(1), queue: queue
        ) { _ in count.update { $0 += 1 } }
        queue.sync {}
        queue.suspend()
        synchronizer.rate = 1
        clock.advance(by: seconds(5))
        synchronizer.removeTimeObserver(observer)
        synchronizer.removeTimeObserver(observer)
        queue.resume()
        queue.sync {}
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `Y-10 dropping the token stops the observation`() {
        let count = Monitor(0)
        _ = synchronizer.addPeriodicTimeObserver(forInterval: seconds(1), queue: queue) { _ in
            count.update { $0 += 1 }
        }
        queue.sync {}
        let before = count.withLock { $0 }
        synchronizer.rate = 1
        clock.advance(by: seconds(5))
        queue.sync {}
        #expect(count.withLock { $0 } == before)
    }

    @Test func `Y-10 a foreign token traps`() async {
        await #expect(processExitsWith: .failure) {
            let synchronizers = (
                AVSampleBufferRenderSynchronizer(), AVSampleBufferRenderSynchronizer()
            )
            let observer = synchronizers.0.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 1), queue: DispatchQueue(label: "q")
            ) { _ in }
            synchronizers.1.removeTimeObserver(observer)
        }
    }

    @Test func `Y-11 each new rate is told`() {
        let rates = Monitor<[Float]>([])
        synchronizer.rateDidChangeHandler = { rate in rates.update { $0.append(rate) } }
        synchronizer.rate = 1
        synchronizer.rate = 1
        synchronizer.setRate(2, time: seconds(3))
        synchronizer.setRate(0, time: .invalid, atHostTime: .invalid)
        #expect(rates.withLock { $0 } == [1, 2, 0])
    }

    @Test func `Y-11 a rate that waits is told when it is asked for`() {
        let rates = Monitor<[Float]>([])
        synchronizer.rateDidChangeHandler = { rate in rates.update { $0.append(rate) } }
        synchronizer.addRenderer(layer())
        synchronizer.rate = 1
        #expect(rates.withLock { $0 } == [1])
    }

    /// Waits for what another thread brings about.
    private func waitUntil(_ condition: () -> Bool) {
        let nothing = Monitor(())
        for _ in 0..<5000 where !condition() {
            _ = nothing.wait(deadline: deadline(in: 1_000_000)) { _ -> Void? in nil }
        }
    }
}
