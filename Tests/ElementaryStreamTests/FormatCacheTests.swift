import ElementaryStream
import H264
import SampleBuffers
import StreamSynthesis
import TestSupport
import Testing

@Suite("Format cache", .timeLimit(.minutes(Checkout.patience(5))))
struct FormatCacheTests {
    private func indices(_ writer: StreamWriter) throws -> ([Int], FormatCache) {
        var cache = FormatCache()
        var result: [Int] = []
        for unit in try Streams.units(writer.bytes()) {
            result.append(try cache.index(for: unit.accessUnit))
        }
        return (result, cache)
    }

    @Test func `repeated parameter sets are one format`() throws {
        var writer = StreamWriter(Streams.sequence(reorder: 0))
        for number in 0..<6 {
            if number > 0 { writer.writeParameterSets() }
            writer.frame(
                Streams.picture(number), PictureOptions(number == 0 ? .i : .p, isIDR: number == 0))
        }
        let (indices, cache) = try indices(writer)
        #expect(indices == [0, 0, 0, 0, 0, 0])
        #expect(cache.descriptions.count == 1)
        #expect(cache.descriptions[0].dimensions.width == 32)
    }

    @Test func `a changed picture parameter set is another one`() throws {
        let sequence = Streams.sequence(reorder: 0)
        var writer = StreamWriter(sequence)
        for number in 0..<6 {
            var set = PictureParameters(sequence: sequence)
            set.initialQP = 26 + number / 2
            if number > 0 { writer.write(set) }
            writer.frame(
                Streams.picture(number), PictureOptions(number == 0 ? .i : .p, isIDR: number == 0))
        }
        #expect(try indices(writer).0 == [0, 0, 1, 1, 2, 2])
    }

    @Test func `a format that comes again is known`() throws {
        var writer = StreamWriter(Streams.sequence(reorder: 0))
        var large = Streams.sequence(reorder: 0)
        large.format = PictureFormat(width: 64, height: 48)
        writer.idr(Streams.picture(0))
        writer.begin(large)
        writer.idr(Picture(large.format))
        writer.begin(Streams.sequence(reorder: 0))
        writer.idr(Streams.picture(2))
        writer.begin(large)
        writer.idr(Picture(large.format))
        let (indices, cache) = try indices(writer)
        #expect(indices == [0, 1, 0, 1])
        #expect(cache.descriptions.map(\.dimensions.width) == [32, 64])
    }

    @Test func `samples carry the format in force`() throws {
        var writer = StreamWriter(Streams.sequence(reorder: 0))
        var large = Streams.sequence(reorder: 0)
        large.format = PictureFormat(width: 64, height: 48)
        writer.idr(Streams.picture(0))
        writer.begin(large)
        writer.idr(Picture(large.format))
        writer.p(Picture(large.format, luma: 99))
        var sampler = AccessUnitSampler()
        var samples: [CMSampleBuffer] = []
        for unit in try Streams.units(writer.bytes(), packs: true) {
            let sample = sampler.sample(for: unit, rate: .default)
            samples.append(try #require(sample))
        }
        #expect(samples.map { $0.formatDescription?.dimensions.width } == [32, 64, 64])
        #expect(samples[1].formatDescription === samples[2].formatDescription)
        #expect(samples.map { $0.sampleAttachments[0][.token] } == [0, 1, 2])
        #expect(samples.map { $0.sampleAttachments[0][.notSync] } == [nil, nil, true])
    }
}
