internal import CFFmpeg
internal import Glibc

/// One `AVPacket`, used again for every packet that is sent.
struct CompressedPacket: ~Copyable {
    private let packet: UnsafeMutablePointer<AVPacket>

    init() throws(LibavError) {
        guard let packet = av_packet_alloc() else { throw .outOfMemory("av_packet_alloc") }
        self.packet = packet
    }

    deinit {
        var doomed: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&doomed)
    }

    /// The packet, for one call.
    var pointer: UnsafeMutablePointer<AVPacket> { packet }

    /// Refers to memory of somebody else.
    ///
    /// - Parameters:
    ///   - bytes: The packet's bytes; `AV_INPUT_BUFFER_PADDING_SIZE` more must be readable.
    ///   - owner: Kept alive until libavcodec is done with the bytes.
    /// - Throws: When memory is short.
    func borrow(_ bytes: UnsafeRawBufferPointer, owner: AnyObject) throws(LibavError) {
        clear()
        let retained = Unmanaged.passRetained(owner)
        // libavcodec only reads: the buffer is marked so.
        let start = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        let buffer = av_buffer_create(
            start, bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE), releasePacketOwner,
            retained.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY))
        guard let buffer else {
            retained.release()
            throw .outOfMemory("av_buffer_create")
        }
        packet.pointee.buf = buffer
        packet.pointee.data = start
        packet.pointee.size = Int32(bytes.count)
    }

    /// Makes room for a copy and lets it be filled.
    func fill(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Bool) throws(LibavError) {
        clear()
        try libav("av_new_packet") { av_new_packet(packet, Int32(byteCount)) }
        let filled = body(
            UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: byteCount))
        guard filled else { throw LibavError(code: CFF_AVERROR_INVALIDDATA, function: "copying") }
    }

    /// Parameter sets that hold from this packet on.
    func attachParameterSets(_ record: [UInt8]) throws(LibavError) {
        let data = av_packet_new_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, record.count)
        guard let data else { throw .outOfMemory("av_packet_new_side_data") }
        record.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { memcpy(data, start, bytes.count) }
        }
    }

    /// Forgets the bytes.
    func clear() { av_packet_unref(packet) }
}

/// `av_buffer_create`'s free function.
private func releasePacketOwner(
    _ opaque: UnsafeMutableRawPointer?, _ data: UnsafeMutablePointer<UInt8>?
) {
    if let opaque { Unmanaged<AnyObject>.fromOpaque(opaque).release() }
}
