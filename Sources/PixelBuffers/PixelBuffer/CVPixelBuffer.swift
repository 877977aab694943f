import CFFmpeg
import Glibc
import Synchronization

/// Core Video's base type; here the same as the pixel buffer.
public typealias CVBuffer = CVPixelBuffer
/// Core Video's image buffer; here the same as the pixel buffer.
public typealias CVImageBuffer = CVPixelBuffer

/// How a pixel buffer's memory is locked.
public struct CVPixelBufferLockFlags: OptionSet, Hashable, Sendable {
    /// Core Video's option bits.
    public let rawValue: UInt64
    /// Takes any bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The memory will only be read.
    public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// A picture in memory: its own, borrowed, or that of a decoder's frame.
///
/// Usable from any thread. Two threads that write the same pixels must agree between themselves.
public final class CVPixelBuffer: @unchecked Sendable {
    // SAFETY: everything is immutable but `state`, which its mutex guards, and the pixels, which belong to who locks.

    /// Who owns the memory.
    enum Backing {
        case owned(UnsafeMutableRawPointer)
        case pooled(PixelMemoryPool, UnsafeMutableRawPointer)
        case borrowed(release: (@Sendable () -> Void)?)
        case frame(UnsafeMutablePointer<AVFrame>)
    }

    struct Plane {
        var address: UnsafeMutableRawPointer?
        var bytesPerRow = 0
        var width = 0
        var height = 0
    }

    struct State {
        var readOnlyLockCount = 0
        var writeLockCount = 0
        var attachments = CVBufferAttachments()
        var isLocked: Bool { readOnlyLockCount > 0 || writeLockCount > 0 }
    }

    /// Columns of the picture.
    public let width: Int
    /// Rows of the picture.
    public let height: Int
    /// How samples lie in memory.
    public let pixelFormat: CVPixelFormatType
    /// Bytes of all planes, padding included.
    public let dataSize: Int
    /// What is known of the format.
    package let formatDescription: PixelFormatDescription
    let attributes: CVPixelBufferAttributes
    let planes: InlineArray<4, Plane>
    let backing: Backing
    let state = Mutex(State())

    /// Designated: planes are already known.
    init(
        width: Int, height: Int, format: PixelFormatDescription, planes: InlineArray<4, Plane>,
        dataSize: Int, attributes: CVPixelBufferAttributes = .init(), backing: Backing
    ) {
        self.width = width
        self.height = height
        self.pixelFormat = format.format
        self.formatDescription = format
        self.planes = planes
        self.dataSize = dataSize
        self.attributes = attributes
        self.backing = backing
    }

    /// Over one block of memory laid out by `layout`.
    convenience init(
        layout: PixelBufferLayout, memory: UnsafeMutableRawPointer, backing: Backing
    ) {
        var planes = InlineArray<4, Plane>(repeating: Plane())
        for index in 0..<layout.format.memoryPlaneCount {
            let plane = layout.planes[index]
            planes[index] = Plane(
                address: memory + plane.offset, bytesPerRow: plane.bytesPerRow, width: plane.width,
                height: plane.height)
        }
        self.init(
            width: layout.width, height: layout.height, format: layout.format, planes: planes,
            dataSize: layout.byteCount, attributes: layout.attributes, backing: backing)
    }

    /// Creates a buffer with memory of its own, whose contents are undefined.
    ///
    /// - Parameters:
    ///   - width: Columns, 1 or more.
    ///   - height: Rows, 1 or more.
    ///   - pixelFormat: How samples lie in memory.
    ///   - attributes: Wishes about the memory.
    /// - Throws: ``CVError/invalidPixelFormat``, ``CVError/invalidSize``,
    ///   ``CVError/invalidPixelBufferAttributes`` or ``CVError/allocationFailed``.
    public convenience init(
        width: Int, height: Int, pixelFormat: CVPixelFormatType,
        attributes: CVPixelBufferAttributes = .init()
    ) throws(CVError) {
        let layout = try PixelBufferLayout(
            width: width, height: height, pixelFormat: pixelFormat, attributes: attributes)
        let memory = try PixelMemory.allocate(layout)
        self.init(layout: layout, memory: memory, backing: .owned(memory))
    }

