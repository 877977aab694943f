/// What a change of state asks to be done once the lock is given back.
struct DisplayEffects {
    var discards: [DisplayedPicture] = []
    var events: [SampleDisplayEvent] = []
    /// A request whose block is to be called.
    var request: MediaDataRequest?
    /// Whether the request waits for its pace first.
    var isPaced = false
    /// Whether there is now enough for a start: a synchronizer waits for it.
    var hasBecomeSufficient = false

    mutating func discard(_ content: DisplayContent) {
        if let picture = content.picture { discards.append(picture) }
    }
}
