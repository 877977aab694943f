import H264
import MediaTime
import PixelBuffers

/// The H.264 parameter sets of a description, and the record they make.
struct H264Configuration: Sendable {
    /// SPS first, then PPS, then SPS extensions, with emulation prevention bytes.
    let parameterSets: [[UInt8]]
    let nalUnitHeaderLength: Int
    /// The first one, parsed.
    let sequenceParameterSet: SequenceParameterSet
    /// The serialized `AVCDecoderConfigurationRecord`.
    let record: [UInt8]

    init(parameterSets: [[UInt8]], nalUnitHeaderLength: Int) throws(MediaError) {
        guard [1, 2, 4].contains(nalUnitHeaderLength) else {
            throw CMFormatDescription.Error.invalidParameter.saying(
                "a NAL unit header length of \(nalUnitHeaderLength)")
        }
        var sets: [NALUnitType: [[UInt8]]] = [:]
        for set in parameterSets {
            guard let byte = set.first else {
                throw CMFormatDescription.Error.invalidParameter.saying("an empty parameter set")
            }
            let type = NALUnitHeader(byte: byte).type
            guard [.sps, .pps, .spsExtension].contains(type) else {
                throw CMFormatDescription.Error.invalidParameter.saying(
                    "a NAL unit of type \(type.rawValue) among the parameter sets")
            }
            sets[type, default: []].append(set)
        }
        guard let sps = sets[.sps], let pps = sets[.pps] else {
            throw CMFormatDescription.Error.invalidParameter.saying("no SPS, or no PPS")
        }
        self.nalUnitHeaderLength = nalUnitHeaderLength
        let extensions = sets[.spsExtension] ?? []
        self.parameterSets = sps + pps + extensions
        do throws(BitstreamError) {
            sequenceParameterSet = try SequenceParameterSet(nalUnit: sps[0])
            record = try AVCDecoderConfigurationRecord(
                sps: sps, pps: pps, spsExtensions: extensions,
                nalUnitHeaderLength: nalUnitHeaderLength
            ).serialized
        } catch {
            throw CMFormatDescription.Error.invalidParameter.saying("SPS: \(error)")
        }
    }

    /// From the atom `avcC`; nil when the description is not of H.264 or has no such atom.
    init?(
        subType: CMFormatDescription.MediaSubType, extensions: CMFormatDescription.Extensions
    ) throws(MediaError) {
        guard subType == .h264, let bytes = extensions[.sampleDescriptionExtensionAtoms]?["avcC"]
        else { return nil }
        do throws(BitstreamError) {
            let parsed = try AVCDecoderConfigurationRecord(bytes: bytes)
            guard let sps = parsed.sequenceParameterSets.first,
                !parsed.pictureParameterSets.isEmpty
            else {
                throw BitstreamError.truncated(bit: bytes.count * 8, needed: 8)
            }
            parameterSets =
                parsed.sequenceParameterSets + parsed.pictureParameterSets
                + parsed.sequenceParameterSetExtensions
            nalUnitHeaderLength = parsed.nalUnitHeaderLength
            sequenceParameterSet = try SequenceParameterSet(nalUnit: sps)
            record = bytes
        } catch {
            throw CMFormatDescription.Error.invalidParameter.saying("avcC: \(error)")
        }
    }
}

extension CMFormatDescription.Extensions {
    /// What an SPS says about the picture, and the record.
    init(h264 configuration: H264Configuration) {
        self.init()
        self[.sampleDescriptionExtensionAtoms] = ["avcC": configuration.record]
        let sps = configuration.sequenceParameterSet
        if !sps.isFrameMacroblocksOnly {
            self[.fieldCount] = 2
            self[.fieldDetail] = .spatialFirstLineEarly
        }
        guard let vui = sps.vui else { return }
        if let aspect = vui.sampleAspectRatio, aspect.width != aspect.height {
            self[.pixelAspectRatio] = PixelAspectRatio(
                horizontalSpacing: aspect.width, verticalSpacing: aspect.height)
        }
        if let code = vui.colourPrimaries {
            self[.colorPrimaries] = ColorPrimaries(codePoint: Int(code))
        }
        if let code = vui.transferCharacteristics {
            self[.transferFunction] = TransferFunction(codePoint: Int(code))
            self[.gammaLevel] = TransferFunction.gammaLevel(codePoint: Int(code))
        }
        if let code = vui.matrixCoefficients {
            self[.yCbCrMatrix] = YCbCrMatrix(codePoint: Int(code))
        }
        if vui.isFullRange == true { self[.fullRangeVideo] = true }
        if let code = vui.chromaSampleLocationTopField {
            self[.chromaLocationTopField] = ChromaLocation(codePoint: Int(code))
        }
        if let code = vui.chromaSampleLocationBottomField {
            self[.chromaLocationBottomField] = ChromaLocation(codePoint: Int(code))
        }
    }
}
