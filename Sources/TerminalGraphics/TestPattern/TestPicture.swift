internal import PixelBuffers

/// A picture whose faults one sees: a circle with diagonals, on ramps of grey, red, green and blue.
enum TestPicture {
    static let size = PixelSize(width: 384, height: 288)
    private static let radius = size.height / 2 - 8
    private static let ring = 12

    /// Makes it, 4:3, in BGRA.
    ///
    /// - Throws: ``RenderError/scalerFailed(code:)`` where there is no memory.
    static func make() throws(RenderError) -> CVPixelBuffer {
        guard
            let buffer = try? CVPixelBuffer(
                width: size.width, height: size.height, pixelFormat: .bgra32)
        else { throw .scalerFailed(code: CVError.allocationFailed.code) }
        buffer.lockBaseAddress()
        defer { buffer.unlockBaseAddress() }
        for y in 0..<size.height {
            for x in 0..<size.width {
                buffer.baseAddress?.storeBytes(
                    of: color(x, y) | 0xFF00_0000,
                    toByteOffset: y * buffer.bytesPerRow + x * 4, as: UInt32.self)
            }
        }
        return buffer
    }

    /// `0xRRGGBB` at a place.
    private static func color(_ x: Int, _ y: Int) -> UInt32 {
        let (across, down) = (x - size.width / 2, y - size.height / 2)
        let distance = across * across + down * down
        if distance < (radius - ring) * (radius - ring) {
            // At 45 degrees where the cells' shape is right.
            return abs(across - down) < 5 || abs(across + down) < 5 ? 0xFFC000 : 0x203040
        }
        if distance <= radius * radius { return 0xFFFFFF }
        let value = UInt32(x * 255 / (size.width - 1))
        switch y * 4 / size.height {
        case 0: return value << 16 | value << 8 | value
        case 1: return value << 16
        case 2: return value << 8
        default: return value
        }
    }
}
