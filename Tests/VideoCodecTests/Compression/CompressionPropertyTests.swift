import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import TestSupport
import Testing
import VideoCodec

/// Table 2.10: what the properties do.
@Suite("Compression session: properties", .timeLimit(.minutes(Checkout.patience(5))))
struct CompressionPropertyTests {
    @Test(arguments: [
        ("H264_Main_3_1", 77, 31), ("H264_High_4_1", 100, 41), ("H264_Extended_3_0", 88, 30),
        ("H264_ConstrainedHigh_5_2", 100, 52), ("H264_Baseline_1_3", 66, 13),
    ])
    func `profile and level are those asked for`(name: String, profile: Int, level: Int) throws {
        let samples = try compress(count: 12) { session in
            #expect(session.setProperty(.profileLevel, to: name) == noErr)
        }
        let sps = try #require(samples[0].sequenceParameterSet)
        #expect(Int(sps.profileIDC) == profile)
        #expect(Int(sps.levelIDC) == level)
        if name.contains("ConstrainedHigh") {
            #expect(sps.constraintFlags & 0x0C == 0x0C)
            #expect(samples.allSatisfy { !$0.decodeTimeStamp.isValid })
        }
        #expect(try decode(samples).count == 12)
    }

    @Test func `unknown profiles are refused`() throws {
        let session = try VTCompressionSession(width: 64, height: 48) { _, _, _ in }
        for name in [
            "H264_High_9_9", "HEVC_Main_AutoLevel", "H264_High", "", "H264_High_AutoLevel_3",
        ] {
            #expect(session.setProperty(.profileLevel, to: name) == -12902)
        }
        #expect(session.setProperty(.profileLevel, to: VTProfileLevel(.high, level: 41)) == noErr)
        #expect(session.profileLevel?.rawValue == "H264_High_4_1")
        #expect(session.profileLevel?.profile == .high && session.profileLevel?.level == 41)
        #expect(session.setProperty(.profileLevel, to: nil) == noErr)
        #expect(session.profileLevel == nil)
    }

