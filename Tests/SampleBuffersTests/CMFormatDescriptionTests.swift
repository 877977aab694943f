import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import Testing

@Suite("Format description")
struct CMFormatDescriptionTests {
    typealias Error = CMFormatDescription.Error

    private func describe(_ sps: [UInt8]) throws -> CMFormatDescription {
        try CMFormatDescription(h264ParameterSets: [sps, [0x68, 0xEE, 0x3C, 0x80]])
    }

    @Test func `F-1 types 7, 8 and 13 only, one SPS and one PPS at least`() throws {
        let (sps, pps) = (SPS().bytes, SPS.pps)
        #expect(throws: Never.self) { try CMFormatDescription(h264ParameterSets: [pps, sps]) }
        for sets in [
            [], [sps], [pps], [sps, pps, [0x65, 1]], [sps, pps, []], [sps, pps, [0x06]],
        ] {
            #expect(throws: Error.invalidParameter) {
                try CMFormatDescription(h264ParameterSets: sets)
            }
        }
        #expect(throws: Error.invalidParameter) {
            try CMFormatDescription(h264ParameterSets: [[0x67, 100, 0], pps])
        }
        #expect(Error.invalidParameter.status == -12710)
        #expect(Error.bridgeInvalidParameter.status == -12712)
    }

    @Test func `F-2 lengths have 1, 2 or 4 bytes`() throws {
        for length in [1, 2, 4] {
            let description = try CMFormatDescription(
                h264ParameterSets: [SPS().bytes, SPS.pps], nalUnitHeaderLength: length)
            #expect(description.nalUnitHeaderLength == length)
            let record = try #require(description.avcDecoderConfiguration)
            #expect(Int(record[4] & 3) == length - 1)
        }
        for length in [0, 3, 5, -1] {
            #expect(throws: Error.invalidParameter) {
                try CMFormatDescription(
                    h264ParameterSets: [SPS().bytes, SPS.pps], nalUnitHeaderLength: length)
            }
        }
    }

    @Test func `F-3 progressive and interlaced 1080 lines both have 1080`() throws {
        let progressive = try describe(
            SPS(widthInMacroblocks: 120, heightInMapUnits: 68, crop: (0, 0, 0, 4)).bytes)
        #expect(progressive.mediaType == .video)
        #expect(progressive.mediaSubType == .h264)
        #expect(progressive.mediaSubType.rawValue == 0x6176_6331)
        #expect(progressive.dimensions == CMVideoDimensions(width: 1920, height: 1080))
        let interlaced = try describe(
            SPS(
                widthInMacroblocks: 120, heightInMapUnits: 34, isInterlaced: true,
                crop: (0, 0, 0, 2)
            ).bytes)
        #expect(interlaced.dimensions == CMVideoDimensions(width: 1920, height: 1080))
    }

    @Test func `F-3 crop units follow the chroma format`() throws {
        func size(_ profile: UInt8, _ chroma: UInt, _ isInterlaced: Bool) throws
            -> CMVideoDimensions
        {
            try describe(
                SPS(
                    profile: profile, chromaFormat: chroma, widthInMacroblocks: 4,
                    heightInMapUnits: 4, isInterlaced: isInterlaced, crop: (1, 2, 1, 1)
                ).bytes
            ).dimensions
        }
        #expect(try size(100, 1, false) == CMVideoDimensions(width: 58, height: 60))
        #expect(try size(100, 1, true) == CMVideoDimensions(width: 58, height: 120))
        #expect(try size(122, 2, false) == CMVideoDimensions(width: 58, height: 62))
        #expect(try size(122, 2, true) == CMVideoDimensions(width: 58, height: 124))
        #expect(try size(244, 3, false) == CMVideoDimensions(width: 61, height: 62))
        #expect(try size(100, 0, true) == CMVideoDimensions(width: 61, height: 124))
    }

    @Test func `F-3 aspect and aperture do not change the dimensions`() throws {
        let description = try describe(SPS(vui: .init(aspect: (255, 40, 33))).bytes)
        #expect(description.dimensions == CMVideoDimensions(width: 64, height: 64))
    }

    @Test func `F-4 the record is in the atoms`() throws {
        let description = try describe(SPS().bytes)
        let atoms = try #require(description.extensions[.sampleDescriptionExtensionAtoms])
        #expect(atoms["avcC"] == description.avcDecoderConfiguration)
        #expect(atoms["avcC"]?.prefix(4) == [1, 100, 0, 31])
        #expect(description.extensions.names == ["SampleDescriptionExtensionAtoms"])
    }

    @Test func `F-4 VUI makes extensions`() throws {
        let extensions = try describe(
            SPS(
                vui: .init(
                    aspect: (255, 40, 33), isFullRange: true, colour: (9, 16, 9), chroma: (2, 3))
            ).bytes
        ).extensions
        #expect(
            extensions[.pixelAspectRatio]
                == PixelAspectRatio(horizontalSpacing: 40, verticalSpacing: 33))
        #expect(extensions[.colorPrimaries] == .itu_R_2020)
        #expect(extensions[.transferFunction] == .smpte_ST_2084_PQ)
        #expect(extensions[.yCbCrMatrix] == .itu_R_2020)
        #expect(extensions[.fullRangeVideo] == true)
        #expect(extensions[.chromaLocationTopField] == .topLeft)
        #expect(extensions[.chromaLocationBottomField] == .top)
        #expect(extensions[.fieldCount] == nil)
    }

    @Test func `F-4 what VUI does not say adds no key`() throws {
        let square = try describe(
            SPS(vui: .init(aspect: (1, 0, 0), isFullRange: false, colour: (2, 2, 2))).bytes)
        #expect(square.extensions.names == ["SampleDescriptionExtensionAtoms"])
        let gamma = try describe(SPS(vui: .init(colour: (1, 5, 6))).bytes).extensions
        #expect(gamma[.transferFunction] == .useGamma)
        #expect(gamma[.gammaLevel] == 2.8)
        #expect(gamma[.yCbCrMatrix] == .itu_R_601_4)
        #expect(gamma[.fullRangeVideo] == nil)
        let table = try describe(SPS(vui: .init(aspect: (2, 0, 0))).bytes).extensions
        #expect(table[.pixelAspectRatio]?.ratio == 12.0 / 11)
    }

    @Test func `F-4 fields are told`() throws {
        let extensions = try describe(SPS(heightInMapUnits: 2, isInterlaced: true).bytes).extensions
        #expect(extensions[.fieldCount] == 2)
        #expect(extensions[.fieldDetail] != nil)
    }

    @Test func `F-5 parameter sets come back in order, with emulation bytes`() throws {
        // An aspect of 0:3 and a chroma location of 0 leave zeros that need emulation prevention.
        let sps = SPS(vui: .init(aspect: (255, 256, 1))).bytes
        let extensionSet: [UInt8] = [0x6D, 0xC0]
        let second: [UInt8] = [0x68, 0x5A, 0x00, 0x00, 0x03, 0x01]
        let description = try CMFormatDescription(
            h264ParameterSets: [extensionSet, SPS.pps, second, sps])
        #expect(sps.contains { $0 == 3 })
        #expect(description.parameterSets == [sps, SPS.pps, second, extensionSet])
        #expect(description.h264SequenceParameterSet?.bytes == sps)
        let other = try CMFormatDescription(videoCodecType: .hevc, width: 2, height: 2)
        #expect(other.parameterSets.isEmpty)
        #expect(other.nalUnitHeaderLength == nil)
        #expect(other.h264SequenceParameterSet == nil)
    }

    @Test func `F-6 a container's atom is enough`() throws {
        let original = try CMFormatDescription(
            h264ParameterSets: [SPS().bytes, SPS.pps], nalUnitHeaderLength: 2)
        var extensions = CMFormatDescription.Extensions()
        extensions[.sampleDescriptionExtensionAtoms] = [
            "avcC": try #require(original.avcDecoderConfiguration)
        ]
        let description = try CMFormatDescription(
            videoCodecType: .h264, width: 64, height: 64, extensions: extensions)
        #expect(description.parameterSets == original.parameterSets)
        #expect(description.nalUnitHeaderLength == 2)
        #expect(description.h264SequenceParameterSet?.croppedSize.width == 64)
        #expect(description == original)
        extensions[.sampleDescriptionExtensionAtoms] = ["avcC": [1, 2, 3]]
        #expect(throws: Error.invalidParameter) {
            try CMFormatDescription(
                videoCodecType: .h264, width: 64, height: 64, extensions: extensions)
        }
    }

    @Test func `F-7 equality is by value`() throws {
        let first = try describe(SPS().bytes)
        #expect(try first == describe(SPS().bytes))
        #expect(try first != describe(SPS(widthInMacroblocks: 5).bytes))
        #expect(try first != describe(SPS(vui: .init(colour: (1, 1, 1))).bytes))
        #expect(
            try first
                != CMFormatDescription(
                    h264ParameterSets: [SPS().bytes, SPS.pps], nalUnitHeaderLength: 2))
        var extensions = CMFormatDescription.Extensions()
        extensions[.pixelAspectRatio] = .init(horizontalSpacing: 4, verticalSpacing: 3)
        extensions["x"] = 1
        let plain = try CMFormatDescription(videoCodecType: .jpeg, width: 8, height: 8)
        let extended = try CMFormatDescription(
            videoCodecType: .jpeg, width: 8, height: 8, extensions: extensions)
        #expect(plain != extended)
        #expect(plain.equalTo(extended, extensionKeysToIgnore: ["x", "CVPixelAspectRatio"]))
        extensions["x"] = 1.0
        #expect(
            try extended
                != CMFormatDescription(
                    videoCodecType: .jpeg, width: 8, height: 8, extensions: extensions))
        let atoms = try describe(SPS().bytes)
        let others = try CMFormatDescription(h264ParameterSets: [SPS().bytes, SPS.pps, SPS.pps])
        #expect(atoms != others)
        #expect(atoms.equalTo(others, sampleDescriptionExtensionAtomKeysToIgnore: ["avcC"]))
    }

    @Test func `F-8 presentation uses aperture, then aspect`() throws {
        var extensions = CMFormatDescription.Extensions()
        let plain = try CMFormatDescription(videoCodecType: .h264, width: 720, height: 576)
        #expect(plain.presentationDimensions() == ImageSize(width: 720, height: 576))
        #expect(
            plain.cleanAperture(originIsAtTopLeft: true)
                == ImageRect(x: 0, y: 0, width: 720, height: 576))
        extensions[.pixelAspectRatio] = .init(horizontalSpacing: 16, verticalSpacing: 11)
        extensions[.cleanAperture] = CleanAperture(
            width: 704, height: 570, horizontalOffset: 2, verticalOffset: 1)
        let description = try CMFormatDescription(
            videoCodecType: .h264, width: 720, height: 576, extensions: extensions)
        #expect(description.presentationDimensions() == ImageSize(width: 1024, height: 570))
        #expect(
            description.presentationDimensions(usePixelAspectRatio: false)
                == ImageSize(width: 704, height: 570))
        #expect(
            description.presentationDimensions(useCleanAperture: false)
                == ImageSize(width: 720.0 * 16 / 11, height: 576))
        #expect(
            description.cleanAperture(originIsAtTopLeft: true)
                == ImageRect(x: 10, y: 4, width: 704, height: 570))
        #expect(
            description.cleanAperture(originIsAtTopLeft: false)
                == ImageRect(x: 10, y: 2, width: 704, height: 570))
    }

    @Test func `F-9 an image buffer describes itself`() throws {
        let buffer = try CVPixelBuffer(
            width: 30, height: 20, pixelFormat: .yCbCr420BiPlanarVideoRange)
        buffer.attachments[.yCbCrMatrix] = .itu_R_709_2
        buffer.attachments.set(2, for: .fieldCount, mode: .shouldNotPropagate)
        buffer.attachments["private"] = .shouldPropagate(1)
        let description = try CMFormatDescription(imageBuffer: buffer)
        #expect(description.mediaType == .video)
        #expect(description.mediaSubType.rawValue == 0x3432_3076)
        #expect(description.dimensions == CMVideoDimensions(width: 30, height: 20))
        #expect(description.extensions[.yCbCrMatrix] == .itu_R_709_2)
        #expect(description.extensions[.fieldCount] == 2)
        #expect(description.extensions["private"] == nil)
        #expect(description.extensions[.bytesPerRow] == buffer.bytesPerRow)
    }

    @Test func `F-10 a description matches pictures with the same common keys`() throws {
        func makeBuffer(_ matrix: YCbCrMatrix?, width: Int = 30) throws -> CVPixelBuffer {
            let buffer = try CVPixelBuffer(
                width: width, height: 20, pixelFormat: .yCbCr420BiPlanarVideoRange)
            buffer.attachments[.yCbCrMatrix] = matrix
            buffer.attachments["private"] = .shouldPropagate(1)
            return buffer
        }
        let with = try CMFormatDescription(imageBuffer: makeBuffer(.itu_R_709_2))
        let without = try CMFormatDescription(imageBuffer: makeBuffer(nil))
        #expect(try with.matchesImageBuffer(makeBuffer(.itu_R_709_2)))
        #expect(try !with.matchesImageBuffer(makeBuffer(.itu_R_601_4)))
        #expect(try !with.matchesImageBuffer(makeBuffer(nil)))
        #expect(try !without.matchesImageBuffer(makeBuffer(.itu_R_709_2)))
        #expect(try without.matchesImageBuffer(makeBuffer(nil)))
        #expect(try !without.matchesImageBuffer(makeBuffer(nil, width: 32)))
        let other = try CVPixelBuffer(width: 30, height: 20, pixelFormat: .bgra32)
        #expect(!without.matchesImageBuffer(other))
        #expect(CMFormatDescription.extensionKeysCommonWithImageBuffers.count == 13)
    }

    @Test func `a decoder's attachments match the description they come from`() throws {
        let description = try describe(
            SPS(vui: .init(aspect: (2, 0, 0), isFullRange: true, colour: (1, 1, 1))).bytes)
        let attachments = description.imageBufferAttachments
        #expect(attachments[.yCbCrMatrix] == .itu_R_709_2)
        #expect(attachments[.pixelAspectRatio]?.horizontalSpacing == 12)
        #expect(attachments[.fullRange] == true)
        #expect(attachments.nonPropagated.isEmpty)
    }
}
