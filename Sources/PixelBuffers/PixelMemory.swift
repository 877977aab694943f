import Glibc

/// Memory for pictures.
enum PixelMemory {
    /// Bytes behind the last plane that vector code may read or write over a row's end.
    static let slack = 64

    /// Memory for a layout; its contents are undefined, `free` returns it.
    static func allocate(_ layout: PixelBufferLayout) throws(CVError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        let alignment = max(
            64, layout.attributes.planeAlignment, layout.attributes.bytesPerRowAlignment)
        guard posix_memalign(&memory, alignment, layout.byteCount + slack) == 0, let memory else {
            throw CVError.allocationFailed.saying("no memory for \(layout.byteCount) bytes")
        }
        return memory
    }
}
