internal import H264
internal import SampleBuffers

/// One compressed picture as it came from the encoder.
struct EncodedPicture: ~Copyable {
    /// NAL units behind lengths of four bytes.
    let data: CMBlockBuffer
    let byteCount: Int
    /// The time stamp that it was sent with.
    let time: Int64
    let isIDR: Bool
    /// Whether other pictures may be predicted from it.
    let isReference: Bool

    /// Takes a copy; nil for bytes that are no NAL units behind lengths, or hold no picture.
    init?(_ bytes: UnsafeRawBufferPointer, time: Int64) {
        var offset = 0
        var slice: NALUnitHeader?
        while offset < bytes.count {
            guard bytes.count - offset > 4 else { return nil }
            let length = Int(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset += 4
            guard length > 0, length <= bytes.count - offset else { return nil }
            let header = NALUnitHeader(byte: bytes[offset])
            // A header in the data would hide the session's own; libx264 writes none there.
            guard header.type != .sps, header.type != .pps else { return nil }
            if slice == nil, header.type.isVCL { slice = header }
            offset += length
        }
        guard let slice,
            let data = try? CMBlockBuffer(
                byteCount: bytes.count, filledBy: { $0.copyMemory(from: bytes) })
        else { return nil }
        self.data = data
        byteCount = bytes.count
        self.time = time
        isIDR = slice.type == .sliceIDR
        isReference = slice.referenceIDC != 0
    }
}
