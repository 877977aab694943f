/// What can be set on a decompression session and only kept.
struct SessionProperties: Sendable {
    var realTime: Bool?
    var propagatePerFrameHDRDisplayMetadata: Bool?
    var generatePerFrameHDRDisplayMetadata: Bool?
    var minimumBufferCount = 0
}
