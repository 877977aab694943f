/// What every renderer begins with: the layout for a source, and the source scaled to its dots.
final class ScalingStage {
    let options: RendererOptions
    let dotsPerCell: DotsPerCell
    private let maximumSize: PixelSize?
    /// The picture's dots after ``scale(_:sampleAspectRatio:)``.
    let planes = RGBPlanes()
    private let scaler: PictureScaler
    /// The picture before its dots are made larger.
    private let small = RGBPlanes()
    private var layout: PictureLayout?
    private var source = PixelSize(width: 0, height: 0)
    private var sampleAspectRatio = SampleAspectRatio.square

    init(
        options: RendererOptions, dotsPerCell: DotsPerCell,
        precision: PictureScaler.Precision = .stable, maximumSize: PixelSize? = nil
    ) {
        if options.shrinking > 1 {
            let area = options.area
            self.maximumSize = PixelSize(
                width: max(area.columns * dotsPerCell.columns / options.shrinking, 1),
                height: max(area.rows * dotsPerCell.rows / options.shrinking, 1))
        } else {
            self.maximumSize = maximumSize
        }
        scaler = PictureScaler(precision: precision)
        self.options = options
        self.dotsPerCell = dotsPerCell
    }

    func forgetPrevious() { scaler.forgetPrevious() }

    func scale(
        _ picture: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> PictureLayout {
        let layout = layout(for: picture.size, sampleAspectRatio)
        var picture = picture
        if let matrix = options.matrix { picture.matrix = matrix }
        if let range = options.range { picture.range = range }
        planes.resize(
            to: PixelSize(width: layout.destination.width, height: layout.destination.height))
        let factor = options.coarseness
        guard factor > 1 else {
            try scaler.scale(picture, crop: layout.sourceCrop, field: picture.field, into: planes)
            return layout
        }
        small.resize(
            to: PixelSize(
                width: (planes.size.width + factor - 1) / factor,
                height: (planes.size.height + factor - 1) / factor))
        try scaler.scale(picture, crop: layout.sourceCrop, field: picture.field, into: small)
        planes.magnify(small, by: factor)
        return layout
    }

    private func layout(for size: PixelSize, _ ratio: SampleAspectRatio) -> PictureLayout {
        if let layout, size == source, ratio == sampleAspectRatio { return layout }
        let new = PictureLayout(
            sourceSize: size, sampleAspectRatio: ratio, area: options.area,
            cellSize: options.cellSize, fit: options.fit, dotsPerCell: dotsPerCell,
            maximumSize: maximumSize)
        source = size
        sampleAspectRatio = ratio
        layout = new
        return new
    }
}

extension RenderedPicture {
    /// Makes the cells as many as the area's; blanks all of them when the layout is another than last time.
    func prepareCells() {
        guard cells.count != area.cellCount || preparedLayout != layout else { return }
        if cells.count == area.cellCount {
            for index in cells.indices { cells[index] = .blank }
        } else {
            cells = [Cell](repeating: .blank, count: area.cellCount)
        }
        preparedLayout = layout
    }
}
