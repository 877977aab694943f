import Synchronization
import Terminal
import TerminalGraphics

/// The terminal as a screen's output.
// SAFETY: `encoder` and `bytes` are used by the screen's output thread alone; `writer` is for any thread.
final class TerminalOutput: ScreenOutput, @unchecked Sendable {
    private let writer: TerminalWriter
    private var encoder: ScreenEncoder
    private var bytes: [UInt8] = []

    init(_ writer: TerminalWriter) {
        self.writer = writer
        encoder = ScreenEncoder(grid: TerminalGrid(columns: 1, rows: 1))
    }

    func prepare(for drawing: Drawing) {
        encoder.options = drawing.encoder
        encoder.resize(to: drawing.grid)
    }

    func invalidate() { encoder.invalidate() }

    func removePicture() { encoder.removePicture() }

    func show(_ picture: RenderedPicture?, text: [ScreenText]) {
        bytes.removeAll(keepingCapacity: true)
        encoder.encode(picture, text: text, into: &bytes)
        guard !bytes.isEmpty else { return }
        // What an interrupted write has left on the screen nobody knows.
        if writer.write(bytes) != .whole { encoder.invalidate() }
    }
}
