import ElementaryStream
import H264
import StreamSynthesis
import TestSupport
import Testing

@Suite("Picture rate", .timeLimit(.minutes(Checkout.patience(5))))
struct PictureRateTests {
    private func rate(unitsInTick: Int, timeScale: Int) throws -> PictureRate {
        PictureRate(
            try Streams.parsed(
                Streams.sequence {
                    $0.usability = VideoUsability(
                        timing: .init(unitsInTick: unitsInTick, timeScale: timeScale))
                }))
    }

    @Test(arguments: [
        (1, 50, 25, 1), (1001, 60000, 30000, 1001), (1, 48, 24, 1), (1000, 59940, 2997, 100),
        (1, 2, 1, 1), (100, 2, 1, 100), (1, 2000, 1000, 1), (1 << 30, 0x7FFF_FFFF, 0, 0),
    ])
    func `the stream's timing is its rate`(
        units: Int, scale: Int, numerator: Int, denominator: Int
    ) throws {
        let rate = try rate(unitsInTick: units, timeScale: scale)
        #expect(rate.source == .vui)
        #expect(rate.refused == nil)
        #expect(rate.timescale == Int32(scale))
        #expect(rate.halfPicture == Int32(units))
        guard denominator > 0 else { return }
        #expect(rate.fraction == (Int64(numerator), Int64(denominator)))
    }

    @Test(arguments: [
        (0, 50), (1, 0), (0, 0), (0xFFFF_FFFF, 50), (1, 0xFFFF_FFFF), (1, 40_000), (1000, 10),
        (0xFFFF_FFFF, 0xFFFF_FFFF),
    ])
    func `absurd timing is told, and 25 pictures a second taken`(units: Int, scale: Int) throws {
        let rate = try rate(unitsInTick: units, timeScale: scale)
        #expect(rate.source == .default)
        #expect(rate.fraction == (25, 1))
        #expect(rate.refused == "\(scale)/\(units)")
    }

    @Test func `without timing there are 25 pictures a second`() throws {
        let rate = PictureRate(try Streams.parsed(Streams.sequence()))
        #expect(rate == .default)
        #expect(rate.fraction == (25, 1))
        #expect(rate.source == .default)
    }

    @Test(
        arguments: [
            (25, 1), (30000, 1001), (2997, 100), (1, 100), (1000, 1), (50, 2),
            (1 << 30, 1 << 30), (1 << 40, 1 << 36), (.max, .max),
        ] as [(Int64, Int64)])
    func `a rate that is asked for`(numerator: Int64, denominator: Int64) throws {
        let rate = try #require(PictureRate(numerator: numerator, denominator: denominator))
        #expect(rate.source == .option)
        let (a, b) = rate.fraction
        #expect(a * denominator == b * numerator)
    }

    @Test(
        arguments: [
            (0, 1), (1, 0), (-25, 1), (25, -1), (1, 101), (1001, 1), (.max, 1), (1, .max),
            (.min, .min),
            ((1 << 30) + 1, 1 << 29),
        ] as [(Int64, Int64)])
    func `an unbelievable one is refused`(numerator: Int64, denominator: Int64) {
        #expect(PictureRate(numerator: numerator, denominator: denominator) == nil)
    }
}
