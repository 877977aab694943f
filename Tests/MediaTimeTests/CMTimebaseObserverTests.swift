import Dispatch
import MediaTime
import Synchronization
import Testing

@Suite("CMTimebase observers")
struct CMTimebaseObserverTests {
    let clock = CMClock.simulated(start: time(1000, 1))

    /// Collects the events of a timebase.
    final class Log: Sendable {
        private let events = Mutex<[CMTimebase.Event]>([])
        private let timebase: CMTimebase
        private let observation: Mutex<CMTimebase.Observation?>

        init(_ timebase: CMTimebase) {
            self.timebase = timebase
            observation = Mutex(nil)
            let token = timebase.addObserver { [weak self] event in
                self?.events.withLock { $0.append(event) }
            }
            observation.withLock { $0 = token }
        }

        /// The kinds of the events since the last call.
        func taken() throws -> [CMTimebase.Event.Kind] {
            try timebase.notificationBarrier()
            return events.withLock { events in
                defer { events = [] }
                return events.map(\.kind)
            }
        }

        func times() throws -> [CMTime] {
            try timebase.notificationBarrier()
            return events.withLock { $0.map(\.eventTime) }
        }
    }

    @Test func `K-4 K-5 K-6 setters post what they change`() throws {
        let timebase = try CMTimebase(sourceClock: clock)
        let log = Log(timebase)
        try timebase.setRate(1)
        #expect(try log.taken() == [.effectiveRateChanged])
        try timebase.setRate(1)
        #expect(try log.taken() == [])
        try timebase.setTime(s(5))
        #expect(try log.taken() == [.timeJumped])
        try timebase.setAnchorTime(s(5), referenceTime: s(900))
        #expect(try log.taken() == [.timeJumped])
        try timebase.setRateAndAnchorTime(rate: 1, anchorTime: .zero, referenceTime: s(1000))
        #expect(try log.taken() == [.timeJumped])
        try timebase.setRateAndAnchorTime(rate: 2, anchorTime: .zero, referenceTime: s(1000))
        #expect(try log.taken() == [.effectiveRateChanged, .timeJumped])
        clock.advance(by: s(1))
        #expect(try log.taken() == [])
        #expect(throws: CMTimebase.Error.invalidParameter) { try timebase.setRate(.nan) }
        #expect(try log.taken() == [])
    }

    @Test func `K-8 dependents post when their source changes`() throws {
        let parent = try CMTimebase(sourceClock: clock)
        let child = try CMTimebase(sourceTimebase: parent)
        let standing = try CMTimebase(sourceTimebase: parent)
        try child.setRate(2)
        let logs = [Log(child), Log(standing)]
        try parent.setRate(1)
        #expect(try logs[0].taken() == [.effectiveRateChanged])
        try parent.setTime(s(9))
        #expect(try logs[0].taken() == [.timeJumped])
        #expect(try logs[1].taken() == [])
        // Another source: the time stays, the effective rate does not.
        let other = try CMTimebase(sourceClock: clock)
        try child.setSource(other)
        #expect(try logs[0].taken() == [.effectiveRateChanged])
        try parent.setRate(5)
        #expect(try logs[0].taken() == [])
        try other.setRate(1)
        #expect(try logs[0].taken() == [.effectiveRateChanged])
    }

    @Test func `K-19 events carry the ultimate clock's time, and the barrier waits for observers`()
        throws
    {
        let timebase = try CMTimebase(sourceClock: clock)
        let log = Log(timebase)
        try timebase.setRate(1)
        clock.advance(by: s(1))
        try timebase.setTime(.zero)
        #expect(try log.times() == [s(1000), s(1001)])

        let done = Atomic<Bool>(false)
        let began = DispatchSemaphore(value: 0)
        let token = timebase.addObserver { _ in
            began.signal()
            pause(0.05)
            done.store(true, ordering: .releasing)
        }
        try timebase.setRate(2)
        began.wait()
        var isDone = done.load(ordering: .acquiring)
        #expect(!isDone)
        try timebase.notificationBarrier()
        isDone = done.load(ordering: .acquiring)
        #expect(isDone)
        withExtendedLifetime(token) {}
    }

    @Test func `K-19 an observer may use its timebase, and wait for itself in vain`() throws {
        let timebase = try CMTimebase(sourceClock: clock)
        let count = Atomic<Int>(0)
        let token = timebase.addObserver { [weak timebase] event in
            guard let timebase, count.add(1, ordering: .relaxed).newValue < 5 else { return }
            _ = timebase.timeAndRate
            try? timebase.notificationBarrier()
            try? timebase.setRate(timebase.rate + 1)
            timebase.addObserver { _ in }.invalidate()
        }
        try timebase.setRate(1)
        for _ in 0..<10 { try timebase.notificationBarrier() }
        #expect(value(count) == 5)
        #expect(timebase.rate == 5)
        withExtendedLifetime(token) {}
    }

    @Test func `K-19 an observation ends with its token`() throws {
        let timebase = try CMTimebase(sourceClock: clock)
        let count = Atomic<Int>(0)
        let first = timebase.addObserver { _ in count.add(1, ordering: .relaxed) }
        do {
            let second = timebase.addObserver { _ in count.add(100, ordering: .relaxed) }
            withExtendedLifetime(second) {}
        }
        try timebase.setRate(1)
        try timebase.notificationBarrier()
        #expect(value(count) == 1)
        first.invalidate()
        first.invalidate()
        try timebase.setRate(2)
        try timebase.notificationBarrier()
        #expect(value(count) == 1)
    }

    @Test func `what is let go of by a change does not die under the lock`() throws {
        // An object that uses timebases when it dies, held by nothing but an observer, a timer and a
        // dependent: a deadlock if any of them died with the lock held.
        final class Talker: Sendable {
            let timebase: CMTimebase
            init(_ timebase: CMTimebase) { self.timebase = timebase }
            deinit { _ = timebase.time }
        }
        let timebase = try CMTimebase(sourceClock: clock)
        for _ in 0..<100 {
            let talker = Talker(timebase)
            let token = timebase.addObserver { _ in _ = talker }
            var child: CMTimebase? = try CMTimebase(sourceTimebase: timebase)
            let childToken = child?.addObserver { _ in _ = talker }
            let timer = DispatchSource.makeTimerSource()
            timer.setEventHandler { _ = talker }
            timer.resume()
            try timebase.addTimer(timer)
            try child?.addTimer(timer)
            child = nil
            childToken?.invalidate()
            timer.cancel()
            token.invalidate()
            try timebase.setRate(timebase.rate + 1)
        }
        #expect(timebase.rate == 100)
    }

    @Test func `timebases, observers and timers leave no leak`() throws {
        weak var weakTimebase: CMTimebase?
        weak var weakChild: CMTimebase?
        let probe = TimerProbe()
        do {
            let timebase = try CMTimebase(sourceClock: clock)
            let child = try CMTimebase(sourceTimebase: timebase)
            (weakTimebase, weakChild) = (timebase, child)
            let token = child.addObserver { _ in }
            try child.addTimer(probe.timer)
            try child.setTimerNextFireTime(probe.timer, fireTime: s(1))
            try timebase.setRate(1)
            try child.notificationBarrier()
            withExtendedLifetime(token) {}
        }
        #expect(weakChild == nil && weakTimebase == nil)
        clock.advance(by: s(1))
    }
}

private func value(_ counter: borrowing Atomic<Int>) -> Int {
    counter.load(ordering: .relaxed)
}

private func pause(_ seconds: Double) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + seconds)
}
