/// Memory of three planes of bytes of one size, allocated anew only when a larger size is needed.
final class PlaneMemory {
    private(set) var size = PixelSize(width: 0, height: 0)
    /// Rows behind the last one that may be written, for cells that the picture covers in part.
    static let spareRows = 4

    /// Bytes from row to row; rows have at least 64 bytes behind them that anyone may overwrite, as libswscale does.
    private(set) var stride = 0
    private var memory: UnsafeMutableRawBufferPointer
    private var planeByteCount = 0

    init() {
        memory = .allocate(byteCount: 64, alignment: 64)
    }

    deinit { memory.deallocate() }

    func resize(to newSize: PixelSize) {
        guard newSize != size else { return }
        size = newSize
        stride = (newSize.width + 127) & ~63
        planeByteCount = stride * (newSize.height + Self.spareRows) + 64
        guard memory.count < planeByteCount * 3 else { return }
        memory.deallocate()
        memory = .allocate(byteCount: planeByteCount * 3, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        (memory.baseAddress! + index * planeByteCount).assumingMemoryBound(to: UInt8.self)
    }

    var planes: InlineArray<3, UnsafeMutablePointer<UInt8>> { [plane(0), plane(1), plane(2)] }
}