    @Test func `keys are told apart: unknown, read only, of the wrong type`() throws {
        let session = try VTCompressionSession(width: 64, height: 48) { _, _, _ in }
        for name in [
            "AllowOpenGOP", "ConstantBitRate", "MultiPassStorage", "HDRMetadataInsertionMode",
        ] {
            let key = VTCompressionPropertyKey(rawValue: name)
            #expect(session.setProperty(key, to: true) == -12900)
            #expect(throws: VTError.propertyNotSupported) { try session.property(key) }
        }
        for (key, info) in session.supportedProperties where info.isReadOnly {
            #expect(session.setProperty(key, to: 1) == -12901)
            #expect(try session.property(key) != nil)
        }
        let wrong: [(VTCompressionPropertyKey, any Sendable)] = [
            (.averageBitRate, "a"), (.averageBitRate, true), (.averageBitRate, -1), (.quality, 1.5),
            (.realTime, 1), (.maxKeyFrameInterval, 1.5), (.fieldCount, 3),
            (.h264EntropyMode, "CABAL"), (.maxFrameDelayCount, -2), (.cleanAperture, 4),
        ]
        for (key, value) in wrong { #expect(session.setProperty(key, to: value) == -12902) }
        let right: [(VTCompressionPropertyKey, any Sendable)] = [
            (.averageBitRate, Int32(5000)), (.averageBitRate, 5000.0), (.quality, 1),
            (.realTime, false), (.maxKeyFrameInterval, UInt8(3)), (.h264EntropyMode, "CAVLC"),
            (.colorPrimaries, "ITU_R_709_2"), (.expectedDuration, CMTime(value: 1, timescale: 1)),
            (.moreFramesBeforeStart, true), (.moreFramesAfterEnd, true), (.sourceFrameCount, 7),
            (.maxFrameDelayCount, -1), (.expectedFrameRate, Float(29.97)),
        ]
        for (key, value) in right { #expect(session.setProperty(key, to: value) == noErr) }
        #expect(session.averageBitRate == 5000 && session.h264EntropyMode == .cavlc)
        #expect(try session.property(.sourceFrameCount) as? Int == 7)
        #expect(session.setProperties([.quality: 0.5, .fieldCount: 9, .realTime: true]) == -12902)
        #expect(session.quality == 0.5 && session.realTime == false)
        #expect(try session.property(.usingHardwareAcceleratedVideoEncoder) as? Bool == false)
    }

    @Test(arguments: [VTH264EntropyMode.cavlc, .cabac])
    func `the entropy mode is the one asked for`(mode: VTH264EntropyMode) throws {
        let samples = try compress(count: 3) { $0.h264EntropyMode = mode }
        let sets = try #require(samples[0].formatDescription?.parameterSets)
        let sps = try SequenceParameterSet(nalUnit: sets[0])
        let pps = try PictureParameterSet(nalUnit: sets[1], sequenceParameterSet: sps)
        #expect(pps.isCABAC == (mode == .cabac))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 8])
    func `so many pictures are in the encoder at most`(limit: Int) throws {
        let reel = Reel()
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: reel.width, height: reel.height, outputHandler: collector.handler)
        session.maxFrameDelayCount = limit
        session.averageBitRate = 300_000
        for number in 0..<50 {
            var flags: VTEncodeInfoFlags = []
            session.encodeFrame(
                try reel.picture(number),
                presentationTimeStamp: CMTime(value: Int64(number), timescale: 25),
                infoFlagsOut: &flags)
            let out = Set(collector.samples.map(\.presentationTimeStamp.value))
            if number >= limit {
                #expect((0...Int64(number - limit)).allSatisfy { out.contains($0) })
            }
            #expect((limit == 0) == (flags == []))
        }
        session.completeFrames()
        #expect(collector.samples.count == 50)
        let reorders = collector.samples.contains { $0.decodeTimeStamp.isValid }
        #expect(reorders == (limit >= 3))
    }

    @Test func `real time and low latency give each picture at once`() throws {
        var specification = VTCompressionSession.Specification()
        specification.enablesLowLatencyRateControl = true
        let samples = try compress(count: 300, specification: specification)
        // One IDR picture, then P pictures only.
        #expect(samples.filter(\.isKeyFrame).count == 1)
        #expect(samples.allSatisfy { !$0.decodeTimeStamp.isValid })

        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        session.realTime = true
        for number in 0..<10 {
            session.encodeFrame(
                try Reel().picture(number),
                presentationTimeStamp: CMTime(value: Int64(number), timescale: 25))
            #expect(collector.samples.count == number + 1)
            #expect(collector.entries[number].flags == [])
        }
    }

    @Test func `slices keep to their size`() throws {
        let samples = try compress(count: 20) { session in
            session.maxH264SliceBytes = 500
            session.quality = 0.9
        }
        for sample in samples {
            let bytes = sample.bytes
            let ranges = try AVCC.nalUnitRanges(in: bytes)
            let slices = ranges.filter { [1, 5].contains(bytes[$0.lowerBound] & 0x1F) }
            #expect(slices.allSatisfy { $0.count <= 500 })
        }
        #expect(samples[0].nalUnitTypes.count > 4)
        #expect(try decode(samples).count == 20)
    }

    @Test func `quality decides where no bit rate does`() throws {
        func size(_ quality: Double) throws -> Int {
            try compress(count: 12) { $0.quality = quality }.reduce(0) { $0 + $1.totalSampleSize }
        }
        let sizes = try [0, 0.25, 0.5, 0.75, 1].map { try size($0) }
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(sizes[4] > sizes[0] * 20)
    }

    @Test func `colours, shape and rate go into the stream and its description`() throws {
        let samples = try compress(count: 3) { session in
            session.colorPrimaries = .itu_R_709_2
            session.transferFunction = .itu_R_709_2
            session.yCbCrMatrix = .itu_R_709_2
            session.pixelAspectRatio = PixelAspectRatio(
                horizontalSpacing: 16, verticalSpacing: 11)
            session.cleanAperture = CleanAperture(width: 160, height: 140)
            session.fieldCount = 1
            session.expectedFrameRate = 29.97
        }
        let description = try #require(samples[0].formatDescription)
        #expect(description.extensions[.colorPrimaries] == .itu_R_709_2)
        #expect(description.extensions[.transferFunction] == .itu_R_709_2)
        #expect(description.extensions[.yCbCrMatrix] == .itu_R_709_2)
        #expect(description.extensions[.pixelAspectRatio]?.horizontalSpacing == 16)
        #expect(description.extensions[.cleanAperture]?.width == 160)
        #expect(description.extensions[.fieldCount] == 1)
        let vui = try #require(samples[0].sequenceParameterSet?.vui)
        #expect(vui.sampleAspectRatio?.width == 16 && vui.sampleAspectRatio?.height == 11)
        #expect(vui.timing?.unitsInTick == 1001 && vui.timing?.timeScale == 60000)
        #expect(vui.bitstreamRestriction?.maximumReorderFrames == 2)
        #expect(samples[0].sequenceParameterSet?.vuiError == nil)
    }

    @Test func `what is not set comes from the first picture`() throws {
        let collector = Compressed()
        let session = try VTCompressionSession(
            width: 176, height: 144, outputHandler: collector.handler)
        session.prepareToEncodeFrames()
        let picture = try Reel().picture(0)
        picture.updateAttachments { attachments in
            attachments[.colorPrimaries] = .itu_R_2020
            attachments[.transferFunction] = .itu_R_2100_HLG
            attachments[.yCbCrMatrix] = .itu_R_2020
            attachments[.pixelAspectRatio] = PixelAspectRatio(
                horizontalSpacing: 4, verticalSpacing: 3)
        }
        session.encodeFrame(
            picture, presentationTimeStamp: .zero, duration: CMTime(value: 1001, timescale: 24000))
        session.completeFrames()
        let description = try #require(collector.samples.first?.formatDescription)
        #expect(description.extensions[.colorPrimaries] == .itu_R_2020)
        #expect(description.extensions[.transferFunction] == .itu_R_2100_HLG)
        #expect(description.extensions[.yCbCrMatrix] == .itu_R_2020)
        #expect(description.extensions[.pixelAspectRatio]?.horizontalSpacing == 4)
        let timing = description.h264SequenceParameterSet?.vui?.timing
        #expect(timing?.unitsInTick == 1001 && timing?.timeScale == 48000)

        // Without a duration or a rate nothing is claimed.
        let bare = try compress(count: 2, hasDurations: false)
        #expect(bare[0].sequenceParameterSet?.vui != nil)
        #expect(bare[0].sequenceParameterSet?.vui?.timing == nil)
    }
}
