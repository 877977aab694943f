import Playback
import TestSupport
import Testing

/// A player of a stream whose pictures are told of by hand, with no clock but the one it carries.
///
/// Nanoseconds.
private struct FedPlayer {
    static let picture: Int64 = 40_000_000

    var pace = LivePace()
    var duration = picture
    /// The player's time less the host's.
    var lead: Int64
    /// The time of decoding of the next picture.
    var due: Int64 = 0
    private(set) var steps: [Int64] = []
    /// How long before its time each was there, once the clock had been moved for it.
    private(set) var slacks: [Int64] = []

    /// - Parameter slack: How long before its time a picture is that comes when the one before is over.
    init(slack: Int64 = 5_000_000) { lead = -slack }

    mutating func take(
        at host: Int64, count: Int = 1, hasWaited: Bool = true, isAwaited: Bool = true,
        isFollowing: Bool = true
    ) {
        let slack = due - (host + lead)
        let step = pace.take(
            .init(
                host: host, slack: slack, count: count, hasWaited: hasWaited, isAwaited: isAwaited),
            duration: duration, isFollowing: isFollowing)
        lead += step
        steps.append(step)
        slacks.append(slack - step)
        due += Int64(count) * duration
    }
}

/// Milliseconds.
private func ms(_ count: Int64) -> Int64 { count * 1_000_000 }

@Suite("Live pace")
struct LivePaceTests {
    @Test(arguments: [ms(0), ms(1), ms(5), ms(10)])
    func `a stream that keeps its pace is left alone`(slack: Int64) {
        var player = FedPlayer(slack: slack)
        for number in 0..<500 { player.take(at: Int64(number) * FedPlayer.picture) }
        #expect(player.steps.allSatisfy { $0 == 0 })
        #expect(player.pace.isLive)
    }

    // MARK: Late

    @Test func `what is late holds time up until it is 5 ms early, and what follows is in time`() {
        var player = FedPlayer(slack: -ms(1))
        for number in 0..<500 { player.take(at: Int64(number) * FedPlayer.picture) }
        #expect(player.steps.first == -ms(6))
        #expect(player.steps.dropFirst().allSatisfy { $0 == 0 })
    }

    @Test func `after a stop it goes on where it stood, and makes the time good`() {
        var player = FedPlayer()
        for number in 0..<20 { player.take(at: Int64(number) * FedPlayer.picture) }
        // A second of nothing; then all at once that was held up.
        let end = 19 * FedPlayer.picture + ms(1000)
        player.take(at: end, count: 25)
        #expect(player.steps.last == -ms(960))
        #expect(player.slacks.last == ms(5))
        for number in 1...200 { player.take(at: end + Int64(number) * FedPlayer.picture) }
        #expect(player.steps.allSatisfy { $0 <= FedPlayer.picture / 4 })
        #expect(player.slacks.suffix(50).allSatisfy { (ms(5)...ms(10)).contains($0) })
        #expect(player.slacks.allSatisfy { $0 >= 0 })
    }

    @Test func `a dry stream that goes on where it stopped loses nothing and gains no delay`() {
        var player = FedPlayer()
        for number in 0..<20 { player.take(at: Int64(number) * FedPlayer.picture) }
        for number in 20..<60 { player.take(at: Int64(number) * FedPlayer.picture + ms(3000)) }
        #expect(player.steps.filter { $0 != 0 } == [-ms(3000)])
        #expect(player.slacks.allSatisfy { $0 == ms(5) })
    }

