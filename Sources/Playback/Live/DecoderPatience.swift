import SampleDisplay

/// Whether the decoder of a pipe holds pictures back: it is faster so, and does for a file that comes through a pipe.
///
/// Once pictures are seen to come as they are made, none is held back any more. Where the stream stops in the middle of
/// things, none is until it has gone on for a while.
struct DecoderPatience {
    private var mayHoldBack: Bool
    /// Access units before this one were all there were when the stream stopped.
    private var dryCount = 0
    private var holdsBack: Bool

    /// - Parameter mayHoldBack: Whether there is a choice.
    init(mayHoldBack: Bool) { (self.mayHoldBack, holdsBack) = (mayHoldBack, mayHoldBack) }

    /// Takes note that the stream has stopped.
    ///
    /// - Parameter count: Access units that there are.
    /// - Returns: Whether pictures may be held back at this moment.
    mutating func noteDry(count: Int) -> Bool {
        if holdsBack { dryCount = count }
        return holdsBack
    }

    /// Before an access unit where the decoder can be changed: the mode it changes to, nil where it stays.
    mutating func change(before decodeRank: Int, isLive: Bool) -> SampleDecodingMode? {
        guard mayHoldBack else { return nil }
        mayHoldBack = !isLive
        let holds = !isLive && decodeRank >= dryCount
        guard holds != holdsBack else { return nil }
        holdsBack = holds
        return holds ? .automatic : .lowDelay
    }
}
