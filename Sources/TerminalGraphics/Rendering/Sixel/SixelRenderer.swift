internal import Glibc

/// Pixels in up to 255 colours of a palette that is fitted to the picture and kept while it serves.
///
/// One register less than the usual 256: its number marks what the lookup table does not know yet, which makes the table small enough for
/// the second-level cache.
public final class SixelRenderer: SourceRenderer {
    /// What the renderer was made with.
    public let options: RendererOptions
    private let stage: ScalingStage
    private let settled = SettledPixels()
    private var pool = RenderedPicturePool()
    private let palette: SixelPalette
    private var bands = SixelBandEncoder()
    /// The palette's number of each pixel, and the last picture's.
    private var indices = PlaneMemory()
    private var previousIndices = PlaneMemory()
    private var previous: RenderedPicture?
    private var previousPalette = 0
    private var lastIdentity: UInt64 = 0

    /// Makes a renderer.
    ///
    /// - Parameter options: The area should leave out the screen's last row: an image that reaches it may scroll.
    public init(options: RendererOptions) {
        self.options = options
        stage = ScalingStage(
            options: options,
            dotsPerCell: DotsPerCell(
                columns: options.cellSize.width, rows: options.cellSize.height),
            precision: .exact, maximumSize: options.maximumImageSize)
        palette = SixelPalette(limit: options.maximumRegisterCount)
    }

    /// See ``PictureRenderer``.
    public func forgetPrevious() {
        settled.forget()
        palette.forget()
    }

    package func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture {
        let layout = try stage.scale(source, sampleAspectRatio: sampleAspectRatio)
        settled.follow(stage.planes)
        palette.serve(settled.planes)
        swap(&indices, &previousIndices)
        indices.resize(to: stage.planes.size)
        palette.map(settled.planes, to: indices, dither: options.dither)

        let picture = pool.take(layout: layout, content: .sixel)
        encode(layout, into: &picture.sixel)
        previous = picture
        previousPalette = palette.generation
        return picture
    }

    private func encode(_ layout: PictureLayout, into image: inout SixelImage) {
        let cellHeight = layout.cellSize.height
        let size = stage.planes.size
        image.rowsPerChunk = Self.leastCommonMultiple(cellHeight, 6) / cellHeight
        image.width = size.width
        palette.write(to: &image.palette)
        let chunkHeight = image.rowsPerChunk * cellHeight
        image.chunkCount = (size.height + chunkHeight - 1) / chunkHeight
        while image.chunks.count < image.chunkCount { image.chunks.append(.init()) }
        let mayReuse =
            previous.map { $0.layout == layout } ?? false && previousPalette == palette.generation
        for chunk in 0..<image.chunkCount {
            let rows = chunk * chunkHeight..<min((chunk + 1) * chunkHeight, size.height)
            if mayReuse, let previous, isUnchanged(rows) {
                image.chunks[chunk].copy(previous.sixel.chunks[chunk])
                continue
            }
            lastIdentity += 1
            image.chunks[chunk].identity = lastIdentity
            image.chunks[chunk].height = rows.count
            bands.encode(indices, rows: rows, into: &image.chunks[chunk])
        }
    }

    private func isUnchanged(_ rows: Range<Int>) -> Bool {
        let start = rows.lowerBound * indices.stride
        let count = rows.count * indices.stride
        let new = UnsafeRawBufferPointer(start: indices.plane(0) + start, count: count)
        let old = UnsafeRawBufferPointer(start: previousIndices.plane(0) + start, count: count)
        return memcmp(new.baseAddress!, old.baseAddress!, count) == 0
    }

    private static func leastCommonMultiple(_ a: Int, _ b: Int) -> Int {
        var (x, y) = (a, b)
        while y != 0 { (x, y) = (y, x % y) }
        return a / x * b
    }
}
