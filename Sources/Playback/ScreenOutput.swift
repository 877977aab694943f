import TerminalGraphics

/// Where a screen's contents go: a terminal, or a file as text.
///
/// One thread uses it.
protocol ScreenOutput: AnyObject, Sendable {
    /// Takes another size or other abilities; what is shown is unknown then.
    func prepare(for drawing: Drawing)
    /// Forgets what is shown.
    func invalidate()
    /// Takes the picture off.
    func removePicture()
    /// Shows a picture, a part of it, or text alone.
    func show(_ content: ScreenContent) -> ScreenDelivery
}

/// What a screen's output is to show.
struct ScreenContent {
    /// What is to be done with the picture.
    enum Part {
        /// All of it.
        case whole
        /// Rows from this one on, as many as fit: it is on the screen already, with less detail.
        case rows(from: Int)
        /// Nothing: the text alone is new.
        case none
    }

    /// The picture; nil keeps the last one.
    var picture: RenderedPicture?
    var part = Part.whole
    /// How far channels may be off, to be tried in turn until the bytes fit.
    var tolerances: ArraySlice<Int> = [0]
    /// As many bytes as it should have.
    var byteLimit = Double.infinity
    /// More bytes than these are not sent.
    var hardByteLimit = Double.infinity
    var text: [ScreenText]
}

/// What became of it.
struct ScreenDelivery {
    var byteCount = 0
    /// All bytes written so far.
    var total: Int64 = 0
    /// Too large: nothing was sent, and the screen is as it was.
    var isRefused = false
    /// The index of the tolerance that was sent.
    var tolerance = 0
    /// The row to go on from; nil when the whole picture is there.
    var nextRow: Int?
    /// Nanoseconds of the host clock.
    var begin: Int64 = 0
    var end: Int64 = 0
    var waited: Int64 = 0
    /// Whether a status request went with it.
    var asks = false
}
