import Playback
import TerminalGraphics
import Testing

/// Pictures of film, whose bytes are those of all cells times the step's share, sent over a link with so many bytes a picture.
private struct SimulatedFilm {
    var policy: DetailPolicy
    var exact: Double
    var allowance: Double
    var now: Int64 = 0
    private(set) var levels: [Int] = []
    private(set) var byteCounts: [Double] = []

    init(_ ladder: [PictureDetail], exact: Double, allowance: Double, level: Int? = nil) {
        policy = DetailPolicy(
            ladder: ladder, cellCount: 160 * 44, cellPixels: 128, level: level)
        (self.exact, self.allowance) = (exact, allowance)
    }

    mutating func play(_ count: Int, times factor: Double = 1) {
        for _ in 0..<count {
            now += 40_000_000
            let attempts = policy.attempts(
                for: policy.detail, allowance: allowance, at: now)
            var step = attempts.lowerBound
            while step + 1 < attempts.upperBound, bytes(step) * factor > allowance { step += 1 }
            let size = bytes(step) * factor
            if attempts.upperBound < policy.ladder.count, size > allowance * 5 {
                policy.refused(byteCount: Int(size), allowance: allowance, now: now)
                levels.append(-1)
                continue
            }
            policy.sent(at: step, byteCount: Int(size), allowance: allowance, now: now)
            levels.append(step)
            byteCounts.append(size)
        }
    }

    func bytes(_ step: Int) -> Double { exact * policy.ladder[step].share }

    /// How often pictures were drawn in another way than the one before.
    var redrawings: Int {
        let shown = levels.filter { $0 >= 0 }.map { policy.ladder[$0] }
        return zip(shown, shown.dropFirst()).count { !$0.isDrawn(like: $1) }
    }
}

@Suite("Detail policy")
struct DetailPolicyTests {
    static let cells = PictureDetail.ladder(
        for: .half, .truecolor, standsIn: true, keepsColors: false)
    static let image = PictureDetail.ladder(
        for: .sixel, .truecolor, standsIn: true, keepsColors: false)

    @Test func `first what changed visibly, then fewer colours, then a smaller grid`() {
        let ladder = Self.cells
        #expect(ladder.first == PictureDetail())
        #expect(ladder[1].tolerance == 2)
        let colours = ladder.firstIndex { $0.hasFewerColors }
        let grid = ladder.firstIndex { $0.coarseness > 1 || $0.shrinking > 1 }
        #expect(ladder.lastIndex { $0.tolerance > 0 }! < colours!)
        #expect(colours! < grid!)
        #expect(zip(ladder, ladder.dropFirst()).allSatisfy { $0.share > $1.share })
        // An image first gives way to all of its cells.
        #expect(Self.image[1].isStandIn && Self.image[1].tolerance == 0)
        #expect(!Self.image.dropFirst().contains { !$0.isStandIn })
        // What the user chose stays.
        let fixed = PictureDetail.ladder(
            for: .octant, .palette256, standsIn: false, keepsColors: true)
        #expect(fixed.allSatisfy { !$0.hasFewerColors && !$0.isStandIn && $0.tolerance == 0 })
        #expect(
            PictureDetail.ladder(for: .sixel, .truecolor, standsIn: false, keepsColors: false)
                == [
                    PictureDetail.ladder(
                        for: .sixel, .truecolor, standsIn: false, keepsColors: false)[0]
                ])
    }

    @Test(
        "takes the best that fits", arguments: [1e9, 131e3, 92e3, 70e3, 40e3, 21e3, 9e3, 3e3, 1e3])
    func best(allowance: Double) throws {
        var film = SimulatedFilm(Self.cells, exact: 131_000, allowance: allowance)
        film.policy.settle(allowance: allowance, at: 0)
        film.play(500)
        let level = film.policy.level
        #expect(film.bytes(level) <= allowance || level == Self.cells.count - 1)
        if level > 0, Self.cells[level - 1].isDrawn(like: Self.cells[level]) {
            #expect(film.bytes(level - 1) > allowance * 0.99, "level \(level)")
        } else if level > 0 {
            #expect(film.bytes(level - 1) > allowance * 0.75, "level \(level)")
        }
        // It settles: no other way of drawing any more.
        let before = film.redrawings
        film.play(500)
        #expect(film.redrawings == before)
        #expect(film.byteCounts.suffix(100).allSatisfy { $0 <= max(allowance, 1000) })
    }

    @Test func `a link that breaks down and comes back is followed both ways`() {
        var film = SimulatedFilm(Self.cells, exact: 131_000, allowance: 1e9, level: 0)
        film.play(50)
        #expect(film.levels.allSatisfy { $0 == 0 })
        film.allowance = 10_000
        film.play(25)
        let low = film.policy.level
        #expect(film.bytes(low) <= 10_000)
        // Down at once: two pictures at most are too much.
        #expect(film.byteCounts.count { $0 > 10_000 && $0 < 131_000 } <= 2)
        film.allowance = 1e9
        film.play(10)
        #expect(film.policy.level == low, "not up before a second has passed")
        film.play(100)
        #expect(film.policy.level == 0)
    }

    @Test func `one large picture changes little`() {
        var film = SimulatedFilm(Self.cells, exact: 131_000, allowance: 25_000)
        film.policy.settle(allowance: 25_000, at: 0)
        film.play(200)
        let level = film.policy.level
        film.play(1, times: 3)
        film.play(20)
        #expect(Self.cells[film.policy.level].isDrawn(like: Self.cells[level]))
    }

    @Test func `a step up that is too bold is tried ever more seldom`() {
        // Seven times as many bytes with all colours as the shares say.
        var film = SimulatedFilm(Self.cells, exact: 131_000, allowance: 24_000)
        film.policy.settle(allowance: 24_000, at: 0)
        for _ in 0..<1500 {
            film.play(1, times: film.policy.detail.hasFewerColors ? 1 : 3)
        }
        #expect(film.redrawings < 40, "\(film.redrawings) in a minute")
    }

    @Test func `an image is tried where it may fit, and gives way`() {
        var film = SimulatedFilm(Self.image, exact: 131_000, allowance: 60_000)
        film.policy.settle(allowance: 60_000, at: 0)
        #expect(film.policy.detail.isStandIn)
        film.allowance = 1e6
        film.policy.settle(allowance: 1e6, at: 0)
        #expect(!film.policy.detail.isStandIn)
        film.play(50)
        #expect(film.policy.level == 0)
        film.allowance = 300_000
        film.play(10)
        #expect(film.policy.detail.isStandIn)
    }
}