    @Test func `late pictures that the player has not asked for hold up nothing`() {
        var player = FedPlayer(slack: -ms(100))
        for number in 0..<50 {
            player.take(at: Int64(number) * FedPlayer.picture, isAwaited: false)
        }
        #expect(player.steps.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [(ms(40), ms(5)), (ms(20), ms(5)), (ms(16), ms(4)), (ms(8), ms(2))])
    func `of short pictures a quarter is left for decoding`(duration: Int64, margin: Int64) {
        var player = FedPlayer(slack: -ms(3))
        player.duration = duration
        player.take(at: 0)
        #expect(player.steps == [-ms(3) - margin])
    }

    // MARK: Early

    @Test func `a source that is faster than its rate gains no ground`() {
        var player = FedPlayer()
        for number in 0..<500 { player.take(at: Int64(number) * ms(34)) }
        #expect(player.slacks.suffix(400).allSatisfy { (0...ms(130)).contains($0) })
    }

    @Test func `a source that is slower than its rate is waited for a little each time`() {
        var player = FedPlayer()
        for number in 0..<500 { player.take(at: Int64(number) * ms(41)) }
        #expect(player.slacks.allSatisfy { (0...ms(10)).contains($0) })
        #expect(player.steps.allSatisfy { $0 <= 0 && $0 >= -ms(6) })
    }

    @Test func `an excess goes by a quarter of itself, by a quarter of a picture at most`() {
        for (slack, step) in [(ms(11), ms(6) / 4), (ms(25), ms(5)), (ms(300), ms(10))] {
            var player = FedPlayer(slack: slack)
            for number in 0..<8 { player.take(at: Int64(number) * FedPlayer.picture) }
            // Seven say nothing yet.
            #expect(player.steps == Array(repeating: 0, count: 7) + [step])
        }
    }

    @Test func `an excess is taken off once`() {
        var player = FedPlayer(slack: ms(300))
        for number in 0..<200 { player.take(at: Int64(number) * FedPlayer.picture) }
        #expect(player.steps.allSatisfy { $0 >= 0 })
        #expect(player.slacks.allSatisfy { $0 >= ms(5) })
        #expect(player.slacks.last.map { $0 <= ms(10) } == true)
        // By the one that is least early, wherever it stands among the last.
        var other = FedPlayer(slack: ms(30))
        for number in 0..<200 {
            other.take(at: Int64(number) * FedPlayer.picture - (number % 8 == 0 ? 0 : ms(100)))
        }
        #expect(other.steps.allSatisfy { $0 >= 0 })
        #expect(other.slacks.allSatisfy { $0 >= ms(5) })
        #expect(other.slacks.suffix(8).contains { $0 <= ms(10) })
    }

    @Test func `more than two seconds behind it goes twice as fast`() {
        for (slack, step) in [(ms(2004), ms(10)), (ms(2006), ms(40))] {
            var player = FedPlayer(slack: slack)
            for number in 0..<8 { player.take(at: Int64(number) * FedPlayer.picture) }
            #expect(player.steps.last == step)
        }
    }

    @Test func `one picture in sixteen that is just in time keeps it from going faster`() {
        var player = FedPlayer(slack: ms(5))
        for number in 0..<160 {
            let early = number % 16 == 0 ? 0 : ms(100)
            player.take(at: Int64(number) * FedPlayer.picture - early)
        }
        #expect(player.steps.allSatisfy { $0 == 0 })
        var other = FedPlayer(slack: ms(5))
        for number in 0..<160 {
            let early = number % 17 == 0 ? 0 : ms(100)
            other.take(at: Int64(number) * FedPlayer.picture - early)
        }
        #expect(other.steps.contains { $0 > 0 })
    }

    @Test(arguments: 0..<20)
    func `jitter is taken up once, and not passed on`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var player = FedPlayer()
        for number in 0..<1000 {
            let jitter = Int64.random(in: 0...ms(30), using: &random)
            player.take(at: Int64(number) * FedPlayer.picture + jitter)
        }
        let settled = player.slacks.suffix(900)
        #expect(settled.allSatisfy { (0...ms(60)).contains($0) })
        // Most pictures are shown when they would be without it.
        #expect(player.steps.suffix(900).count { $0 != 0 } < 300)
        #expect(player.steps.suffix(900).allSatisfy { abs($0) <= ms(35) })
    }

    // MARK: Not live

    @Test func `a file through a pipe takes its own time`() {
        // As fast as it is taken; never waited for.
        var player = FedPlayer(slack: ms(500))
        for number in 0..<100 {
            player.take(at: Int64(number) * FedPlayer.picture, hasWaited: false)
        }
        #expect(player.steps.allSatisfy { $0 == 0 })
        #expect(!player.pace.isLive)
        // Waited for half of the time is waited for.
        for number in 100..<200 {
            player.take(at: Int64(number) * FedPlayer.picture, hasWaited: number % 2 == 0)
        }
        #expect(player.pace.isLive)
    }

    @Test func `a writer that has it all is not live, however often it is waited for`() {
        for (interval, isLive) in [(ms(27), true), (ms(26), false), (ms(1), false)] {
            var player = FedPlayer(slack: ms(500))
            for number in 0..<16 { player.take(at: Int64(number) * interval) }
            #expect(player.pace.isLive == isLive, "\(interval)")
            #expect(player.steps.contains { $0 > 0 } == isLive, "\(interval)")
        }
        // Eight at a time count as eight.
        var crowd = FedPlayer(slack: ms(500))
        for number in 0..<16 { crowd.take(at: Int64(number) * ms(160), count: 8) }
        #expect(!crowd.pace.isLive)
    }

    @Test func `who has gone elsewhere is not hurried, but waits for what is not there`() {
        var player = FedPlayer(slack: ms(500))
        for number in 0..<100 {
            player.take(at: Int64(number) * FedPlayer.picture, isFollowing: false)
        }
        #expect(player.steps.allSatisfy { $0 == 0 })
        player.take(at: 100 * FedPlayer.picture + ms(600), isFollowing: false)
        #expect(player.steps.last == -ms(105))
        // Nor what came before of what comes after the return.
        for _ in 0..<2 {
            player.lead -= ms(500)
            for _ in 0..<7 { player.take(at: player.due) }
            #expect(player.steps.suffix(7).allSatisfy { $0 == 0 })
            player.take(at: player.due, isFollowing: false)
        }
    }

    @Test func `a restart forgets what came`() {
        var player = FedPlayer(slack: ms(500))
        for number in 0..<7 { player.take(at: Int64(number) * FedPlayer.picture) }
        player.pace.restart()
        for number in 7..<14 { player.take(at: Int64(number) * FedPlayer.picture) }
        #expect(player.steps.allSatisfy { $0 == 0 })
        player.take(at: 14 * FedPlayer.picture)
        #expect(player.steps.last == ms(10))
    }

    // MARK: Absurd

    @Test(arguments: [Int64.min, -1, 0, 1, ms(40), Int64.max], [Int64.min, -1, 0, 1, Int64.max])
    func `no value is too odd`(duration: Int64, slack: Int64) {
        for hosts in [[0, 1, 2], [Int64.max, 0, Int64.min], [Int64.min, Int64.max, 0]] {
            var pace = LivePace()
            for number in 0..<40 {
                let step = pace.take(
                    .init(
                        host: hosts[number % 3], slack: number % 2 == 0 ? slack : ~slack,
                        count: number % 5 == 0 ? .max : 0),
                    duration: duration)
                // As far as time has to go back, never further on than a picture.
                #expect(step <= max(duration, 0))
                #expect(step >= -Int64.max / 4)
            }
        }
    }
}
