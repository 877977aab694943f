import MediaTime
import PixelBuffers
import SampleBuffers
import Testing

@Suite("Sample buffer")
struct CMSampleBufferTests {
    typealias Error = CMSampleBuffer.Error

    private func make(
        _ count: Int, timings: [CMSampleTimingInfo] = [], sizes: [Int] = [],
        data: [UInt8] = [1, 2, 3, 4, 5, 6]
    ) throws -> CMSampleBuffer {
        try CMSampleBuffer(
            dataBuffer: makeBlockBuffer(data), formatDescription: nil, numSamples: count,
            sampleTimings: timings, sampleSizes: sizes)
    }

    private func makePending(
        _ handler: @escaping CMSampleBufferMakeDataReadyHandler = { _ in 0 }
    ) throws -> CMSampleBuffer {
        try CMSampleBuffer(
            dataBuffer: makeBlockBuffer([1, 2]), formatDescription: nil, numSamples: 1,
            sampleTimings: [], sampleSizes: [2], makeDataReadyHandler: handler)
    }

    private func makePicture() throws -> CMSampleBuffer {
        let picture = try CVPixelBuffer(width: 4, height: 4, pixelFormat: .bgra32)
        return try CMSampleBuffer(
            imageBuffer: picture, formatDescription: CMFormatDescription(imageBuffer: picture),
            sampleTiming: .invalid)
    }

