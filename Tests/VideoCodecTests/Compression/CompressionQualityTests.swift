import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import TestSupport
import Testing
import VideoCodec

/// What comes back after compressing, and what others say of it.
@Suite("Compression session: pictures and rates", .timeLimit(.minutes(Checkout.patience(3))))
struct CompressionQualityTests {
    @Test(arguments: [CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420Planar])
    func `at high quality the pictures come back above 40 dB`(format: CVPixelFormatType) throws {
        let reel = Reel(format: format)
        let samples = try compress(reel, count: 50) { $0.quality = 0.9 }
        let pictures = try decode(samples)
        #expect(pictures.count == 50)
        for (number, picture) in pictures.enumerated() {
            #expect(luma(try reel.picture(number), against: picture) > 40)
        }
    }

    @Test func `the test card comes back above 40 dB, its number readable`() throws {
        let card = TestCard(PictureFormat(width: 176, height: 144))
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        session.quality = 0.9
        var given: [CVPixelBuffer] = []
        for number in 0..<12 {
            let buffer = try CVPixelBuffer(width: 176, height: 144, pixelFormat: .yCbCr420Planar)
            buffer.lockBaseAddress()
            var bytes = card.picture(number).rawBytes[...]
            for plane in 0..<3 {
                for row in 0..<buffer.height(ofPlane: plane) {
                    let width = buffer.width(ofPlane: plane)
                    memcpy(
                        buffer.baseAddress(ofPlane: plane)! + row
                            * buffer.bytesPerRow(ofPlane: plane), Array(bytes.prefix(width)), width)
                    bytes = bytes.dropFirst(width)
                }
            }
            buffer.unlockBaseAddress()
            given.append(buffer)
            session.encodeFrame(
                buffer, presentationTimeStamp: CMTime(value: Int64(number), timescale: 25))
        }
        session.completeFrames()
        for (before, after) in zip(given, try decode(collector.samples)) {
            #expect(luma(before, against: after) > 40)
        }
    }

    @Test(arguments: [200_000, 600_000], ["", "no reordering", "real time", "delay 5"])
    func `the average over ten seconds is within a tenth of what was asked`(
        bitRate: Int, mode: String
    ) throws {
        let samples = try compress(Reel(grainRows: bitRate > 300_000 ? 64 : 24), count: 250) {
            session in
            session.averageBitRate = bitRate
            session.expectedFrameRate = 25
            switch mode {
            case "no reordering": session.allowFrameReordering = false
            case "real time": session.realTime = true
            case "delay 5": session.maxFrameDelayCount = 5
            default: break
            }
        }
        let bits = samples.reduce(0) { $0 + $1.totalSampleSize * 8 }
        let share = Double(bits) / 10 / Double(bitRate)
        print("asked \(bitRate) \(mode): \((share * 1000).rounded() / 10) %")
        #expect((0.9...1.1).contains(share))
    }

    @Test(arguments: ["high", "baseline", "main, real time", "slices", "limits", "changes"])
    func `ffprobe and ffmpeg take the file without a word`(kind: String) throws {
        let samples = try compress(count: 60, forced: [10, 37]) { session in
            session.maxKeyFrameInterval = 25
            session.averageBitRate = 500_000
            switch kind {
            case "baseline": session.profileLevel = .h264BaselineAutoLevel
            case "main, real time":
                session.profileLevel = .h264MainAutoLevel
                session.realTime = true
            case "slices": session.maxH264SliceBytes = 700
            case "limits":
                session.setProperty(.dataRateLimits, to: [40_000, 1])
            default: break
            }
        } before: { number, session in
            guard kind == "changes" else { return }
            if number == 20 { session.completeFrames() }
            if number == 30 { session.averageBitRate = 200_000 }
            if number == 40 { session.h264EntropyMode = .cavlc }
        }
        let path = "/tmp/tplay-compressed-\(getpid())-\(kind.filter(\.isLetter)).264"
        let bytes = try byteStream(samples)
        let file = try #require(fopen(path, "wb"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
        defer { unlink(path) }
        let probe = Subprocess.run(
            "/usr/bin/env",
            [
                "ffprobe", "-v", "warning", "-count_packets", "-show_entries",
                "stream=codec_name,r_frame_rate,nb_read_packets", "-of", "csv=p=0", path,
            ])
        #expect(probe.status == 0 && probe.errors.isEmpty, "\(probe.errors)")
        #expect(probe.lines.first == "h264,25/1,60")
        let play = Subprocess.run(
            "/usr/bin/env", ["ffmpeg", "-nostdin", "-v", "warning", "-i", path, "-f", "null", "-"])
        #expect(play.status == 0 && play.errors.isEmpty, "\(play.errors)")
    }
}
