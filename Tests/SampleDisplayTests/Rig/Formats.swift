import MediaTime
import SampleBuffers
import StreamSynthesis

extension Sample {
    /// A format with real parameter sets, which say how many pictures are reordered.
    static func format(reorderDepth: Int, width: Int = 16) throws -> CMFormatDescription {
        var sequence = SequenceParameters(PictureFormat(width: width, height: 16))
        var usability = VideoUsability()
        usability.restriction = .init(reorderFrames: reorderDepth, bufferedFrames: 16)
        sequence.usability = usability
        sequence.maxReferenceFrames = 4
        return try CMFormatDescription(
            h264ParameterSets: StreamWriter(sequence).nalUnits.map(\.bytes))
    }

    /// The samples of a written stream, in decode order, shown at 25 a second; tokens are ranks of presentation.
    static func samples(of writer: StreamWriter) throws -> [CMSampleBuffer] {
        let order = writer.pictures.indices.sorted {
            let (first, second) = (writer.pictures[$0], writer.pictures[$1])
            return (first.sequence, first.pictureOrderCount)
                < (second.sequence, second.pictureOrderCount)
        }
        var parameterSets: [[UInt8]] = []
        var format: CMFormatDescription?
        return try writer.pictures.indices.map { index in
            let units = writer.nalUnits.filter { $0.picture == index }
            let sets = units.filter { $0.type == 7 || $0.type == 8 }.map(\.bytes)
            if !sets.isEmpty, sets != parameterSets {
                // A lone PPS replaces the old one beside the SPS there is.
                let sps = sets.filter { $0[0] & 31 == 7 }
                parameterSets = sps.isEmpty ? parameterSets.prefix(1) + sets : sets
                format = try CMFormatDescription(h264ParameterSets: parameterSets)
            }
            let payload = units.filter { (1...5).contains($0.type) }.flatMap { unit in
                withUnsafeBytes(of: UInt32(unit.bytes.count).bigEndian) { Array($0) } + unit.bytes
            }
            let data = try CMBlockBuffer(byteCount: payload.count) { $0.copyBytes(from: payload) }
            let rank = order.firstIndex(of: index) ?? 0
            let timing = CMSampleTimingInfo(
                duration: at(1), presentationTimeStamp: at(rank), decodeTimeStamp: .invalid)
            let sample = try CMSampleBuffer(
                dataBuffer: data, formatDescription: format, numSamples: 1,
                sampleTimings: [timing], sampleSizes: [payload.count])
            sample.sampleAttachments[0][.token] = Int64(rank)
            if !writer.pictures[index].isIDR { sample.sampleAttachments[0][.notSync] = true }
            return sample
        }
    }
}
