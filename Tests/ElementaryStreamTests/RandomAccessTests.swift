import ElementaryStream
import H264
import StreamSynthesis
import TestSupport
import Testing

/// ``RandomAccessGate`` and ``DamageTracker``, on streams from which something is missing.
@Suite("Starts in mid-stream and damage", .timeLimit(.minutes(Checkout.patience(5))))
struct RandomAccessTests {
    /// By presentation rank.
    private func shown(_ units: [TimedAccessUnit]) -> [Bool] {
        units.sorted { $0.presentationRank < $1.presentationRank }.map(\.isShown)
    }

    private func damaged(_ units: [TimedAccessUnit]) -> [Int] {
        units.filter(\.isDamaged).map(\.decodeRank)
    }

    /// Whether the NAL unit is a slice of the picture.
    private func isSlice(_ nal: SynthesizedNALUnit, of picture: Int) -> Bool {
        (nal.type == 1 || nal.type == 5) && nal.picture == picture
    }

    @Test func `a stream from its IDR picture is shown whole`() throws {
        let units = try Streams.units(Streams.reordered().bytes())
        #expect(shown(units).allSatisfy { $0 })
        #expect(damaged(units).isEmpty)
    }

    @Test func `before the first IDR picture nothing is shown`() throws {
        let writer = Streams.simple(gops: 2, length: 8)
        let bytes = Streams.bytes(writer) { isSlice($1, of: 0) }
        #expect(shown(try Streams.units(bytes)) == (0..<15).map { $0 >= 7 })
    }

    /// IDR, P…, an I picture with a recovery point and B pictures before it in presentation, P….
    private func openGroup(recoveryFrameCount: Int) -> StreamWriter {
        var writer = StreamWriter(Streams.sequence(reorder: 2))
        writer.idr(Streams.picture(0))
        for number in 1..<5 {
            writer.p(Streams.picture(number), .p.with { $0.pictureOrderCount = 2 * number })
        }
        writer.i(
            Streams.picture(7),
            .i.with {
                $0.pictureOrderCount = 14
                $0.recoveryFrameCount = recoveryFrameCount
            })
        for number in [5, 6] {
            writer.b(Streams.picture(number), .b.with { $0.pictureOrderCount = 2 * number })
        }
        for number in 8..<14 {
            writer.p(Streams.picture(number), .p.with { $0.pictureOrderCount = 2 * number })
        }
        return writer
    }

    @Test func `leading pictures of the first recovery point are not shown`() throws {
        let writer = openGroup(recoveryFrameCount: 0)
        let bytes = Streams.bytes(writer) { isSlice($1, of: 0) }
        // P 1…4 and B 5, 6 lack their references.
        #expect(shown(try Streams.units(bytes)) == (1..<14).map { $0 >= 7 })
    }

    @Test func `leading pictures are shown where the group before is there`() throws {
        let writer = openGroup(recoveryFrameCount: 0)
        #expect(shown(try Streams.units(writer.bytes())).allSatisfy { $0 })
    }

    @Test func `a recovery point counts to its end`() throws {
        let writer = openGroup(recoveryFrameCount: 3)
        let bytes = Streams.bytes(writer) { isSlice($1, of: 0) }
        // The recovery point is picture 7; 8, 9, 10 are one to three frames later.
        #expect(shown(try Streams.units(bytes)) == (1..<14).map { $0 >= 10 })
    }

    @Test func `a stream without either shows nothing`() throws {
        let writer = Streams.simple(gops: 1, length: 10)
        let bytes = Streams.bytes(writer) { isSlice($1, of: 0) }
        let units = try Streams.units(bytes)
        #expect(units.count == 9)
        #expect(units.allSatisfy { !$0.isShown })
    }

    @Test func `ranks and times count what is not shown`() throws {
        let writer = Streams.simple(gops: 2, length: 8)
        let units = try Streams.units(Streams.bytes(writer) { isSlice($1, of: 0) })
        #expect(units.map(\.presentationRank) == Array(0..<15))
        #expect(units.map(\.presentationTicks) == (0..<15).map { 2 * $0 })
    }

    @Test func `a lost reference damages what follows, to the next IDR picture`() throws {
        let writer = Streams.simple(gops: 2, length: 8)
        let units = try Streams.units(Streams.bytes(writer) { isSlice($1, of: 3) })
        #expect(units.count == 15)
        #expect(damaged(units) == [3, 4, 5, 6])
    }

    @Test func `a completed recovery point mends`() throws {
        let writer = openGroup(recoveryFrameCount: 2)
        let units = try Streams.units(Streams.bytes(writer) { isSlice($1, of: 2) })
        // Without picture 2 decode ranks are 0 1 | 3 4 I7 B5 B6 P8 P9 …: damaged up to P8, whole from P9.
        let firstWhole = try #require(
            units.firstIndex { $0.accessUnit.pictureOrderCount.value == 18 })
        #expect(damaged(units) == Array(2..<firstWhole))
    }

    @Test func `a lost picture that is no reference damages nothing`() throws {
        let writer = Streams.reordered()
        let units = try Streams.units(Streams.bytes(writer) { isSlice($1, of: 4) })
        #expect(units.count == writer.pictures.count - 1)
        #expect(damaged(units).isEmpty)
    }

    @Test func `a picture without its first slice is damaged, a non-reference one alone`() throws {
        for (kind, expected) in [
            (PictureOptions.p, 3..<8), (.p.with { $0.referenceIDC = 0 }, 3..<4),
        ] {
            var writer = StreamWriter(Streams.sequence(reorder: 0))
            for number in 0..<12 {
                let isIDR = number % 8 == 0
                var options = isIDR ? PictureOptions.idr : number == 3 ? kind : .p
                options.sliceCount = 2
                writer.frame(Streams.picture(number), options)
            }
            let slices = writer.nalUnits.indices.filter { isSlice(writer.nalUnits[$0], of: 3) }
            #expect(slices.count == 2)
            let bytes = Streams.bytes(writer) { index, _ in index == slices[0] }
            let units = try Streams.units(bytes)
            #expect(units.count == 12)
            #expect(damaged(units) == Array(expected))
            #expect(units.filter(\.isBroken).map(\.decodeRank) == [3])
        }
    }

    @Test func `a gap that the stream allows is no damage`() throws {
        var writer = StreamWriter(
            Streams.sequence(references: 4, reorder: 0) { $0.allowsFrameNumGaps = true })
        writer.idr(Streams.picture(0))
        for number in 1..<8 {
            writer.p(
                Streams.picture(number),
                .p.with {
                    guard number == 4 else { return }
                    $0.frameNumGap = 2
                    $0.listModifications = [.subtract(differenceMinus1: 2)]
                })
        }
        #expect(damaged(try Streams.units(writer.bytes())).isEmpty)
    }

    @Test func `the forbidden bit damages its picture`() throws {
        let writer = Streams.simple(gops: 2, length: 4)
        let index = try #require(writer.nalUnits.firstIndex { isSlice($0, of: 1) })
        var units = writer.nalUnits
        units[index].bytes[0] |= 0x80
        let timed = try Streams.units(Framing(.long).bytes(of: units))
        #expect(timed.count == 8)
        #expect(damaged(timed) == [1, 2, 3])
    }
}
