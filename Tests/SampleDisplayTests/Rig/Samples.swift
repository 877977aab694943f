import MediaTime
import PixelBuffers
import SampleBuffers

/// `n` pictures at 25 a second.
func at(_ n: Int) -> CMTime { CMTime(value: CMTimeValue(n), timescale: 25) }

/// `n` hundredths of the time of a picture at 25 a second.
func at(hundredths n: Int) -> CMTime { CMTime(value: CMTimeValue(n), timescale: 2500) }

/// What tests attach to samples.
struct Marks {
    var notSync = false
    var doNotDisplay = false
    var displayImmediately = false
    var partialSync = false
    /// What the fake decoder answers.
    var status: OSStatus = 0
    /// Whether the fake decoder returns it from `decode`, and does not call back.
    var fails = false
    var damaged = false
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key where Value == Int32 {
    static var fakeStatus: Self { Self("FakeStatus") }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key where Value == Bool {
    static var fakeFails: Self { Self("FakeFails") }
    static var fakeDamaged: Self { Self("FakeDamaged") }
}

enum Sample {
    /// A format that only the fake decoder decodes; another width is another format.
    static func format(width: Int = 16) throws -> CMFormatDescription {
        try CMFormatDescription(videoCodecType: .h264, width: width, height: 16)
    }

    /// A sample for the fake decoder; the token is the picture number.
    static func compressed(
        _ number: Int, at time: CMTime? = nil, decodeTime: CMTime = .invalid,
        duration: CMTime = at(1), format: CMFormatDescription? = nil, _ marks: Marks = Marks()
    ) throws -> CMSampleBuffer {
        let data = try CMBlockBuffer(length: 8)
        let timing = CMSampleTimingInfo(
            duration: duration, presentationTimeStamp: time ?? at(number),
            decodeTimeStamp: decodeTime)
        let sample = try CMSampleBuffer(
            dataBuffer: data, formatDescription: format ?? Self.format(), numSamples: 1,
            sampleTimings: [timing], sampleSizes: [8])
        mark(sample, number, marks)
        return sample
    }

    static func image(
        _ number: Int, at time: CMTime? = nil, duration: CMTime = at(1), _ marks: Marks = Marks()
    ) throws -> CMSampleBuffer {
        let image = try CVPixelBuffer(
            width: 16, height: 16, pixelFormat: .yCbCr420BiPlanarVideoRange)
        if marks.damaged { image.attachments[.damaged] = true }
        let timing = CMSampleTimingInfo(
            duration: duration, presentationTimeStamp: time ?? at(number),
            decodeTimeStamp: .invalid)
        let sample = try CMSampleBuffer(
            imageBuffer: image, formatDescription: CMFormatDescription(imageBuffer: image),
            sampleTiming: timing)
        mark(sample, number, marks)
        return sample
    }

    static func marker(
        at time: CMTime = .invalid, _ keys: CMSampleBuffer.AttachmentKey<Bool>...
    ) throws -> CMSampleBuffer {
        let sample = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [],
            sampleSizes: [])
        try sample.setOutputPresentationTimeStamp(time)
        for key in keys { sample.attachments[key] = true }
        return sample
    }

    private static func mark(_ sample: CMSampleBuffer, _ number: Int, _ marks: Marks) {
        let attachments = sample.sampleAttachments[0]
        attachments[.token] = Int64(number)
        if marks.notSync { attachments[.notSync] = true }
        if marks.doNotDisplay { attachments[.doNotDisplay] = true }
        if marks.displayImmediately { attachments[.displayImmediately] = true }
        if marks.partialSync { attachments[.partialSync] = true }
        if marks.status != 0 { attachments[.fakeStatus] = marks.status }
        if marks.fails { attachments[.fakeFails] = true }
        if marks.damaged { attachments[.fakeDamaged] = true }
    }
}
