/// Sixels and kitty graphics among the cells.
extension ScreenEncoder {
    /// Marks the cells of each chunk of sixels with its identity; the whole image must lie above the last row, where it could scroll.
    ///
    /// Outside `rows` a chunk is drawn again only where text gives a part of it free.
    mutating func composeSixels(of picture: RenderedPicture, _ rows: Range<Int>) {
        let image = picture.sixel
        let cells = picture.layout.cells
        guard cells.x + cells.width <= grid.columns, cells.y + cells.height <= grid.rows else {
            return
        }
        for row in 0..<cells.height {
            let chunk = row / image.rowsPerChunk
            let chunkRows = self.rows(ofChunk: chunk, of: picture)
            let isMeant = rows.overlaps(
                cells.y + chunkRows.lowerBound..<cells.y + chunkRows.upperBound)
            let start = (cells.y + row) * grid.columns + cells.x
            for index in start..<start + cells.width
            where isMeant || screen[index].isText && screen[index] != .unknown {
                target[index] = .image(image.chunks[chunk].identity)
            }
        }
    }

    mutating func paintSixels(of picture: RenderedPicture) {
        let cells = picture.layout.cells
        guard cells.x + cells.width <= grid.columns, cells.y + cells.height <= grid.rows else {
            return
        }
        let chunkCount = picture.sixel.chunkCount
        var chunk = 0
        while chunk < chunkCount {
            guard isStale(chunk, of: picture) else {
                chunk += 1
                continue
            }
            let first = chunk
            while chunk < chunkCount, isStale(chunk, of: picture) {
                mark(chunk, of: picture)
                chunk += 1
            }
            let row = cells.y + first * picture.sixel.rowsPerChunk
            painter.moveAbsolutely(x: cells.x, y: row)
            picture.sixel.write(chunks: first..<chunk, into: &painter.sink)
            painter.forgetCursor()
        }
    }

    private func indices(ofChunk chunk: Int, row: Int, of picture: RenderedPicture) -> Range<Int> {
        let cells = picture.layout.cells
        let start = (cells.y + row) * grid.columns + cells.x
        return start..<start + cells.width
    }

    private func rows(ofChunk chunk: Int, of picture: RenderedPicture) -> Range<Int> {
        let rowsPerChunk = picture.sixel.rowsPerChunk
        let first = chunk * rowsPerChunk
        return first..<min(first + rowsPerChunk, picture.layout.cells.height)
    }

    /// Whether a cell that should show the chunk shows something else.
    private func isStale(_ chunk: Int, of picture: RenderedPicture) -> Bool {
        let wanted = Cell.image(picture.sixel.chunks[chunk].identity)
        for row in rows(ofChunk: chunk, of: picture) {
            for index in indices(ofChunk: chunk, row: row, of: picture)
            where target[index] == wanted && screen[index] != wanted {
                return true
            }
        }
        return false
    }

    /// Notes that the chunk is on the screen, over whatever text was there.
    private mutating func mark(_ chunk: Int, of picture: RenderedPicture) {
        let shown = Cell.image(picture.sixel.chunks[chunk].identity)
        for row in rows(ofChunk: chunk, of: picture) {
            for index in indices(ofChunk: chunk, row: row, of: picture) { screen[index] = shown }
        }
    }

    /// Shows the strips that overlap `rows` and are not on the screen yet.
    mutating func paintKitty(_ picture: RenderedPicture, _ rows: Range<Int>) {
        let image = picture.kitty
        let cells = picture.layout.cells
        guard cells.x + cells.width <= grid.columns, cells.y + cells.height <= grid.rows else {
            return
        }
        while shownStrips.count < image.stripCount { shownStrips.append(.init()) }
        for index in 0..<image.stripCount {
            let strip = image.strips[index]
            let top = cells.y + index * image.rowsPerStrip
            guard strip.identity != shownStrips[index].identity,
                rows.overlaps(top..<top + image.rowsPerStrip)
            else { continue }
            painter.moveAbsolutely(x: cells.x, y: top)
            // Two numbers in turn: the old strip goes when the new one is there.
            let old = shownStrips[index].number
            let number = index * 2 + (old == index * 2 + 1 ? 2 : 1)
            strip.write(number: number, replacing: old, into: &painter.sink)
            shownStrips[index] = ShownStrip(identity: strip.identity, number: number)
            painter.forgetCursor()
        }
    }
}
