import Synchronization

extension CVPixelBuffer {
    /// What is attached to the buffer.
    ///
    /// Reading and writing are atomic each; to change one of several under competition use
    /// ``updateAttachments(_:)``.
    public var attachments: CVBufferAttachments {
        get { state.withLock { $0.attachments } }
        set { state.withLock { $0.attachments = newValue } }
    }

    /// Changes the attachments while nobody else can.
    ///
    /// - Parameter body: Changes them; it must not touch the buffer itself.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func updateAttachments<R: Sendable, E: Error>(
        _ body: (inout CVBufferAttachments) throws(E) -> R
    ) throws(E) -> R {
        try state.withLock { (state) throws(E) -> R in try body(&state.attachments) }
    }

    /// Copies the attachments that should propagate to another buffer, over those it has.
    ///
    /// - Parameter destination: The other buffer.
    public func propagateAttachments(to destination: CVPixelBuffer) {
        let propagated = attachments.filtered(by: .shouldPropagate)
        destination.updateAttachments { $0.merge(propagated) }
    }

    /// Whether samples use the full range: as attached, else as the format code says.
    public var isFullRange: Bool { attachments[.fullRange] ?? formatDescription.isFullRange }

    /// The size of the whole picture in memory.
    public var encodedSize: ImageSize { ImageSize(width: Double(width), height: Double(height)) }

    /// The clean aperture, or the whole picture; `y` counts from the bottom.
    public var cleanRect: ImageRect {
        guard let aperture = attachments[.cleanAperture] else {
            return ImageRect(x: 0, y: 0, width: Double(width), height: Double(height))
        }
        return aperture.rect(inWidth: width, height: height, originIsAtTopLeft: false)
    }

    /// The size on a screen with square pixels: the clean aperture, its width times the pixel aspect.
    public var displaySize: ImageSize {
        let rect = cleanRect
        let ratio = attachments[.pixelAspectRatio]?.ratio ?? 1
        return ImageSize(width: rect.width * ratio, height: rect.height)
    }

    /// Whether the first row in memory is the bottom one.
    ///
    /// Never here.
    public var isFlipped: Bool { false }
}
