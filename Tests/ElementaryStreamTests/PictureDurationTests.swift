import ElementaryStream
import H264
import StreamSynthesis
import TestSupport
import Testing

@Suite("Picture duration", .timeLimit(.minutes(Checkout.patience(5))))
struct PictureDurationTests {
    private func timed(_ rate: VideoUsability.Timing, hasPictureStructure: Bool = false)
        -> SequenceParameters
    {
        Streams.sequence {
            $0.isFramesOnly = false
            $0.usability = VideoUsability(timing: rate)
            $0.usability?.hasPictureStructure = hasPictureStructure
        }
    }

    @Test func `a frame lasts two ticks`() throws {
        let units = try Streams.units(Streams.simple().bytes())
        #expect(units.allSatisfy { $0.durationTicks == 2 })
        #expect(units.map(\.presentationTicks) == (0..<24).map { 2 * $0 })
    }

    @Test(
        arguments: [
            (0, 2), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 6),
        ] as [(Int, Int64)])
    func `table D-1`(structure: Int, ticks: Int64) throws {
        var writer = StreamWriter(timed(.rate(25), hasPictureStructure: true))
        let options = PictureOptions.idr.with { $0.pictureStructure = structure }
        writer.idr(Streams.picture(0), options)
        #expect(try Streams.units(writer.bytes()).map(\.durationTicks) == [ticks])
    }

    @Test func `film in fields is as long as it was`() throws {
        var writer = StreamWriter(
            timed(.init(unitsInTick: 1001, timeScale: 60000), hasPictureStructure: true))
        for number in 0..<48 {
            writer.frame(
                Streams.picture(number),
                PictureOptions(number == 0 ? .i : .p, isIDR: number == 0).with {
                    $0.pictureStructure = [5, 4, 6, 3][number % 4]
                })
        }
        let units = try Streams.units(writer.bytes())
        #expect(units.map(\.durationTicks).prefix(4) == [3003, 2002, 3003, 2002])
        // 48 pictures of 24 a second (1000/1001): two seconds, in 1/60000.
        let end = units.map { $0.presentationTicks + $0.durationTicks }.max()
        #expect(end == 120_120)
    }

    @Test func `a rate that is asked for overrides the stream's, not its fields`() throws {
        var writer = StreamWriter(timed(.rate(25), hasPictureStructure: true))
        for structure in [0, 5] {
            let isFirst = structure == 0
            writer.frame(
                Streams.picture(structure),
                PictureOptions(isFirst ? .i : .p, isIDR: isFirst).with {
                    $0.pictureStructure = structure
                })
        }
        let rate = try #require(PictureRate(numerator: 30000, denominator: 1001))
        let units = try Streams.units(writer.bytes(), rate: rate)
        #expect(units.map(\.durationTicks) == [2002, 3003])
    }

    @Test func `a change of rate in mid-stream is converted to the first time scale`() throws {
        // 25 a second, then 30000/1001: 1.668 ticks of 1/50 a picture, none lost in rounding.
        var writer = StreamWriter(timed(.rate(25)))
        for number in 0..<5 {
            let isFirst = number == 0
            writer.frame(
                Streams.picture(number), PictureOptions(isFirst ? .i : .p, isIDR: isFirst))
        }
        writer.begin(timed(.init(unitsInTick: 1001, timeScale: 60000)))
        for number in 0..<3000 {
            if number == 0 { writer.idr(Streams.picture(number)) } else { writer.skip() }
        }
        let units = try Streams.units(writer.bytes())
        #expect(units.prefix(5).allSatisfy { $0.durationTicks == 2 })
        #expect(units.dropFirst(5).allSatisfy { (1...2).contains($0.durationTicks) })
        let total = units.dropFirst(5).reduce(0) { $0 + $1.durationTicks }
        // 3000 pictures are 100.1 s.
        #expect(total == 5005)
    }

    @Test func `a rate that is asked for holds through changes`() throws {
        var writer = StreamWriter(timed(.rate(25)))
        writer.idr(Streams.picture(0))
        writer.begin(timed(.rate(50)))
        writer.idr(Streams.picture(1))
        let rate = try #require(PictureRate(numerator: 10, denominator: 1))
        let units = try Streams.units(writer.bytes(), rate: rate)
        #expect(units.map(\.durationTicks) == [2, 2])
        #expect(units.map(\.presentationTicks) == [0, 2])
    }

    @Test func `repeated parameter sets change nothing`() throws {
        var writer = StreamWriter(timed(.rate(25)))
        for number in 0..<10 {
            if number > 0 { writer.writeParameterSets() }
            let isFirst = number == 0
            writer.frame(
                Streams.picture(number), PictureOptions(isFirst ? .i : .p, isIDR: isFirst))
        }
        let units = try Streams.units(writer.bytes())
        #expect(units.allSatisfy { $0.durationTicks == 2 })
    }
}
