import Playback
import TerminalGraphics
import Testing

/// A link with a queue in front of it, and no clock but the one it carries.
private struct SimulatedLink {
    var rate: Double
    var roundTrip: Int64
    /// What a terminal takes for any picture, however short.
    var cost: Int64 = 0
    var answers = true
    var meter: LinkMeter
    var now: Int64 = 1_000_000_000
    var written: Int64 = 0
    /// When all that was written will have been treated.
    var idleAt: Int64 = 0
    var pending: (count: Int64, at: Int64)?
    var period: Int64 = 40_000_000

    init(rate: Double, roundTrip: Int64 = 0, answers: Bool = true, maximumRate: Int? = nil) {
        (self.rate, self.roundTrip, self.answers) = (rate, roundTrip, answers)
        meter = LinkMeter(maximumRate: maximumRate, roundTrip: answers ? roundTrip : nil)
    }

    /// Bytes that wait in the queue.
    var queued: Double { max(0, Double(idleAt - now) / 1e9 * rate) }

    mutating func write(_ count: Int) {
        let begin = now
        // The kernel takes 20 KB; the rest waits.
        let room = max(0, LinkMeter.queuedByKernel - queued)
        let blocked = Int64(max(0, Double(count) - room) / rate * 1e9)
        idleAt = max(idleAt, now) + Int64(Double(count) / rate * 1e9) + cost
        now += blocked
        written += Int64(count)
        let asks = pending == nil
        if asks, answers { pending = (written - 4, idleAt + roundTrip) }
        if asks, !answers { pending = (written, .max) }
        meter.wrote(
            count, total: written, from: begin, to: now, waited: blocked, asks: asks, period: period
        )
        takeAnswer()
    }

    mutating func pass(until time: Int64) {
        if let pending, pending.at <= time {
            now = max(now, pending.at)
            takeAnswer()
        }
        now = max(now, time)
    }

    private mutating func takeAnswer() {
        guard let pending, pending.at <= now else { return }
        meter.answered(upTo: pending.count, at: now, period: period)
        self.pending = nil
    }

    /// Sends pictures as large as may be, one a period at most, for some seconds; returns how many, and the longest queue in seconds.
    mutating func play(seconds: Double, size: (Double) -> Int = { Int($0) }) -> (Int, Double) {
        let end = now + Int64(seconds * 1e9)
        var due = now
        var count = 0
        var longest = 0.0
        while now < end {
            pass(until: due)
            due += period
            guard meter.opening(at: now) <= now else { continue }
            write(max(1, size(meter.allowance(for: period * 17 / 20))))
            longest = max(longest, queued / rate)
            count += 1
        }
        return (count, longest)
    }
}

@Suite("Link meter")
struct LinkMeterTests {
    @Test(
        "finds out what a link takes",
        arguments: [32_000.0, 250_000, 2_000_000, 20_000_000], [Int64(0), 5, 60, 200])
    func finds(rate: Double, milliseconds: Int64) throws {
        var link = SimulatedLink(rate: rate, roundTrip: milliseconds * 1_000_000)
        _ = link.play(seconds: 3)
        let (count, longest) = link.play(seconds: 4)
        let found = try #require(link.meter.rate)
        #expect(!link.meter.isStarting)
        // Where an answer takes longer than a picture, several lie between two: that tells less.
        let least = milliseconds > 40 ? 0.4 : 0.8
        #expect(found > rate * least && found < rate * 1.25, "\(found)")
        // The way there and back costs no pictures, and little lies in the queue.
        #expect(count >= 85, "\(count) of 100")
        #expect(longest < 0.1, "\(longest)")
    }

    @Test(
        "what is not known is not filled up", arguments: [8_000.0, 32_000, 250_000, 50_000_000])
    func start(rate: Double) {
        var link = SimulatedLink(rate: rate)
        #expect(link.meter.allowance(for: .max) == LinkMeter.firstAllowance)
        link.write(Int(LinkMeter.firstAllowance))
        // Nothing more before the answer, within a quarter of a second.
        if link.pending != nil {
            #expect(link.meter.opening(at: link.now) > link.now)
            #expect(link.meter.opening(at: link.now) <= link.now + 250_000_000)
        }
        link.pass(until: link.now + 2_000_000_000)
        #expect(link.meter.allowance(for: 40_000_000) <= LinkMeter.firstAllowance * 4)
        // A good link is known after three answers.
        if rate > 1_000_000 {
            for _ in 0..<2 {
                link.write(Int(link.meter.allowance(for: 40_000_000)))
                link.pass(until: link.now + 5_000_000)
            }
            #expect(!link.meter.isStarting)
            #expect(link.meter.allowance(for: 40_000_000) > 160_000)
        }
    }

