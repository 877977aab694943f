import H264
import MediaTime
import SampleBuffers

/// A stream as samples in decode order, shown at 25 a second; the token is the rank of presentation.
struct RealStream {
    private(set) var samples: [CMSampleBuffer] = []
    /// Decode ranks at which decoding can begin.
    private(set) var randomAccess: [Int] = []
    /// Ranks of presentation, by decode rank.
    private(set) var ranks: [Int] = []

    init(_ bytes: [UInt8]) throws {
        let units = Self.accessUnits(bytes)
        ranks = Self.ranks(units)
        var formats: [CMFormatDescription] = []
        for (index, unit) in units.enumerated() {
            let new = try CMFormatDescription(h264ParameterSets: [unit.spsBytes] + unit.ppsBytes)
            let format = formats.last { $0 == new } ?? new
            formats.append(format)
            let (payload, boundary) = Self.payload(unit, bytes)
            let data = try CMBlockBuffer(byteCount: payload.count) { $0.copyBytes(from: payload) }
            let timing = CMSampleTimingInfo(
                duration: at(1), presentationTimeStamp: at(ranks[index]), decodeTimeStamp: .invalid)
            let sample = try CMSampleBuffer(
                dataBuffer: data, formatDescription: format, numSamples: 1,
                sampleTimings: [timing], sampleSizes: [payload.count])
            let attachments = sample.sampleAttachments[0]
            attachments[.token] = Int64(ranks[index])
            attachments[.fieldBoundary] = boundary
            if !unit.isIDR { attachments[.notSync] = true }
            if unit.isIDR { randomAccess.append(index) }
            samples.append(sample)
        }
    }

    /// The samples with which a seek to a picture begins, those before it in presentation marked DoNotDisplay.
    func seek(to rank: Int) throws -> [CMSampleBuffer] {
        let target = ranks.firstIndex(of: rank) ?? 0
        let start = randomAccess.last { $0 <= target } ?? 0
        return try samples[start...].enumerated().map { offset, sample in
            let copy = try CMSampleBuffer(copying: sample)
            if ranks[start + offset] < rank { copy.sampleAttachments[0][.doNotDisplay] = true }
            return copy
        }
    }

    private static func accessUnits(_ bytes: [UInt8]) -> [AccessUnit] {
        var scanner = ByteStreamScanner()
        var parser = AccessUnitParser()
        var units: [AccessUnit] = []
        bytes.withUnsafeBytes { window in
            while let nal = scanner.next(in: window, windowOffset: 0, isEnd: true) {
                let unit = UnsafeRawBufferPointer(
                    rebasing: window[Int(nal.offset)..<Int(nal.offset) + nal.byteCount])
                if let complete = parser.append(nal, bytes: unit) { units.append(complete) }
            }
            if let last = parser.finish(endOffset: Int64(bytes.count)) { units.append(last) }
        }
        return units
    }

    private static func ranks(_ units: [AccessUnit]) -> [Int] {
        var ranks = [Int](repeating: 0, count: units.count)
        var start = 0
        while start < units.count {
            let end =
                units[(start + 1)...].firstIndex { $0.beginsPictureOrder } ?? units.count
            let order = (start..<end).sorted {
                (units[$0].pictureOrderCount.value, $0) < (units[$1].pictureOrderCount.value, $1)
            }
            for (rank, index) in order.enumerated() { ranks[index] = start + rank }
            start = end
        }
        return ranks
    }

    private static func payload(_ unit: AccessUnit, _ bytes: [UInt8]) -> ([UInt8], Int?) {
        var payload: [UInt8] = []
        var boundary: Int?
        for (index, nal) in unit.nalUnits.enumerated() {
            let isInBand = unit.inBandParameterSetIndices.contains(index)
            guard nal.header.type.isVCL || nal.header.type == .sei || isInBand else { continue }
            if boundary == nil, let second = unit.second, index >= second.nalIndices.lowerBound {
                boundary = payload.count
            }
            withUnsafeBytes(of: UInt32(nal.byteCount).bigEndian) { payload += $0 }
            payload += bytes[Int(nal.offset)..<Int(nal.offset) + nal.byteCount]
        }
        return (payload, boundary)
    }
}
