import Synchronization
public import PixelBuffers

/// The attachments of a Core Media object: the same type as a pixel buffer's.
public typealias CMAttachmentBearerAttachments = CVBufferAttachments

/// What attachments can be put on.
public protocol CMAttachmentBearerProtocol: AnyObject {
    /// What is attached.
    ///
    /// Reading and writing are atomic each.
    var attachments: CMAttachmentBearerAttachments { get set }
}

extension CMAttachmentBearerProtocol {
    /// Copies the attachments that should propagate to another object, over those it has.
    ///
    /// - Parameter destination: The other object.
    public func propagateAttachments<T: CMAttachmentBearerProtocol>(to destination: T) {
        destination.attachments.merge(attachments.filtered(by: .shouldPropagate))
    }
}

extension CVPixelBuffer: CMAttachmentBearerProtocol {}

extension CMBlockBuffer: CMAttachmentBearerProtocol {
    /// What is attached to the buffer.
    public var attachments: CMAttachmentBearerAttachments {
        get { attachmentStore.withLock { $0 } }
        set { attachmentStore.withLock { $0 = newValue } }
    }
}