    deinit {
        switch backing {
        case .owned(let memory): free(memory)
        case .pooled(let pool, let memory): pool.takeBack(memory)
        case .borrowed(let release): release?()
        case .frame(let frame):
            var doomed: UnsafeMutablePointer<AVFrame>? = frame
            av_frame_free(&doomed)
        }
    }

    // MARK: Locking

    /// Makes the base addresses readable.
    ///
    /// Locks nest; each needs its unlock with the same flags.
    ///
    /// - Parameter flags: `readOnly`, or none for writing.
    /// - Returns: 0, or `kCVReturnInvalidArgument` for unknown flags.
    @discardableResult
    public func lockBaseAddress(_ flags: CVPixelBufferLockFlags = []) -> CVReturn {
        guard CVPixelBufferLockFlags.readOnly.isSuperset(of: flags) else {
            return CVError.invalidArgument.code
        }
        state.withLock { state in
            if flags.contains(.readOnly) {
                state.readOnlyLockCount += 1
            } else {
                state.writeLockCount += 1
            }
        }
        return CVError.success
    }

    /// Ends a lock.
    ///
    /// - Parameter flags: The flags of the lock.
    /// - Returns: 0, or `kCVReturnInvalidArgument` when no such lock is held.
    @discardableResult
    public func unlockBaseAddress(_ flags: CVPixelBufferLockFlags = []) -> CVReturn {
        state.withLock { state in
            switch flags {
            case .readOnly where state.readOnlyLockCount > 0: state.readOnlyLockCount -= 1
            case [] where state.writeLockCount > 0: state.writeLockCount -= 1
            default: return CVError.invalidArgument.code
            }
            return CVError.success
        }
    }

    // MARK: Memory

    /// Number of planes; 0 for a format that is not planar.
    public var planeCount: Int { isPlanar ? formatDescription.memoryPlaneCount : 0 }
    /// Whether the format has more than one plane.
    public var isPlanar: Bool { formatDescription.isPlanar }

    /// Bytes from one row to the next.
    ///
    /// For planar formats a number that, times `height`, covers all planes.
    public var bytesPerRow: Int {
        isPlanar ? (dataSize + height - 1) / height : planes[0].bytesPerRow
    }

    /// The first byte of the picture (of its first plane); nil without a lock.
    public var baseAddress: UnsafeMutableRawPointer? {
        state.withLock { $0.isLocked } ? planes[0].address : nil
    }

    /// The first byte of a plane; nil without a lock, for a format that is not planar, and out of range.
    ///
    /// - Parameter plane: The plane's index.
    /// - Returns: Its address.
    public func baseAddress(ofPlane plane: Int) -> UnsafeMutableRawPointer? {
        guard hasPlane(plane) else { return nil }
        return state.withLock { $0.isLocked } ? planes[plane].address : nil
    }

    /// Columns of a plane; 0 for a format that is not planar and out of range.
    ///
    /// - Parameter plane: The plane's index.
    /// - Returns: Its columns; a pair CbCr counts as one.
    public func width(ofPlane plane: Int) -> Int { hasPlane(plane) ? planes[plane].width : 0 }

    /// Rows of a plane; 0 for a format that is not planar and out of range.
    ///
    /// - Parameter plane: The plane's index.
    /// - Returns: Its rows.
    public func height(ofPlane plane: Int) -> Int { hasPlane(plane) ? planes[plane].height : 0 }

    /// Bytes from one row of a plane to the next; 0 for a format that is not planar and out of range.
    ///
    /// - Parameter plane: The plane's index.
    /// - Returns: Its stride.
    public func bytesPerRow(ofPlane plane: Int) -> Int {
        hasPlane(plane) ? planes[plane].bytesPerRow : 0
    }

    private func hasPlane(_ plane: Int) -> Bool { plane >= 0 && plane < planeCount }
}
