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
    /// Shows a picture, or with nil keeps the last one, and some text.
    func show(_ picture: RenderedPicture?, text: [ScreenText])
}
