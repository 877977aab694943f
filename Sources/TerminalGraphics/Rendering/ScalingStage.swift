/// What every renderer begins with: the layout for a source, and the source scaled to its dots.
final class ScalingStage {
    let options: RendererOptions
    let dotsPerCell: DotsPerCell
    private let maximumSize: PixelSize?
    /// The picture's dots after ``scale(_:sampleAspectRatio:)``.
    let planes = RGBPlanes()
    private let scaler: PictureScaler
    private var layout: PictureLayout?
    private var source = PixelSize(width: 0, height: 0)
    private var sampleAspectRatio = SampleAspectRatio.square

    init(
        options: RendererOptions, dotsPerCell: DotsPerCell,
        precision: PictureScaler.Precision = .stable, maximumSize: PixelSize? = nil
    ) {
        self.maximumSize = maximumSize
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
        try scaler.scale(picture, crop: layout.sourceCrop, field: options.field, into: planes)
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
