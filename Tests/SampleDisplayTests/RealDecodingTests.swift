import Dispatch
import Glibc
import MediaTime
import PixelBuffers
import SampleBuffers
import SampleDisplay
import StreamSynthesis
import TestSupport
import Testing
import VideoCodec

/// The layer with the decoder it has: every picture, its pixels and its time.
@Suite(.serialized, .timeLimit(.minutes(Checkout.patience(5)))) struct RealDecodingTests {
    /// Streams whose pictures FFmpeg shows all, without concealing.
    static let streams =
        Clip.hasStreams
        ? Clip.streams.filter { clip in
            [
                "AUD_MW_E.264", "CABA3_TOSHIBA_E.264", "CAMA3_Sand_E.264", "CVSE2_Sony_B.264",
                "HCAFF1_HHI.264", "FRExt4_Panasonic.avc", "MR2_TANDBERG_E.264",
                "video-cif-250.h264", "test-25fps-interlaced.h264",
            ].contains(clip.name)
        } : []

    /// The project's own, which are always there.
    static let samples = Clip.samples.filter { clip in
        [
            "b-pyramid.264", "baseline.264", "main.264", "mbaff.264", "paff.264", "high10.264",
            "high422.264", "high444.264", "size-change.264", "short-codes.264",
        ].contains(clip.name)
    }

    private func layer(_ mode: SampleDecodingMode) -> AVSampleBufferDisplayLayer {
        let layer = AVSampleBufferDisplayLayer()
        layer.decodedImageAttributes = .native
        layer.decodingMode = mode
        return layer
    }

    @Test(arguments: samples + streams, [SampleDecodingMode.throughput, .lowDelay, .automatic])
    func `stepping shows every picture of a stream, in order, as FFmpeg decodes it`(
        clip: Clip, mode: SampleDecodingMode
    ) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let stream = try RealStream(bytes)
        let layer = layer(mode)
        let control = try CMTimebase(sourceClock: CMClock.hostTimeClock)
        layer.controlTimebase = control
        let stepper = HashingStepper(layer: layer, control: control)
        stepper.start()
        let feeder = Feeder(layer, stream.samples)
        feeder.start()
        let digests = stepper.waitForEnd()
        feeder.stop()
        #expect(digests == clip.digests)
        #expect(layer.statistics.droppedLate == 0)
        #expect(layer.status == .rendering)
    }

    @Test(arguments: streams.filter { $0.name == "video-cif-250.h264" })
    func `a seek shows the target and nothing else`(clip: Clip) throws {
        let bytes = try #require(Checkout.bytes(clip.path))
        let stream = try RealStream(bytes)
        let digests = try #require(clip.digests)
        let layer = layer(.throughput)
        let control = try CMTimebase(sourceClock: CMClock.hostTimeClock)
        layer.controlTimebase = control
        let shown = Monitor<[String]>([])
        layer.presentationHandler = { image, _, _ in
            shown.update { $0.append(image?.md5 ?? "none") }
        }
        for target in [100, 7, digests.count - 1, 0, 33] {
            layer.flush()
            shown.update { $0 = [] }
            try control.setTime(at(target))
            for sample in try stream.seek(to: target) { layer.enqueue(sample) }
            layer.enqueue(try Sample.marker(.drainAfterDecoding))
            layer.waitUntilIdle()
            #expect(shown.withLock { $0 } == [digests[target]], "picture \(target)")
        }
    }

    @Test
    func `L-22 a change of size in a real stream loses no picture, a new PPS keeps the decoder`()
        throws
    {
        var small = SequenceParameters(PictureFormat(width: 64, height: 48))
        small.orderCounting = .leastSignificantBits(log2Maximum: 8)
        let large = SequenceParameters(PictureFormat(width: 96, height: 80))
        var writer = StreamWriter(small)
        func picture(_ sequence: SequenceParameters, _ seed: Int) -> Picture {
            TestCard(sequence.format).picture(seed)
        }
        writer.idr(picture(small, 1))
        writer.p(picture(small, 2))
        var parameters = PictureParameters(sequence: small)
        parameters.initialQP = 30
        writer.write(parameters)
        writer.p(picture(small, 3))
        writer.begin(large)
        writer.idr(picture(large, 4))
        writer.p(picture(large, 5))
        let samples = try Sample.samples(of: writer)
        let layer = layer(.throughput)
        let control = try CMTimebase(sourceClock: CMClock.hostTimeClock)
        layer.controlTimebase = control
        let widths = Monitor<[Int]>([])
        layer.presentationHandler = { image, _, _ in widths.update { $0.append(image?.width ?? 0) }
        }
        for sample in samples { layer.enqueue(sample) }
        layer.enqueue(try Sample.marker(.drainAfterDecoding))
        for number in 0..<5 {
            try control.setTime(at(number))
            layer.waitUntilIdle()
        }
        #expect(widths.withLock { $0 } == [64, 64, 64, 96, 96])
        #expect(layer.statistics.damaged == 0)
    }

    @Test func `L-23 rubbish in a sync sample fails the layer and a flush recovers`() throws {
        let sequence = SequenceParameters(PictureFormat(width: 64, height: 48))
        var writer = StreamWriter(sequence)
        writer.idr(TestCard(sequence.format).picture(1))
        let good = try #require(try Sample.samples(of: writer).first)
        let data = try CMBlockBuffer(byteCount: 8) {
            $0.copyBytes(from: [0, 0, 0, 200, 1, 2, 3, 4])
        }
        let bad = try CMSampleBuffer(
            dataBuffer: data, formatDescription: good.formatDescription, numSamples: 1,
            sampleTimings: [
                CMSampleTimingInfo(
                    duration: at(1), presentationTimeStamp: at(0), decodeTimeStamp: .invalid)
            ], sampleSizes: [8])
        let layer = layer(.lowDelay)
        layer.enqueue(bad)
        layer.waitUntilIdle()
        #expect(layer.status == .failed)
        #expect(layer.error?.underlyingError?.status == -12909)
        layer.flush()
        layer.enqueue(good)
        layer.waitUntilIdle()
        #expect(layer.displayedPicture?.token == 0)
    }

    /// Nobody else at work: otherwise the machine is measured, not the layer.
    ///
    /// `TPLAY_MEASURE` measures all the same.
    private static let isQuiet: Bool = {
        if getenv("TPLAY_MEASURE") != nil { return true }
        var load = [0.0]
        let isQuiet = getloadavg(&load, 1) == 1 && load[0] < 1 && !Checkout.isSanitized
        if !isQuiet { print("SKIPPED: precision of presentation; the load is \(load[0])") }
        return isQuiet
    }()

    @Test(.enabled(if: isQuiet), arguments: [Clip.streamsFolder + "/bench/bbb1080.264"])
    func `L-30 pictures are presented within 2 ms while 1080p is decoded`(path: String) throws {
        guard Clip.hasStreams, let bytes = Checkout.bytes(path) else { return }
        let lateness = try measure(RealStream(bytes))
        let sorted = lateness.sorted()
        let p99 = sorted[sorted.count * 99 / 100]
        print("presentation: median \(sorted[sorted.count / 2]) s, p99 \(p99) s, \(sorted.count)")
        #expect(p99 <= 0.002)
    }

    /// How late pictures are presented, in seconds.
    private func measure(_ stream: RealStream) throws -> [Double] {
        let layer = layer(.throughput)
        let control = try CMTimebase(sourceClock: CMClock.hostTimeClock)
        layer.controlTimebase = control
        let lateness = Monitor<[Double]>([])
        let hasEnded = Monitor(false)
        layer.presentationHandler = { _, time, _ in
            let late = (control.time - time).seconds
            lateness.update { $0.append(late) }
        }
        layer.eventHandler = { event in
            if case .presentedLast = event { hasEnded.update { $0 = true } }
        }
        let feeder = Feeder(layer, stream.samples)
        feeder.start()
        _ = hasEnded.wait(deadline: deadline(in: 300_000_000)) { $0 ? () : nil }
        try control.setRate(1)
        _ = hasEnded.wait { $0 ? () : nil }
        feeder.stop()
        return lateness.withLock { $0 }
    }
}

/// Feeds a layer as a player does: when it asks for more.
final class Feeder: Sendable {
    private let layer: AVSampleBufferDisplayLayer
    private let samples: [CMSampleBuffer]
    private let next = Monitor(0)
    private let queue = DispatchQueue(label: "reader")

    init(_ layer: AVSampleBufferDisplayLayer, _ samples: [CMSampleBuffer]) {
        self.layer = layer
        self.samples = samples
    }

    func start() {
        layer.requestMediaDataWhenReady(on: queue) { [layer, samples, next] in
            while layer.isReadyForMoreMediaData {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < samples.count else {
                    if let end = try? Sample.marker(.drainAfterDecoding) { layer.enqueue(end) }
                    return layer.stopRequestingMediaData()
                }
                layer.enqueue(samples[index])
            }
        }
    }

    func stop() { layer.stopRequestingMediaData() }
}
