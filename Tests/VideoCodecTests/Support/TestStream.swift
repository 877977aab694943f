import Glibc
import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import VideoCodec

/// A stream taken apart into samples, all in memory.
struct TestStream {
    /// One access unit and what is known of it.
    struct Unit {
        var accessUnit: AccessUnit
        /// Its payload in AVCC form.
        var payload: [UInt8]
        var fieldBoundary: Int?
        var format: CMFormatDescription
        /// Rank in presentation order.
        var rank: Int
    }

    var units: [Unit] = []
    /// Pictures by which decode times precede presentation times.
    var delay = 0
    static let frameDuration = CMTime(value: 1, timescale: 25)

    init(bytes: [UInt8]) {
        var scanner = ByteStreamScanner()
        var parser = AccessUnitParser()
        var accessUnits: [AccessUnit] = []
        bytes.withUnsafeBytes { window in
            while let nal = scanner.next(in: window, windowOffset: 0, isEnd: true) {
                let unit = UnsafeRawBufferPointer(
                    rebasing: window[Int(nal.offset)..<Int(nal.offset) + nal.byteCount])
                if let complete = parser.append(nal, bytes: unit) { accessUnits.append(complete) }
            }
            if let last = parser.finish(endOffset: Int64(bytes.count)) { accessUnits.append(last) }
        }
        let ranks = Self.ranks(accessUnits)
        var formats: [CMFormatDescription] = []
        for (index, unit) in accessUnits.enumerated() {
            guard
                let format = try? CMFormatDescription(
                    h264ParameterSets: [unit.spsBytes] + unit.ppsBytes)
            else { continue }
            let shared = formats.last { $0 == format } ?? format
            formats.append(shared)
            let (payload, boundary) = Self.payload(unit, bytes)
            units.append(
                Unit(
                    accessUnit: unit, payload: payload, fieldBoundary: boundary, format: shared,
                    rank: ranks[index]))
            delay = max(delay, index - ranks[index])
        }
    }

    /// Presentation ranks: by picture order count within what an IDR picture or operation 5 begins.
    private static func ranks(_ units: [AccessUnit]) -> [Int] {
        var ranks = [Int](repeating: 0, count: units.count)
        var start = 0
        while start < units.count {
            var end = start + 1
            while end < units.count, !units[end].beginsPictureOrder { end += 1 }
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
            switch nal.header.type {
            case .sps, .pps, .spsExtension:
                guard unit.inBandParameterSetIndices.contains(index) else { continue }
            case .sliceNonIDR, .sliceIDR, .sliceDataPartitionA, .sliceDataPartitionB,
                .sliceDataPartitionC, .sei:
                break
            default: continue
            }
            if let second = unit.second, index >= second.nalIndices.lowerBound, boundary == nil {
                boundary = payload.count
            }
            let length = UInt32(nal.byteCount)
            for shift in [24, 16, 8, 0] as [UInt32] {
                payload.append(UInt8(truncatingIfNeeded: length >> shift))
            }
            payload += bytes[Int(nal.offset)..<Int(nal.offset) + nal.byteCount]
        }
        return (payload, boundary)
    }

    /// The sample of a unit.
    ///
    /// - Parameters:
    ///   - index: Decode rank.
    ///   - hasDecodeTimes: Whether it has a decode time stamp.
    ///   - isBoundaryTold: Whether it says where the second field begins.
    /// - Returns: A new sample buffer.
    /// - Throws: What making it throws.
    func sample(
        _ index: Int, hasDecodeTimes: Bool = true, isBoundaryTold: Bool = true
    ) throws -> CMSampleBuffer {
        let unit = units[index]
        let sample = try Self.sample(
            payload: unit.payload, format: unit.format,
            timing: timing(index, hasDecodeTimes: hasDecodeTimes))
        sample.sampleAttachments[0][.token] = Int64(index)
        if let boundary = unit.fieldBoundary, isBoundaryTold {
            sample.sampleAttachments[0][.fieldBoundary] = boundary
        }
        return sample
    }

    func timing(_ index: Int, hasDecodeTimes: Bool = true) -> CMSampleTimingInfo {
        CMSampleTimingInfo(
            duration: Self.frameDuration,
            presentationTimeStamp: CMTime(value: Int64(units[index].rank), timescale: 25),
            decodeTimeStamp: hasDecodeTimes
                ? CMTime(value: Int64(index - delay), timescale: 25) : .invalid)
    }

    static func sample(
        payload: [UInt8], format: CMFormatDescription?,
        timing: CMSampleTimingInfo = CMSampleTimingInfo(
            duration: frameDuration, presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
    ) throws -> CMSampleBuffer {
        try CMSampleBuffer(
            dataBuffer: blockBuffer(payload), formatDescription: format, numSamples: 1,
            sampleTimings: [timing], sampleSizes: [payload.count])
    }

    static func blockBuffer(_ bytes: [UInt8]) throws -> CMBlockBuffer {
        let buffer = try CMBlockBuffer(length: max(bytes.count, 1), flags: .assureMemoryNow)
        try bytes.withUnsafeBytes { if !$0.isEmpty { try buffer.replaceDataBytes(with: $0) } }
        return buffer
    }
}

extension TestStream {
    /// One of the shared streams; nil where it is not there.
    init?(named name: String) {
        guard let bytes = readBytes(sharedStreams + "/" + name) else { return nil }
        self.init(bytes: bytes)
    }
}

/// Beside the checkout: `../shared/streams`.
let sharedStreams: String = {
    var path = #filePath
    for _ in 0..<4 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    return path + "/../shared/streams"
}()

/// A whole file, nil where it cannot be read.
func readBytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = fread(buffer.baseAddress, 1, count, file)
    }
}