    @Test func `S-1 entries are none, one, or one a sample`() throws {
        let entries = [timing(0), timing(1), timing(2)]
        for count in [0, 1, 3] {
            #expect(throws: Never.self) {
                _ = try make(3, timings: Array(entries.prefix(count)))
                _ = try make(3, sizes: Array([1, 2, 3].prefix(count)))
            }
        }
        #expect(throws: Error.invalidEntryCount) {
            try make(3, timings: Array(entries.prefix(2)))
        }
        #expect(throws: Error.invalidEntryCount) { try make(3, sizes: [1, 2]) }
        #expect(throws: Error.invalidEntryCount) { try make(1, sizes: [1, 2]) }
        #expect(Error.invalidEntryCount.status == -12738)
    }

    @Test func `S-1 one entry goes for all samples, times advancing`() throws {
        let buffer = try make(3, timings: [timing(10, 8, 2)], sizes: [2])
        #expect(try buffer.sampleTimingInfo(at: 2) == timing(14, 12, 2))
        #expect(buffer.sampleSize(at: 2) == 2)
        #expect(buffer.totalSampleSize == 6)
        #expect(buffer.duration == time(6))
    }

    @Test func `S-2 counts are not negative, no samples are legal`() throws {
        #expect(throws: Error.requiredParameterMissing) { try make(-1) }
        let marker = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [],
            sampleSizes: [])
        #expect(marker.numSamples == 0)
        #expect(Error.requiredParameterMissing.status == -12731)
    }

    @Test func `S-3 samples are not larger than the data`() throws {
        #expect(throws: Never.self) { try make(2, sizes: [3, 3]) }
        #expect(throws: Error.invalidSampleData) { try make(2, sizes: [3, 4]) }
        #expect(throws: Error.invalidSampleData) { try make(4, sizes: [2]) }
        #expect(throws: Error.invalidSampleData) { try make(2, sizes: [.max, .max]) }
        #expect(throws: Error.invalidSampleData) { try make(2, sizes: [-1, 1]) }
        #expect(Error.invalidSampleData.status == -12742)
    }

    @Test func `S-3 one sample without size is the whole data, in any pieces`() throws {
        let data = try makeBlockBuffer([0, 0, 0, 2], [9, 8])
        let buffer = try CMSampleBuffer(
            dataBuffer: data, formatDescription: nil, numSamples: 1, sampleTimings: [],
            sampleSizes: [])
        #expect(try buffer.dataBuffer?.dataBytes() == [0, 0, 0, 2, 9, 8])
        #expect(buffer.totalSampleSize == 6)
        #expect(buffer.sampleSize(at: 0) == 0)
    }

    @Test func `S-4 ready samples have data, others may get them later`() throws {
        #expect(throws: Error.requiredParameterMissing) {
            try CMSampleBuffer(
                dataBuffer: nil, formatDescription: nil, numSamples: 1, sampleTimings: [],
                sampleSizes: [])
        }
        let later = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: nil, numSamples: 1, sampleTimings: [],
            sampleSizes: [2]
        ) { _ in 0 }
        #expect(later.dataBuffer == nil)
        #expect(later.dataReadiness == .notReady)
        #expect(throws: Error.requiredParameterMissing) { try later.setDataReadiness(.ready) }
        #expect(throws: Error.invalidSampleData) { try later.setDataBuffer(makeBlockBuffer([1])) }
        try later.setDataBuffer(makeBlockBuffer([1, 2]))
        try later.setDataReadiness(.ready)
        #expect(later.dataReadiness == .ready)
    }

    @Test func `S-5 without a handler the buffer is ready`() throws {
        #expect(try make(1).dataReadiness == .ready)
        #expect(try makePicture().dataReadiness == .ready)
        #expect(try makePending().dataReadiness == .notReady)
    }

    @Test func `S-6 data are set once`() throws {
        let buffer = try make(1)
        #expect(throws: Error.alreadyHasDataBuffer) {
            try buffer.setDataBuffer(makeBlockBuffer([1]))
        }
        #expect(Error.alreadyHasDataBuffer.status == -12732)
    }

    @Test func `S-7 a picture is one sample without sizes`() throws {
        let buffer = try makePicture()
        #expect(buffer.numSamples == 1)
        #expect(buffer.dataBuffer == nil)
        #expect(buffer.imageBuffer != nil)
        #expect(!buffer.presentationTimeStamp.isValid)
        #expect(throws: Error.bufferHasNoSampleSizes) { try buffer.sampleSizes() }
        #expect(buffer.sampleSize(at: 0) == 0)
        #expect(buffer.totalSampleSize == 0)
        #expect(try make(1).imageBuffer == nil)
        #expect(throws: Error.alreadyHasDataBuffer) {
            try buffer.setDataBuffer(makeBlockBuffer([1]))
        }
        let picture = try CVPixelBuffer(width: 4, height: 4, pixelFormat: .bgra32)
        let other = try CMFormatDescription(
            videoCodecType: .pixelFormat_32BGRA, width: 4, height: 5)
        #expect(throws: Error.invalidMediaFormat) {
            try CMSampleBuffer(
                imageBuffer: picture, formatDescription: other, sampleTiming: timing(0))
        }
        #expect(Error.invalidMediaFormat.status == -12743)
    }

    @Test func `S-8 the buffer's times are the earliest, the first and the sum`() throws {
        let buffer = try make(
            3, timings: [timing(5, 0, 1), timing(3, 1, 2), timing(9, 2, 3)], sizes: [1])
        #expect(buffer.presentationTimeStamp == time(3))
        #expect(buffer.decodeTimeStamp == time(0))
        #expect(buffer.duration == time(6))
        let plain = try make(1)
        #expect(!plain.presentationTimeStamp.isValid)
        #expect(!plain.decodeTimeStamp.isValid)
        #expect(!plain.duration.isValid)
        #expect(throws: Error.bufferHasNoSampleTimingInfo) { try plain.sampleTimingInfo(at: 0) }
        #expect(throws: Error.bufferHasNoSampleTimingInfo) { try plain.sampleTimingInfos() }
        #expect(try make(1, timings: [timing(4)]).decodeTimeStamp.isValid == false)
    }

    @Test func `S-9 output times follow trims and speed`() throws {
        let buffer = try make(1, timings: [timing(100, 90, 40)])
        #expect(buffer.outputPresentationTimeStamp == time(100))
        #expect(buffer.outputDuration == time(40))
        #expect(buffer.outputDecodeTimeStamp == time(90))
        buffer.attachments[.trimDurationAtStart] = time(10)
        buffer.attachments[.trimDurationAtEnd] = time(6)
        buffer.attachments[.speedMultiplier] = 2
        #expect(buffer.outputPresentationTimeStamp == time(110))
        #expect(buffer.outputDuration == time(12))
        #expect(buffer.outputDecodeTimeStamp == time(105))
        #expect(try buffer.outputSampleTimingInfos() == [timing(110, 105, 12)])
        buffer.attachments[.reverse] = true
        #expect(buffer.outputPresentationTimeStamp == time(134))
        #expect(buffer.duration == time(40), "as given")
        buffer.attachments[.speedMultiplier] = 0.5
        #expect(buffer.outputDuration == time(48))
    }

    @Test func `S-9 every sample has its output timing`() throws {
        let buffer = try make(
            3, timings: [timing(10, 7, 2), timing(14, 8, 2), timing(12, 9, 2)], sizes: [1])
        buffer.attachments[.trimDurationAtStart] = time(1)
        try buffer.setOutputPresentationTimeStamp(time(50))
        let output = try buffer.outputSampleTimingInfos()
        #expect(output.map(\.presentationTimeStamp) == [time(50), time(53), time(51)])
        #expect(output.map(\.duration) == [time(1), time(2), time(2)])
    }

    @Test func `S-10 an output time that was set stays, but not in a retimed copy`() throws {
        let buffer = try make(1, timings: [timing(100)])
        try buffer.setOutputPresentationTimeStamp(time(7))
        buffer.attachments[.trimDurationAtStart] = time(10)
        #expect(buffer.outputPresentationTimeStamp == time(7))
        let retimed = try CMSampleBuffer(copying: buffer, withNewTiming: [timing(200)])
        #expect(retimed.outputPresentationTimeStamp == time(210))
        #expect(try CMSampleBuffer(copying: buffer).outputPresentationTimeStamp == time(7))
    }

    @Test func `S-11 timing is had by index`() throws {
        let buffer = try make(2, timings: [timing(0)])
        #expect(try buffer.sampleTimingInfo(at: 1) == timing(1))
        for index in [-1, 2] {
            #expect(throws: Error.sampleIndexOutOfRange) { try buffer.sampleTimingInfo(at: index) }
        }
        #expect(Error.sampleIndexOutOfRange.status == -12734)
        #expect(buffer.sampleSize(at: 2) == 0)
    }

    @Test func `S-12 arrays tell what they need`() throws {
        let buffer = try make(
            3, timings: [timing(0), timing(2), timing(1)], sizes: [1, 2, 3])
        #expect(try buffer.copySampleTimingInfos(to: nil) == 3)
        #expect(try buffer.copySampleSizes(to: nil) == 3)
        var few = [0, 0]
        #expect(throws: Error.arrayTooSmall) {
            try few.withUnsafeMutableBufferPointer { try buffer.copySampleSizes(to: $0) }
        }
        var infos = [CMSampleTimingInfo.invalid, .invalid]
        #expect(throws: Error.arrayTooSmall) {
            try infos.withUnsafeMutableBufferPointer { try buffer.copySampleTimingInfos(to: $0) }
        }
        var room = [0, 0, 0, 9]
        #expect(try room.withUnsafeMutableBufferPointer { try buffer.copySampleSizes(to: $0) } == 3)
        #expect(room == [1, 2, 3, 9])
        #expect(try buffer.sampleSizes() == [1, 2, 3])
        #expect(Error.arrayTooSmall.status == -12737)
    }

    @Test func `S-13 readiness cannot be undone`() throws {
        let marker = try CMSampleBuffer(
            dataBuffer: nil, dataReady: false, formatDescription: nil, numSamples: 0,
            sampleTimings: [], sampleSizes: [], optionalHandler: nil)
        #expect(marker.dataReadiness == .ready)
        let buffer = try makePending()
        #expect(buffer.dataReadiness == .notReady)
        try buffer.setDataReadiness(.ready)
        #expect(buffer.dataReadiness == .ready)
        try buffer.setDataReadiness(.ready)
        #expect(throws: Error.bufferNotReady) { try buffer.setDataReadiness(.notReady) }
        #expect(throws: Error.bufferNotReady) { try buffer.setDataReadiness(.failed(1)) }
        #expect(buffer.dataReadiness == .ready)
    }

    @Test func `S-14 the handler makes data ready, or not`() throws {
        let calls = Recorder<Int>()
        let good = try makePending { _ in
            calls.record(1)
            return 0
        }
        try good.makeDataReady()
        try good.makeDataReady()
        #expect(calls.count == 1)
        #expect(good.dataReadiness == .ready)
        let bad = try makePending { _ in -5 }
        #expect(throws: Error.bufferNotReady) { try bad.makeDataReady() }
        #expect(bad.dataReadiness == .notReady)
        let none = try CMSampleBuffer(
            dataBuffer: makeBlockBuffer([1]), dataReady: false, formatDescription: nil,
            numSamples: 1, sampleTimings: [], sampleSizes: [], optionalHandler: nil)
        #expect(throws: Error.bufferNotReady) { try none.makeDataReady() }
        #expect(Error.bufferNotReady.status == -12733)
    }

    @Test func `S-15 readiness follows another buffer`() throws {
        let other = try makePending()
        let buffer = try makePending()
        let told = Recorder<CMSampleBuffer.DataReadiness>()
        try buffer.trackDataReadiness(other)
        buffer.whenDataReadinessChanges { told.record(buffer.dataReadiness) }
        #expect(buffer.dataReadiness == .notReady)
        try other.setDataReadiness(.ready)
        #expect(buffer.dataReadiness == .ready)
        #expect(told.values == [.ready])
        #expect(throws: Error.requiredParameterMissing) { try other.trackDataReadiness(buffer) }
    }

    @Test func `S-16 failure is told with its status`() throws {
        let buffer = try makePending()
        let told = Recorder<CMSampleBuffer.DataReadiness>()
        buffer.whenDataReadinessChanges { told.record(buffer.dataReadiness) }
        try buffer.setDataReadiness(.failed(-42))
        #expect(buffer.dataReadiness == .failed(-42))
        #expect(told.values == [.failed(-42)])
        #expect(throws: MediaError(status: -42, "")) { try buffer.makeDataReady() }
        #expect(Error.dataFailed.status == -16750)
    }

    @Test func `S-17 an invalid buffer gives nothing`() throws {
        let calls = Recorder<Bool>()
        let buffer = try make(1, timings: [timing(3)], sizes: [6])
        try buffer.setInvalidateHandler { calls.record($0.isValid) }
        #expect(buffer.isValid)
        try buffer.invalidate()
        try buffer.invalidate()
        #expect(calls.values == [false], "once")
        #expect(!buffer.isValid)
        #expect(buffer.dataBuffer == nil)
        #expect(buffer.imageBuffer == nil)
        #expect(buffer.formatDescription == nil)
        #expect(buffer.numSamples == 0)
        #expect(buffer.totalSampleSize == 0)
        #expect(buffer.sampleSize(at: 0) == 0)
        for time in [
            buffer.presentationTimeStamp, buffer.decodeTimeStamp, buffer.duration,
            buffer.outputPresentationTimeStamp, buffer.outputDuration,
            buffer.outputDecodeTimeStamp,
        ] { #expect(!time.isValid) }
        let throwing: [() throws -> Void] = [
            { _ = try buffer.sampleTimingInfo(at: 0) }, { _ = try buffer.sampleTimingInfos() },
            { _ = try buffer.outputSampleTimingInfos() }, { _ = try buffer.sampleSizes() },
            { try buffer.makeDataReady() }, { try buffer.setDataReadiness(.ready) },
            { try buffer.setDataBuffer(CMBlockBuffer()) },
            { _ = try CMSampleBuffer(copying: buffer) },
            { _ = try buffer.singleSampleBuffers() }, { try buffer.setInvalidateHandler { _ in } },
            { try buffer.setOutputPresentationTimeStamp(.zero) },
        ]
        for call in throwing { #expect(throws: Error.invalidated) { try call() } }
        #expect(Error.invalidated.status == -12744)
        do {
            let unused = try make(1)
            try unused.setInvalidateHandler { _ in calls.record(true) }
        }
        #expect(calls.count == 1, "not when the buffer just goes")
    }

    @Test func `S-18 a copy shares data and format and has attachments of its own`() throws {
        let format = try CMFormatDescription(videoCodecType: .h264, width: 2, height: 2)
        let original = try CMSampleBuffer(
            dataBuffer: makeBlockBuffer([1, 2]), formatDescription: format, numSamples: 1,
            sampleTimings: [timing(1)], sampleSizes: [2])
        original.attachments["stays"] = .shouldNotPropagate(1)
        original.attachments["goes"] = .shouldPropagate(2)
        original.sampleAttachments[0][.notSync] = true
        let copy = try CMSampleBuffer(copying: original)
        #expect(copy.dataBuffer === original.dataBuffer)
        #expect(copy.formatDescription === format)
        #expect(copy.attachments["stays"] == nil)
        #expect(copy.attachments["goes"]?.value as? Int == 2)
        #expect(copy.sampleAttachments[0][.notSync] == true)
        copy.sampleAttachments[0][.notSync] = nil
        #expect(original.sampleAttachments[0][.notSync] == true)
        #expect(try copy.sampleTimingInfos() == [timing(1)])
    }

    @Test func `S-19 parts refer to their bytes`() throws {
        let buffer = try make(
            3, timings: [timing(4, 0), timing(2, 1), timing(3, 2)], sizes: [1, 2, 3])
        buffer.sampleAttachments[1][.dependsOnOthers] = true
        buffer.attachments["goes"] = .shouldPropagate(2)
        let part = try CMSampleBuffer(copying: buffer, forRange: 1..<3)
        #expect(part.numSamples == 2)
        #expect(try part.dataBuffer?.dataBytes() == [2, 3, 4, 5, 6])
        #expect(try part.sampleTimingInfos() == [timing(2, 1), timing(3, 2)])
        #expect(part.sampleAttachments[0][.dependsOnOthers] == true)
        #expect(part.sampleAttachments[1].count == 0)
        #expect(part.attachments["goes"] != nil)
        let address = try buffer.dataBuffer?.dataPointer(atOffset: 1).pointer
        #expect(try part.dataBuffer?.dataPointer(atOffset: 0).pointer == address)
        let singles = try Array(buffer.singleSampleBuffers())
        #expect(try singles.map { try $0.dataBuffer?.dataBytes() } == [[1], [2, 3], [4, 5, 6]])
        #expect(singles.map(\.presentationTimeStamp) == [time(4), time(2), time(3)])
        let even = try make(3, timings: [timing(10)], sizes: [2])
        #expect(
            try Array(even.singleSampleBuffers()).map(\.presentationTimeStamp)
                == [time(10), time(11), time(12)])
        #expect(throws: Error.cannotSubdivide) { try make(1).singleSampleBuffers() }
        #expect(throws: Error.cannotSubdivide) {
            try CMSampleBuffer(copying: make(2), forRange: 0..<1)
        }
        #expect(throws: Error.sampleIndexOutOfRange) {
            try CMSampleBuffer(copying: buffer, forRange: 2..<4)
        }
        #expect(Error.cannotSubdivide.status == -12739)
    }

    @Test func `S-20 sample attachments are one live store`() throws {
        let buffer = try make(2, sizes: [3])
        #expect(buffer.sampleAttachmentStorage(createIfNecessary: false) == nil)
        buffer.sampleAttachments[0][.notSync] = true
        let storage = try #require(buffer.sampleAttachmentStorage(createIfNecessary: false))
        #expect(storage === buffer.sampleAttachmentStorage(createIfNecessary: true))
        #expect(storage.count == 2)
        #expect(storage[0, "NotSync"] as? Bool == true)
        storage[1, "DoNotDisplay"] = true
        #expect(buffer.sampleAttachments[1][.doNotDisplay] == true)
        #expect(buffer.sampleAttachments[0][.doNotDisplay] == nil)
        let view = buffer.sampleAttachments[0]
        view[.token] = 17
        #expect(storage[0, "tplay.Token"] as? Int64 == 17)
        #expect(view.map(\.name) == ["NotSync", "tplay.Token"])
        buffer.sampleAttachments[0][.notSync] = nil
        #expect(storage.names(at: 0) == ["tplay.Token"])
        #expect(buffer.sampleAttachments.count == 2)
        let other = try make(2, sizes: [3])
        other.sampleAttachments = buffer.sampleAttachments
        #expect(other.sampleAttachments[1][.doNotDisplay] == true)
        other.sampleAttachments[1][.doNotDisplay] = false
        #expect(buffer.sampleAttachments[1][.doNotDisplay] == true, "a copy")
    }

    @Test func `S-20 no samples have no attachments`() throws {
        let marker = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: nil, numSamples: 0, sampleTimings: [],
            sampleSizes: [])
        #expect(marker.sampleAttachmentStorage(createIfNecessary: true) == nil)
        #expect(marker.sampleAttachments.isEmpty)
    }

    @Test func `S-20 a layer above finds the object it made`() throws {
        final class Bridge: Sendable {}
        let buffer = try make(1)
        let storage = try #require(buffer.sampleAttachmentStorage(createIfNecessary: true))
        let first = storage.bridged { Bridge() }
        #expect(storage.bridged { Bridge() } === first)
    }

    @Test func `S-21 sample keys have Apple's names`() throws {
        typealias Key = CMSampleBuffer.PerSampleAttachmentsDictionary.Key<Bool>
        let keys: [(Key, String)] = [
            (.notSync, "NotSync"), (.partialSync, "PartialSync"),
            (.hasRedundantCoding, "HasRedundantCoding"),
            (.isDependedOnByOthers, "IsDependedOnByOthers"),
            (.dependsOnOthers, "DependsOnOthers"),
            (.earlierDisplayTimesAllowed, "EarlierDisplayTimesAllowed"),
            (.displayImmediately, "DisplayImmediately"), (.doNotDisplay, "DoNotDisplay"),
        ]
        let buffer = try make(1)
        for (key, name) in keys {
            #expect(buffer.sampleAttachments[0][key] == nil, "absent is not false")
            buffer.sampleAttachments[0][key] = false
            #expect(buffer.sampleAttachments[0][name] as? Bool == false)
        }
        buffer.sampleAttachments[0][.fieldBoundary] = 3
        #expect(buffer.sampleAttachments[0][.fieldBoundary] == 3)
    }

    @Test func `S-22 buffer and sample attachments are different stores`() throws {
        let buffer = try make(1)
        buffer.attachments[.drainAfterDecoding] = true
        buffer.attachments["NotSync"] = .shouldPropagate(true)
        #expect(buffer.sampleAttachments[0][.notSync] == nil)
        #expect(buffer.sampleAttachments[0]["DrainAfterDecoding"] == nil)
        buffer.sampleAttachments[0]["ResetDecoderBeforeDecoding"] = true
        #expect(buffer.attachments[.resetDecoderBeforeDecoding] == nil)
        #expect(buffer.attachments[.drainAfterDecoding] == true)
        buffer.attachments[.postNotificationWhenConsumed] = ["id": 4]
        let posted = buffer.attachments[.postNotificationWhenConsumed] as? [String: Int]
        #expect(posted == ["id": 4])
    }

    @Test func `S-23 samples are in decode order, whatever their presentation`() throws {
        let timings = [timing(0, 0), timing(3, 1), timing(1, 2), timing(2, 3)]
        let buffer = try make(4, timings: timings, sizes: [1])
        #expect(try buffer.sampleTimingInfos() == timings)
        #expect(try buffer.sampleTimingInfo(at: 1).presentationTimeStamp == time(3))
        #expect(
            try Array(buffer.singleSampleBuffers()).map(\.decodeTimeStamp)
                == [time(0), time(1), time(2), time(3)])
    }
}
