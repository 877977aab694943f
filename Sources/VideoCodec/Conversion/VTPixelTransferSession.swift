public import MediaTime
public import PixelBuffers
internal import Synchronization

/// How a picture is fitted into one of another shape: the strings behind `kVTScalingMode_…`.
public enum VTScalingMode: String, Hashable, Sendable {
    /// The whole picture fills the whole destination: it is stretched.
    case normal = "Normal"
    /// The clean aperture of the source fills the whole destination.
    case cropSourceToCleanAperture = "CropSourceToCleanAperture"
    /// The clean aperture of the source fits into that of the destination in its own shape; black on two sides.
    case letterbox = "Letterbox"
    /// The clean aperture of the source covers that of the destination in its own shape; two sides are cut off.
    case trim = "Trim"
}

/// Copies pictures from one pixel buffer to another of any size and format, on libswscale.
///
/// Usable from any thread; pictures are copied one after another.
public final class VTPixelTransferSession: Sendable {
    private struct State {
        var isInvalidated = false
        var scalingMode = VTScalingMode.normal
        var cleanAperture: CleanAperture?
        var pixelAspectRatio: PixelAspectRatio?
        var colorPrimaries: ColorPrimaries?
        var transferFunction: TransferFunction?
        var yCbCrMatrix: YCbCrMatrix?
    }

    private let state = Mutex(State())
    /// Its own lock: the tables of a conversion are used by one picture at a time.
    private let transfer = Mutex(PictureTransfer())

    /// Creates a session.
    public init() {}

    // MARK: Properties

    /// How pictures of another shape are fitted.
    public var scalingMode: VTScalingMode {
        get { state.withLock { $0.scalingMode } }
        set { state.withLock { $0.scalingMode = newValue } }
    }

    /// The clean aperture of the destination; nil for all of it.
    public var destinationCleanAperture: CleanAperture? {
        get { state.withLock { $0.cleanAperture } }
        set { state.withLock { $0.cleanAperture = newValue } }
    }

    /// The shape of the destination's pixels; nil for that of the source.
    public var destinationPixelAspectRatio: PixelAspectRatio? {
        get { state.withLock { $0.pixelAspectRatio } }
        set { state.withLock { $0.pixelAspectRatio = newValue } }
    }

    /// The primaries to attach to the destination; nil for those of the source.
    ///
    /// Colours are not converted to them.
    public var destinationColorPrimaries: ColorPrimaries? {
        get { state.withLock { $0.colorPrimaries } }
        set { state.withLock { $0.colorPrimaries = newValue } }
    }

    /// The transfer function to attach to the destination; nil for that of the source.
    ///
    /// Light is not converted to it.
    public var destinationTransferFunction: TransferFunction? {
        get { state.withLock { $0.transferFunction } }
        set { state.withLock { $0.transferFunction = newValue } }
    }

    /// The matrix of the destination; nil for that of the source.
    ///
    /// Pictures of red, green and blue are converted by it. Between two Y'CbCr pictures it stays the source's.
    public var destinationYCbCrMatrix: YCbCrMatrix? {
        get { state.withLock { $0.yCbCrMatrix } }
        set { state.withLock { $0.yCbCrMatrix = newValue } }
    }

    // MARK: Copying

    /// Copies a picture.
    ///
    /// The destination's attachments are replaced: by those of the source that propagate, and what describes the copy.
    ///
    /// - Parameters:
    ///   - source: The picture.
    ///   - destination: Where it goes.
    /// - Returns: `noErr`, ``VTError/pixelTransferNotSupported`` for a pair of formats that cannot be converted,
    ///   ``VTError/allocationFailed``, or ``VTError/invalidSession``.
    @discardableResult
    public func transferImage(from source: CVPixelBuffer, to destination: CVPixelBuffer) -> OSStatus
    {
        let settings = state.withLock { $0 }
        guard !settings.isInvalidated else { return VTError.invalidSession.status }
        let isRGB = !PictureTransfer.isYCbCr(source)
        let matrix =
            isRGB
            ? settings.yCbCrMatrix ?? source.attachments[.yCbCrMatrix]
            : source.attachments[.yCbCrMatrix] ?? settings.yCbCrMatrix
        let target = PictureTransfer.Target(
            mode: settings.scalingMode, cleanAperture: settings.cleanAperture,
            pixelAspectRatio: settings.pixelAspectRatio
                ?? source.attachments[.pixelAspectRatio],
            matrix: matrix)
        do throws(CVError) {
            try transfer.withLock { (transfer) throws(CVError) in
                try transfer.copy(source, to: destination, target)
            }
        } catch {
            return error.code == CVError.allocationFailed.code
                ? VTError.allocationFailed.status : VTError.pixelTransferNotSupported.status
        }
        var attachments = source.attachments.filtered(by: .shouldPropagate)
        attachments[.fullRange] = nil
        attachments[.cleanAperture] = settings.cleanAperture
        attachments[.pixelAspectRatio] = target.pixelAspectRatio
        if let primaries = settings.colorPrimaries { attachments[.colorPrimaries] = primaries }
        if let function = settings.transferFunction { attachments[.transferFunction] = function }
        attachments[.yCbCrMatrix] = matrix
        destination.attachments = attachments
        return noErr
    }

    /// Ends the session.
    public func invalidate() { state.withLock { $0.isInvalidated = true } }
}
