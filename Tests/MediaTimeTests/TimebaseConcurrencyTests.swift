import Dispatch
import MediaTime
import Synchronization
import TestSupport
import Testing

@Suite("Timebases under load")
struct TimebaseConcurrencyTests {
    @Test(.timeLimit(.minutes(Checkout.patience(5))))
    func `threads that change a tree in every way do not deadlock`() throws {
        let clock = CMClock.simulated()
        let hosts: [any CMSyncProtocol] = [CMClock.hostTimeClock, clock]
        let timebases = try (0..<6).map { i in
            let timebase = try CMTimebase(sourceClock: .hostTimeClock)
            try timebase.setSource(hosts[i % 2])
            return timebase
        }
        let probes = (0..<4).map { _ in TimerProbe() }
        for timebase in timebases {
            for probe in probes { try timebase.addTimer(probe.timer) }
        }
        let events = Atomic<Int>(0)
        let reads = Atomic<Int>(0)
        let end = DispatchTime.now() + .milliseconds(700)

        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            var random = Random(seed: UInt64(thread))
            var tokens: [CMTimebase.Observation] = []
            var children: [CMTimebase] = []
            while DispatchTime.now() < end {
                let a = timebases[Int(random.next() % 6)]
                let b = timebases[Int(random.next() % 6)]
                let probe = probes[Int(random.next() % 4)]
                switch random.next() % 16 {
                case 0: try? a.setSource(b)
                case 1: try? a.setSource(hosts[Int(random.next() % 2)])
                case 2: try? a.setRate(Double(Int(random.next() % 9)) / 4 - 1)
                case 3: try? a.setTime(time(Int64(random.next() % 100), 30))
                case 4:
                    tokens.append(
                        a.addObserver { [weak b] _ in
                            events.add(1, ordering: .relaxed)
                            _ = b?.time
                        })
                    if tokens.count > 4 { tokens.removeFirst() }
                case 5: try? a.setTimerNextFireTime(probe.timer, fireTime: a.time + s(0.0001))
                case 6: try? a.setTimerToFireImmediately(probe.timer)
                case 7:
                    try? a.removeTimer(probe.timer)
                    try? a.addTimer(probe.timer)
                case 8: _ = a.convertTime(a.time, to: b)
                case 9:
                    if let child = try? CMTimebase(sourceTimebase: a) {
                        try? child.setRate(1)
                        children.append(child)
                    }
                    if children.count > 8 { children.removeAll() }
                case 10: if thread == 0 { clock.advance(by: s(0.0001)) }
                case 11: if thread == 1 { try? a.notificationBarrier() }
                default:
                    _ = (a.timeAndRate, b.effectiveRate, a.rate(relativeTo: b))
                    reads.add(1, ordering: .relaxed)
                }
            }
        }
        for timebase in timebases { try timebase.notificationBarrier() }
        let counts = (reads.load(ordering: .relaxed), events.load(ordering: .relaxed))
        #expect(counts.0 > 100 && counts.1 > 0)
    }

    @Test(.timeLimit(.minutes(Checkout.patience(5))))
    func `a running timebase is never seen going back while its rate changes`() async throws {
        let parent = try CMTimebase(sourceClock: .hostTimeClock)
        let child = try CMTimebase(sourceTimebase: parent)
        try parent.setRate(1)
        try child.setRate(1)
        let end = DispatchTime.now() + .milliseconds(300)
        await withTaskGroup { group in
            for timebase in [parent, child] {
                group.addTask {
                    var last = CMTime.zero
                    while DispatchTime.now() < end {
                        let now = timebase.time
                        if now < last { Issue.record("\(now) after \(last)") }
                        last = now
                    }
                }
            }
            group.addTask {
                var random = Random(seed: 1)
                while DispatchTime.now() < end {
                    try? parent.setRate(Double(random.next() % 5) / 3)
                    try? child.setRate(Double(random.next() % 5) / 3)
                }
            }
        }
    }
}