    @Test("follows a link that changes", arguments: [(2e6, 1e5), (1e5, 2e6), (3.2e4, 1e7)])
    func follows(from: Double, to: Double) throws {
        var link = SimulatedLink(rate: from)
        _ = link.play(seconds: 3)
        link.rate = to
        _ = link.play(seconds: 4)
        let found = try #require(link.meter.rate)
        #expect(found > to * 0.7 && found < to * 1.4, "\(found)")
    }

    /// Cells of an 80 × 24 and a 160 × 44 screen, a fast terminal and one that is slow with any picture.
    @Test(arguments: [35_000.0, 131_000], [0, 14_000_000] as [Int64])
    func `after a stall all comes back, however small the pictures were`(
        exact: Double, cost: Int64
    ) throws {
        var link = SimulatedLink(rate: 5e6)
        let shares = PictureDetail.ladder(
            for: .half, .truecolor, standsIn: false, keepsColors: false
        ).map(\.share)
        func size(_ allowance: Double) -> Int {
            Int(exact * (shares.first { exact * $0 <= allowance } ?? shares.last!))
        }
        link.cost = cost
        _ = link.play(seconds: 3, size: size)
        #expect(link.meter.allowance(for: 40_000_000) > exact / 3)
        link.rate = 6e4
        _ = link.play(seconds: 8, size: size)
        #expect(link.meter.allowance(for: 40_000_000) < exact / 3)
        link.rate = 5e6
        _ = link.play(seconds: 8, size: size)
        // With the cost there is room for 26 ms of 40.
        #expect(link.meter.allowance(for: 40_000_000) > min(exact, 60_000))
    }

    @Test func `one slow answer takes back what was only tried`() throws {
        var link = SimulatedLink(rate: 6e4)
        _ = link.play(seconds: 4)
        // Small pictures that are done early: more is tried, and it is too much.
        _ = link.play(seconds: 4) { _ in 1100 }
        #expect(try #require(link.meter.rate) > 9e4)
        link.pass(until: link.now + 40_000_000)
        link.write(8000)
        link.pass(until: link.now + 400_000_000)
        let found = try #require(link.meter.rate)
        #expect(found < 8e4, "\(found)")
    }

    @Test("a mute terminal stalls nothing", arguments: [32_000.0, 250_000, 2_000_000])
    func mute(rate: Double) throws {
        var link = SimulatedLink(rate: rate, answers: false)
        let (early, _) = link.play(seconds: 1)
        #expect(early >= 4)
        _ = link.play(seconds: 5)
        let (count, longest) = link.play(seconds: 10)
        // Writes tell it: roughly, and never for long more than the kernel's queue.
        #expect(count >= 120, "\(count) of 250")
        #expect(longest < LinkMeter.queuedByKernel / rate + 0.5, "\(longest)")
    }

    @Test func `an answer that never comes holds up for two seconds at most`() {
        var link = SimulatedLink(rate: 1e6)
        _ = link.play(seconds: 2)
        link.answers = false
        link.write(10_000)
        let begin = link.now
        while link.meter.opening(at: link.now) > link.now { link.now += 10_000_000 }
        #expect(link.now - begin <= 2_100_000_000)
        link.meter.forget(at: link.now)
        #expect(link.meter.opening(at: link.now) <= link.now)
    }

    @Test func `a late answer to a small picture tells nothing of the rate`() throws {
        var link = SimulatedLink(rate: 1e7, roundTrip: 1_000_000)
        _ = link.play(seconds: 2)
        let before = try #require(link.meter.rate)
        for round in 0..<40 {
            link.roundTrip = round % 2 == 0 ? 25_000_000 : 1_000_000
            link.write(3000)
            link.pass(until: link.now + 40_000_000)
        }
        #expect(try #require(link.meter.rate) >= before * 0.9)
    }

    @Test func `the limit that is asked for is kept, known or not`() {
        var link = SimulatedLink(rate: 5e7, maximumRate: 100_000)
        #expect(link.meter.allowance(for: 40_000_000) <= 4000)
        _ = link.play(seconds: 3)
        #expect(link.meter.allowance(for: 40_000_000) <= 4000)
    }
}
