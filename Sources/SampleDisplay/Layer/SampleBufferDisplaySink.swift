public import MediaTime

/// Where a display layer's pictures go: it has no screen of its own. [HERE]
///
/// Each prepared picture is later presented or discarded, once. Calls come without any lock held: the sink may call the
/// layer and the timebase.
public protocol SampleBufferDisplaySink: AnyObject, Sendable {
    /// A picture is decoded and will be presented at its time, unless it is discarded.
    ///
    /// Called on the decode thread, which it holds up: it should return at once. Pictures marked DoNotDisplay
    /// never come here.
    ///
    /// - Parameter picture: The picture.
    func prepare(_ picture: DisplayedPicture)

    /// It is time to show the picture.
    ///
    /// Called on the display thread. It may block while the screen takes it; the layer then judges anew by the time
    /// it is, and discards what has become late (L-4). A `flush` does not wait for it. In a
    /// privileged process the thread runs before others: it is for writing, not for long computing.
    ///
    /// - Parameters:
    ///   - picture: The picture, which was prepared.
    ///   - time: The timebase's time at which it was chosen.
    func present(_ picture: DisplayedPicture, at time: CMTime)

    /// A prepared picture will never be presented: it is late, or was flushed or replaced.
    ///
    /// Called on any thread, also inside the client's call to `flush`.
    ///
    /// - Parameter picture: The picture.
    func discard(_ picture: DisplayedPicture)

    /// The picture on show is to be removed. Called on the display thread.
    func removeImage()
}
