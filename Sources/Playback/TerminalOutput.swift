import MediaTime
import Synchronization
import Terminal
import TerminalGraphics

/// The terminal as a screen's output.
// SAFETY: `encoder` and `bytes` are used by the screen's output thread alone; `writer` is for any thread.
final class TerminalOutput: ScreenOutput, @unchecked Sendable {
    private let writer: TerminalWriter
    private var encoder: ScreenEncoder
    private var bytes: [UInt8] = []
    /// Rows that fitted into a piece last time.
    private var rowsPerPiece = 1

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

    func show(_ content: ScreenContent) -> ScreenDelivery {
        var delivery = ScreenDelivery()
        bytes.removeAll(keepingCapacity: true)
        switch content.part {
        case .none: encoder.encode(nil, text: content.text, rows: 0..<0, into: &bytes)
        case .whole: encodeWhole(content, &delivery)
        case .rows(let first): encodePiece(content, from: first, &delivery)
        }
        delivery.byteCount = bytes.count
        guard !bytes.isEmpty, !delivery.isRefused else { return delivery }
        let before = writer.statistics
        delivery.begin = CMClock.hostNanoseconds
        // What an interrupted write has left on the screen nobody knows.
        if writer.write(bytes, requestingStatus: true) != .whole { encoder.invalidate() }
        delivery.end = CMClock.hostNanoseconds
        let after = writer.statistics
        delivery.waited = (after.waitingTime - before.waitingTime).nanoseconds
        delivery.byteCount = Int(after.byteCount - before.byteCount)
        delivery.total = after.byteCount
        delivery.asks = after.statusRequestCount > before.statusRequestCount
        return delivery
    }

    /// The first tolerance that fits; where none does, the last if it may be sent at all.
    private func encodeWhole(_ content: ScreenContent, _ delivery: inout ScreenDelivery) {
        let isLimited = content.byteLimit.isFinite || content.hardByteLimit.isFinite
        if isLimited { encoder.keep() }
        for index in content.tolerances.indices {
            encoder.options.tolerance = content.tolerances[index]
            encoder.encode(content.picture, text: content.text, into: &bytes)
            delivery.tolerance = index
            let size = Double(bytes.count)
            let isLast = index + 1 == content.tolerances.endIndex
            if size <= content.byteLimit || isLast && size <= content.hardByteLimit { return }
            encoder.revert()
            if isLast { delivery.isRefused = true } else { encoder.keep() }
            guard !isLast else { return }
            bytes.removeAll(keepingCapacity: true)
        }
    }

    /// As many rows as fit, one at least.
    private func encodePiece(
        _ content: ScreenContent, from first: Int, _ delivery: inout ScreenDelivery
    ) {
        let rowCount = encoder.grid.rows
        encoder.options.tolerance = 0
        var count = min(max(rowsPerPiece * 2, 1), rowCount)
        while true {
            encoder.keep()
            let end = min(first + count, rowCount)
            encoder.encode(content.picture, text: content.text, rows: first..<end, into: &bytes)
            if Double(bytes.count) <= content.byteLimit || count == 1 {
                rowsPerPiece = count
                delivery.nextRow = end < rowCount ? end : nil
                return
            }
            encoder.revert()
            bytes.removeAll(keepingCapacity: true)
            count /= 2
        }
    }
}

extension Duration {
    /// Whole nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
