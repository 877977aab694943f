import Testing
import TerminalGraphics

@Suite("Picture layout")
struct PictureLayoutTests {
    static let cellSizes = [(8, 16), (7, 18), (10, 20), (9, 22)].map {
        CellSize(width: $0, height: $1)
    }
    static let dots = GlyphSet.allCases.map(\.dotsPerCell)

    /// The shape of one source pixel on the terminal, 1 where it is square.
    private func distortion(
        _ layout: PictureLayout, _ source: PixelSize, _ ratio: SampleAspectRatio
    ) -> Double {
        let dotWidth = Double(layout.cellSize.width) / Double(layout.dotsPerCell.columns)
        let dotHeight = Double(layout.cellSize.height) / Double(layout.dotsPerCell.rows)
        let width =
            Double(layout.destination.width) * dotWidth / Double(layout.sourceCrop.width)
            * Double(ratio.height) / Double(ratio.width)
        let height =
            Double(layout.destination.height) * dotHeight / Double(layout.sourceCrop.height)
        return width / height
    }

    @Test("a circle stays round within 1 %", arguments: cellSizes, [Fit.contain, .cover])
    func round(cellSize: CellSize, fit: Fit) {
        let ratios = [(1, 1), (12, 11), (64, 33), (2, 1)].map {
            SampleAspectRatio(width: $0, height: $1)
        }
        let sources = [(1920, 1080), (720, 576), (640, 480), (1080, 1920)].map {
            PixelSize(width: $0, height: $1)
        }
        let areas = [(80, 23), (80, 24), (119, 39), (160, 45), (211, 60)].map {
            TerminalGrid(columns: $0, rows: $1)
        }
        let perPixel = DotsPerCell(columns: cellSize.width, rows: cellSize.height)
        for source in sources {
            for ratio in ratios {
                for area in areas {
                    for dots in Self.dots + [perPixel] {
                        let layout = PictureLayout(
                            sourceSize: source, sampleAspectRatio: ratio, area: area,
                            cellSize: cellSize, fit: fit, dotsPerCell: dots)
                        let error = abs(distortion(layout, source, ratio) - 1)
                        #expect(error <= 0.01, "\(source) \(ratio) \(area) \(dots): \(error)")
                    }
                }
            }
        }
    }

    @Test("every size gives rectangles that lie inside", arguments: Fit.allCases)
    func bounds(fit: Fit) {
        let sizes = [1, 2, 3, 7, 80, 161, 400, 1000]
        let sources = [(16, 16), (8192, 2), (1, 4096)].map { PixelSize(width: $0, height: $1) }
        let dots = [(1, 2), (9, 22)].map { DotsPerCell(columns: $0, rows: $1) }
        for columns in sizes {
            for rows in sizes where rows <= 400 {
                for source in sources {
                    for dots in dots {
                        let layout = PictureLayout(
                            sourceSize: source, area: TerminalGrid(columns: columns, rows: rows),
                            cellSize: CellSize(width: 9, height: 22), fit: fit, dotsPerCell: dots)
                        #expect(isInside(layout, source), "\(layout)")
                    }
                }
            }
        }
    }

    private func isInside(_ layout: PictureLayout, _ source: PixelSize) -> Bool {
        func holds(_ part: PixelRectangle, _ width: Int, _ height: Int) -> Bool {
            part.x >= 0 && part.y >= 0 && part.width >= 1 && part.height >= 1
                && part.x + part.width <= width && part.y + part.height <= height
        }
        let area = layout.area
        let dots = layout.dotsPerCell
        let crop = layout.sourceCrop
        let place = layout.destination
        return holds(crop, source.width, source.height) && crop.x % 2 == 0 && crop.y % 2 == 0
            && holds(place, area.columns * dots.columns, area.rows * dots.rows)
            && place.x % dots.columns == 0 && place.y % dots.rows == 0
            && holds(layout.cells, area.columns, area.rows)
    }

    @Test("1080p fills 160 by 45 cells of 8 by 16")
    func exact() {
        let layout = PictureLayout(
            sourceSize: PixelSize(width: 1920, height: 1080),
            area: TerminalGrid(columns: 160, rows: 45), cellSize: .assumed,
            dotsPerCell: GlyphSet.half.dotsPerCell)
        #expect(layout.destination == PixelRectangle(x: 0, y: 0, width: 160, height: 90))
        #expect(layout.sourceCrop == PixelRectangle(x: 0, y: 0, width: 1920, height: 1080))
    }

    @Test("one to one shows the middle of what is too large")
    func none() {
        let layout = PictureLayout(
            sourceSize: PixelSize(width: 1000, height: 100),
            area: TerminalGrid(columns: 50, rows: 20), cellSize: CellSize(width: 10, height: 20),
            fit: .none, dotsPerCell: DotsPerCell(columns: 10, rows: 20))
        #expect(layout.sourceCrop == PixelRectangle(x: 250, y: 0, width: 500, height: 100))
        #expect(layout.destination == PixelRectangle(x: 0, y: 140, width: 500, height: 100))
    }

    @Test(
        "aspect ratios that nobody means are taken for square",
        arguments: [(0, 1), (1, 0), (-1, 1), (1, 65535), (65535, 1)])
    func nonsense(width: Int, height: Int) {
        #expect(SampleAspectRatio(width: width, height: height) == .square)
    }
}
