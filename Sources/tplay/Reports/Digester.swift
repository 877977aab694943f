import Dispatch
import PixelBuffers

/// Takes the digests of pictures on a thread beside the decoder's.
///
/// In order, and only a few pictures behind: who brings more waits.
final class Digester: Sendable {
    private static let maximumCount = 4

    private let queue = DispatchQueue(label: "tplay digests")
    private let room = DispatchSemaphore(value: maximumCount)

    /// Takes the digest of a picture.
    ///
    /// - Parameters:
    ///   - picture: The picture; it is only read.
    ///   - completion: Called with the digest, on the digester's thread.
    func take(
        _ picture: CVPixelBuffer, completion: @escaping @Sendable (PixelBufferDigest) -> Void
    ) {
        room.wait()
        queue.async { [room] in
            completion(PixelBufferDigest(of: picture))
            room.signal()
        }
    }

    /// Waits until all that was taken is done.
    func finish() { queue.sync {} }
}
